//! Mutations of source text, word by word: for `hostile.rs`.

use crate::mutate::Rng;

/// The words of a dictionary of libFuzzer: one in quotes a line, with the escapes `\"`, `\\` and `\x0A`.
pub fn dictionary(text: &str) -> Vec<String> {
    let words = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix('"'));
    words.map(unescaped).collect()
}

fn unescaped(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('\\') {
        out += &rest[..at];
        let escape = &rest[at + 1..];
        rest = match escape.strip_prefix("x0A") {
            Some(after) => {
                out.push('\n');
                after
            }
            None => {
                out.extend(escape.chars().next());
                escape.get(1..).unwrap_or("")
            }
        };
    }
    out + rest
}

/// Removes, moves and adds a few words of a source; some are from another source or the dictionary.
pub fn mutate_text(text: &str, other: &str, dictionary: &[String], rng: &mut Rng) -> String {
    let split = |text: &str| -> Vec<String> {
        let is_end = |c: char| !c.is_alphanumeric() && c != '_';
        text.split_inclusive(is_end).map(str::to_owned).collect()
    };
    let (mut words, other) = (split(text), split(other));
    for _ in 0..1 + rng.below(6) {
        let at = rng.below(words.len());
        match rng.below(5) {
            0 => drop(words.drain(at..(at + 1 + rng.below(8)).min(words.len()))),
            1 if !words.is_empty() => words.insert(at, words[rng.below(words.len())].clone()),
            2 if !other.is_empty() => {
                let from = rng.below(other.len());
                let part = other[from..(from + 1 + rng.below(40)).min(other.len())].to_vec();
                drop(words.splice(at..at, part));
            }
            3 if !words.is_empty() => {
                let to = rng.below(words.len());
                words.swap(at, to);
            }
            _ if !dictionary.is_empty() => {
                let word = &dictionary[rng.below(dictionary.len())];
                words.insert(at.min(words.len()), format!(" {word} "));
            }
            _ => {}
        }
    }
    words.concat()
}
