//! Files of `packaging/` with `@NAME@` in place of facts about the release.

use super::Release;
use super::files::FileSet;
use crate::book::links;
use time::OffsetDateTime;
use time::format_description::{self, well_known::Rfc2822};

/// Recipes for other distributions and machines: the template and the name of the result.
const RECIPES: [(&str, &str); 3] = [
    ("packaging/arch/PKGBUILD.in", "PKGBUILD"),
    ("packaging/rpm/pyroclast.spec.in", "pyroclast.spec"),
    ("packaging/container/Containerfile", "Containerfile"),
];

/// A file of the repository.
pub fn read(release: &Release, path: &str) -> Result<String, String> {
    std::fs::read_to_string(release.root.join(path)).map_err(|e| format!("{path}: {e}"))
}

/// A template, filled in. Fails for a name that has no value.
pub fn filled(release: &Release, path: &str, more: &[(&str, &str)]) -> Result<String, String> {
    let text = read(release, path)?;
    let known = [
        ("VERSION", release.version.as_str()),
        ("URL", release.url.as_str()),
        ("MAINTAINER", release.maintainer.as_str()),
    ];
    let values = known.iter().chain(more);
    let text = values.fold(text, |text, (name, value)| text.replace(&format!("@{name}@"), value));
    let is_name = |w: &&str| w.len() > 2 && w.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    match text.split('@').skip(1).find(is_name) {
        Some(name) => Err(format!("{path}: @{name}@ has no value")),
        None => Ok(text),
    }
}

/// All recipes.
pub fn recipes(release: &Release) -> Result<FileSet, String> {
    let mut files = FileSet::default();
    let date = rpm_date(release.epoch)?;
    for (template, name) in RECIPES {
        files.add(name, filled(release, template, &[("DATE", &date)])?);
    }
    let changelog = read(release, "CHANGELOG.md")?;
    files.add("RELEASE-NOTES.md", release_notes(&changelog, &release.version)?);
    Ok(files)
}

/// The section of a version in the changelog, or the newest one; links into the repository become text.
fn release_notes(changelog: &str, version: &str) -> Result<String, String> {
    let sections: Vec<&str> = changelog.split("\n## [").skip(1).collect();
    let section = sections.iter().find(|s| s.starts_with(&format!("{version}]"))).or(sections.first());
    let (_, text) = section.and_then(|s| s.split_once('\n')).ok_or("CHANGELOG.md has no sections")?;
    let text = links::rewrite(text, |target| links::is_external(target).then(|| target.to_string()));
    Ok(format!("# Pyroclast {version}\n\n{}\n", text.trim()))
}

/// A day as changelogs of RPM write it: "Tue Nov 24 2026".
fn rpm_date(epoch: u64) -> Result<String, String> {
    let format =
        format_description::parse_borrowed::<2>("[weekday repr:short] [month repr:short] [day] [year]");
    let format = format.map_err(|e| e.to_string())?;
    date(epoch)?.format(&format).map_err(|e| e.to_string())
}

/// A time as changelogs of Debian write it: "Tue, 24 Nov 2026 18:36:35 +0000".
pub fn mail_date(epoch: u64) -> Result<String, String> {
    date(epoch)?.format(&Rfc2822).map_err(|e| e.to_string())
}

fn date(epoch: u64) -> Result<OffsetDateTime, String> {
    let seconds = i64::try_from(epoch).map_err(|e| e.to_string())?;
    OffsetDateTime::from_unix_timestamp(seconds).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_a_section_of_the_changelog() {
        let changelog = "# Changelog\n\n## [0.2.0] - x\n\nnew, see [a](docs/a.md)\n\n## [0.1.0] - y\n\nold\n";
        assert_eq!(release_notes(changelog, "0.1.0").as_deref(), Ok("# Pyroclast 0.1.0\n\nold\n"));
        assert_eq!(release_notes(changelog, "9").as_deref(), Ok("# Pyroclast 9\n\nnew, see a\n"));
        assert!(release_notes("", "9").is_err());
    }

    #[test]
    fn dates_are_written_as_changelogs_have_them() {
        assert_eq!(mail_date(1_709_208_000).as_deref(), Ok("Thu, 29 Feb 2024 12:00:00 +0000"));
        assert_eq!(rpm_date(1_709_208_000).as_deref(), Ok("Thu Feb 29 2024"));
    }
}
