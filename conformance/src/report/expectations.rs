//! Expected results of a device, parsed from a text. A line is
//!
//! ```text
//! [fail|skip|exclude] AREA/TEST  REASON
//! ```
//!
//! with a tab or two blanks before the reason. `fail` (the default) names a known failure, `skip` a test that
//! is skipped because the device lacks what it requires, `exclude` one that is not run at all. A `*` at the
//! end of a name matches any suffix; the first line that matches counts. `#` begins a comment.

use super::data::Record;

/// The expected result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Fail,
    Skip,
    /// The test is not run.
    Exclude,
}

/// Expectations of a device.
#[derive(Default)]
pub struct Expectations {
    lines: Vec<(Expected, String, String)>,
    /// Whether there is a file, even an empty one.
    pub given: bool,
}

impl Expectations {
    pub fn read(path: Option<&std::path::Path>) -> Result<Expectations, String> {
        let Some(path) = path else { return Ok(Expectations::default()) };
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string());
        text.and_then(|t| Expectations::parse(&t)).map_err(|e| format!("{}: {e}", path.display()))
    }

    pub fn parse(text: &str) -> Result<Expectations, String> {
        let mut lines = Vec::new();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let kinds =
                [("fail ", Expected::Fail), ("skip ", Expected::Skip), ("exclude ", Expected::Exclude)];
            let kind = kinds.into_iter().find_map(|(word, kind)| Some((kind, line.strip_prefix(word)?)));
            let (kind, rest) = kind.unwrap_or((Expected::Fail, line));
            let parts = rest.split_once('\t').or_else(|| rest.trim_start().split_once("  "));
            let (name, reason) = parts
                .map(|(n, r)| (n.trim(), r.trim()))
                .filter(|p| !p.1.is_empty())
                .ok_or_else(|| format!("no reason in '{line}'"))?;
            lines.push((kind, name.to_owned(), reason.to_owned()));
        }
        Ok(Expectations { lines, given: true })
    }

    /// The reason why a test is expected to end so.
    pub fn reason(&self, test: &Record, kind: Expected) -> Option<&str> {
        self.of(&test.path())
            .filter(|e| e.0 == kind || (e.0, kind) == (Expected::Exclude, Expected::Skip))
            .map(|e| e.1)
    }

    /// Expected result of the test `AREA/TEST`, and the reason.
    pub fn of(&self, path: &str) -> Option<(Expected, &str)> {
        let fits = |name: &str| name.strip_suffix('*').map_or(path == name, |start| path.starts_with(start));
        self.lines.iter().find(|line| fits(&line.1)).map(|(kind, _, reason)| (*kind, reason.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let text =
            "# known\n\napi/th*  a reason\nskip  b/x y\tnot offered\nexclude c/*  hours\nfail d/e  wrong";
        let list = Expectations::parse(text).expect("expectations");
        assert_eq!(list.of("api/three"), Some((Expected::Fail, "a reason")));
        assert_eq!(list.of("b/x y"), Some((Expected::Skip, "not offered")));
        assert_eq!(list.of("c/anything"), Some((Expected::Exclude, "hours")));
        assert_eq!((list.of("d/e"), list.of("d/f")), (Some((Expected::Fail, "wrong")), None));
        for wrong in ["api/one", "skip api/one ", "fail one two"] {
            assert!(Expectations::parse(wrong).is_err(), "{wrong}");
        }
    }
}
