//! Settings of kernels: sizes, contents and values where those that follow from the names and types of
//! parameters do not fit.

use super::image::{PlannedImage, SIDE};

/// Settings of single kernels. A line is `PATH KERNEL KEY=VALUE ...`: PATH is part of the file's path, KERNEL
/// a name or `*`; later lines win. Keys are:
///
/// * `global`, `local`: sizes with commas; `local=-` leaves the choice to the driver
/// * `ulp`, `texel_ulp`: tolerances
/// * `skip`: a reason, its words joined by `_`
/// * a buffer argument: `small:N` (integers below N), `zero`, `any`, `iota` or `A,B,...` (these, then zeros);
///   `TYPE:FILL` also sets its type; `NAME.bytes` is its size
/// * `buffer_bytes`, `constant_bytes`: size of every buffer, and of those in constant memory
/// * `image_size`: `WIDTHxHEIGHT` of every image
/// * a value: numbers with commas, which its components take in turn; `TYPE:NUMBERS` for enumerations, which
///   have no element type of their own
/// * a local argument: its bytes
/// * an image: `float`, `half`, `bytes` (normalised), `int` or `uint`, then the number of channels (1, 2 or
///   4), `:FILL`, and `:WIDTHxHEIGHT` after that
/// * a sampler: `nearest` or `linear`, with `-normalized` at the end for normalised coordinates
#[derive(Default)]
pub struct Settings {
    lines: Vec<Line>,
}

/// Part of a path, kernel, and pairs of keys and values.
type Line = (String, String, Vec<(String, String)>);

impl Settings {
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let mut words = line.split_whitespace();
            let (Some(path), Some(kernel)) = (words.next(), words.next()) else {
                return Err(format!("bad setting: {line}"));
            };
            let pair = |w: &str| w.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()));
            let pairs: Option<Vec<_>> = words.map(pair).collect();
            settings.lines.push((
                path.into(),
                kernel.into(),
                pairs.ok_or_else(|| format!("bad setting: {line}"))?,
            ));
        }
        Ok(settings)
    }

    /// Texels of images that kernels access as floating-point numbers, unless a setting names them.
    pub fn set_texels(&mut self, texels: &str) -> Result<(), String> {
        PlannedImage::parse(texels, ':', [SIDE; 2])
            .ok_or_else(|| format!("{texels} is not a kind of texel"))?;
        self.lines.push((String::new(), "*".into(), vec![("texels".into(), texels.into())]));
        Ok(())
    }

    /// The value of a key for a kernel.
    pub fn get(&self, path: &str, kernel: &str, key: &str) -> Option<&str> {
        let fits = |(p, k, _): &&Line| path.contains(p.as_str()) && (k == "*" || k == kernel);
        let mut found =
            self.lines.iter().filter(fits).filter_map(|l| l.2.iter().rev().find(|(k, _)| k == key));
        found.next_back().map(|(_, v)| v.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_settings_win() {
        let s = Settings::parse("# comment\na/ * n=1 skip=x\na/b k n=2\n").ok();
        let get = |path, kernel, key| s.as_ref().and_then(|s| s.get(path, kernel, key));
        assert_eq!(get("a/b.cl", "k", "n"), Some("2"));
        assert_eq!(get("a/b.cl", "l", "n"), Some("1"));
        assert_eq!(get("a/b.cl", "k", "skip"), Some("x"));
        assert_eq!(get("c.cl", "k", "n"), None);
        assert!(Settings::parse("a k n").is_err());
    }
}
