//! Random sources as trees of text, so that parts can be removed while the rest stays a source.

use std::fmt::Write;

/// A statement or a declaration.
#[derive(Clone)]
pub enum Stmt {
    Line(String),
    Block { head: String, body: Vec<Stmt>, tail: String },
}

impl Stmt {
    /// A block that ends with a brace.
    pub fn block(head: impl Into<String>, body: Vec<Stmt>) -> Stmt {
        Stmt::Block { head: head.into(), body, tail: "}".into() }
    }

    /// A line.
    pub fn line(text: impl Into<String>) -> Stmt {
        Stmt::Line(text.into())
    }
}

/// Location of a statement: the indices in nested lists.
pub type Path = Vec<usize>;

/// Every statement but `return`, whose removal would leave a result undefined: outer ones first, and of those
/// the last ones first.
pub fn removable(list: &[Stmt]) -> Vec<Path> {
    fn walk(list: &[Stmt], at: &Path, out: &mut Vec<Path>) {
        for (i, stmt) in list.iter().enumerate().rev() {
            if matches!(stmt, Stmt::Line(text) if text.starts_with("return")) {
                continue;
            }
            let path: Path = at.iter().copied().chain([i]).collect();
            out.push(path.clone());
            if let Stmt::Block { body, .. } = stmt {
                walk(body, &path, out);
            }
        }
    }
    let mut out = Vec::new();
    walk(list, &Vec::new(), &mut out);
    out.sort_by_key(Vec::len);
    out
}

/// The list without a statement, or (`unwrap`) with the statements of a block instead of the block.
pub fn without(list: &[Stmt], path: &Path, unwrap: bool) -> Option<Vec<Stmt>> {
    let mut changed = list.to_vec();
    let (last, lists) = path.split_last()?;
    let mut list = &mut changed;
    for &i in lists {
        match list.get_mut(i)? {
            Stmt::Block { body, .. } => list = body,
            Stmt::Line(_) => return None,
        }
    }
    if *last >= list.len() {
        return None;
    }
    let inner = match list.remove(*last) {
        Stmt::Block { body, .. } if unwrap => body,
        _ if unwrap => return None,
        _ => Vec::new(),
    };
    list.splice(*last..*last, inner);
    Some(changed)
}

/// The text of a list.
pub fn print(list: &[Stmt], depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    for stmt in list {
        match stmt {
            Stmt::Line(text) => {
                let _ = writeln!(out, "{indent}{text}");
            }
            Stmt::Block { head, body, tail } => {
                let _ = writeln!(out, "{indent}{head}");
                print(body, depth + 1, out);
                let _ = writeln!(out, "{indent}{tail}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_removed() {
        let list = [Stmt::line("a;"), Stmt::block("if (b) {", vec![Stmt::line("c;"), Stmt::line("d;")])];
        assert_eq!(removable(&[Stmt::line("return a;")]), Vec::<Path>::new());
        assert_eq!(removable(&list), [vec![1], vec![0], vec![1, 1], vec![1, 0]]);
        let text = |list: &[Stmt]| {
            let mut out = String::new();
            print(list, 0, &mut out);
            out
        };
        let less = |path: &[usize], unwrap| without(&list, &path.to_vec(), unwrap).map(|l| text(&l));
        assert_eq!(less(&[1, 0], false).as_deref(), Some("a;\nif (b) {\n    d;\n}\n"));
        assert_eq!(less(&[1], true).as_deref(), Some("a;\nc;\nd;\n"));
        assert_eq!((less(&[0], true), less(&[2], false), less(&[0, 1], false)), (None, None, None));
    }
}
