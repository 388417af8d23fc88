//! Search for features to hide so that a group passes.

/// Finds features that make `passes` true when they are hidden in addition to `known`: one of the candidates,
/// or else as few of them as can be found by leaving out one after the other. `None` if hiding all of them
/// does not help.
pub fn search(
    known: &[String],
    candidates: &[&str],
    mut passes: impl FnMut(&[String]) -> Result<bool, String>,
) -> Result<Option<Vec<String>>, String> {
    let new: Vec<String> = candidates.iter().map(|c| c.to_string()).filter(|c| !known.contains(c)).collect();
    let with = |hidden: &[String]| [known, hidden].concat();
    for one in &new {
        let one = std::slice::from_ref(one);
        if passes(&with(one))? {
            return Ok(Some(one.to_vec()));
        }
    }
    if new.len() < 2 || !passes(&with(&new))? {
        return Ok(None);
    }
    let mut needed = new;
    let mut at = 0;
    while at < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(at);
        if passes(&with(&fewer))? {
            needed = fewer;
        } else {
            at += 1;
        }
    }
    Ok(Some(needed))
}

#[cfg(test)]
mod tests {
    use super::search;

    fn found(needed: &[&str], known: &[&str]) -> Option<Vec<String>> {
        let known: Vec<String> = known.iter().map(|k| k.to_string()).collect();
        let passes = |hidden: &[String]| Ok(needed.iter().all(|n| hidden.iter().any(|h| h == n)));
        search(&known, &["a", "b", "c", "d"], passes).expect("no process")
    }

    #[test]
    fn as_few_as_needed_are_hidden() {
        let list = |names: &[&str]| Some(names.iter().map(|n| n.to_string()).collect::<Vec<_>>());
        assert_eq!(found(&["c"], &[]), list(&["c"]));
        assert_eq!(found(&["b", "d"], &[]), list(&["b", "d"]));
        assert_eq!(found(&["b", "d"], &["b"]), list(&["d"]));
        assert_eq!(found(&["x"], &[]), None);
    }
}
