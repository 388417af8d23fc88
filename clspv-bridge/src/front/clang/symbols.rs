//! Global symbols in the text of LLVM IR.

/// The global names in a line, verbatim, with their positions.
pub fn globals(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.match_indices('@').filter_map(|(at, _)| name_at(&line[at + 1..]).map(|name| (at, name)))
}

/// The name at the start of the text.
pub fn name_at(text: &str) -> Option<&str> {
    let len = match text.strip_prefix('"') {
        Some(rest) => rest.find('"')? + 2,
        None => text.find(|c: char| !(c.is_ascii_alphanumeric() || "-$._".contains(c))).unwrap_or(text.len()),
    };
    text.get(..len).filter(|name| !name.is_empty())
}

/// Calls `name` for each global's name in the text, and replaces those for which it returns another one.
pub fn replace_names<'a>(text: &'a str, mut name: impl FnMut(&'a str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '"']) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        if let Some(string) = tail.strip_prefix('"') {
            // Quotes inside strings are written as numbers.
            let end = string.find('"').map_or(tail.len(), |e| e + 2);
            out.push_str(&tail[..end]);
            rest = &tail[end..];
            continue;
        }
        let word = &tail[1..];
        let len = match word.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(word.len(), |e| e + 2),
            None => {
                word.find(|c: char| !(c.is_ascii_alphanumeric() || "._-$".contains(c))).unwrap_or(word.len())
            }
        };
        out.push('@');
        match name(&word[..len]) {
            Some(new) => out.push_str(&new),
            None => out.push_str(&word[..len]),
        }
        rest = &word[len..];
    }
    out.push_str(rest);
    out
}

/// Calls `new` for each mangled function name, with the plain name and the mangled parameters, and replaces
/// the symbols for which it returns another one. `None` if it replaces none.
pub fn replace_mangled(ir: &str, new: impl Fn(&str, &str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, prefix) in ir.match_indices("@_Z") {
        let begin = at + prefix.len();
        let after = &ir[begin..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        let name =
            after[..digits].parse().ok().and_then(|len: usize| after.get(digits..digits.checked_add(len)?));
        let Some(name) = name.filter(|n| digits + n.len() <= end) else { continue };
        if let Some(symbol) = new(name, &after[digits + name.len()..end]) {
            out.push_str(&ir[done..at + 1]);
            out.push_str(&symbol);
            done = begin + end;
        }
    }
    if done == 0 {
        return None;
    }
    out.push_str(&ir[done..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_are_whole() {
        let upper = |name: &str, params: &str| (name == "f").then(|| format!("F.{params}"));
        let text = "call @_Z1fDv2_j(i32 0), @_Z99x(@_Z, @_Z3fooi @_Z1f";
        assert_eq!(replace_mangled(text, upper).unwrap(), "call @F.Dv2_j(i32 0), @_Z99x(@_Z, @_Z3fooi @F.");
        assert_eq!(replace_mangled("@_Z3fooi(@_Z99x(@_Z", upper), None);
    }
}
