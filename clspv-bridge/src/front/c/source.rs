//! Texts of a translation unit and positions in them.
//!
//! All buffers share one space of positions, so a position is four bytes and names its file. A token that
//! comes from a macro also names the expansion, from which diagnostics print the chain of macros.

use super::symbol::Symbol;
use std::sync::{Arc, OnceLock};

/// Byte position in the texts of a translation unit; 0 is not a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pos(pub u32);

/// Handle of a macro expansion; 0 for a token that is not from a macro.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ExpansionId(pub u32);

/// Location of a token: where it is spelled, and the macro expansion that produced it.
///
/// A token of a macro's argument keeps the location that it has where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Loc {
    pub pos: Pos,
    pub expansion: ExpansionId,
}

/// Expansion of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpansionData {
    pub name: Symbol,
    /// The macro's name where it is expanded.
    pub at: Loc,
    /// Last token of the invocation: the name, or the closing parenthesis.
    pub last: Loc,
}

/// Line, column and file of a position, with `#line` directives applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Presumed<'a> {
    pub file: &'a str,
    /// 1-based.
    pub line: u32,
    /// 1-based, in bytes.
    pub column: u32,
}

/// Handle of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferId(pub u32);

/// Effect of a `#line` directive on the lines after it.
#[derive(Debug)]
struct LineChange {
    /// 0-based physical line of the first line after the directive.
    physical: u32,
    /// Presumed line of that line.
    line: u32,
    file: Arc<str>,
}

/// A text: the source, or one inclusion of a file.
#[derive(Debug)]
struct Buffer {
    start: u32,
    name: Arc<str>,
    text: Arc<str>,
    /// The `#include` directive; no position for the source.
    includer: Pos,
    line_starts: OnceLock<Vec<u32>>,
    changes: Vec<LineChange>,
}

impl Buffer {
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let ends = bytes.iter().enumerate().filter(|(_, b)| matches!(b, b'\n' | b'\r'));
            let is_end = |(i, b): &(usize, &u8)| **b == b'\n' || bytes.get(i + 1) != Some(&b'\n');
            std::iter::once(0).chain(ends.filter(is_end).map(|(i, _)| i as u32 + 1)).collect()
        })
    }
    /// 0-based physical line of an offset.
    fn line_at(&self, offset: u32) -> u32 {
        (self.line_starts().partition_point(|start| *start <= offset) as u32).saturating_sub(1)
    }
    /// File and line that `#line` gives to a 0-based physical line.
    fn presumed(&self, physical: u32) -> (&str, u32) {
        let after = self.changes.partition_point(|c| c.physical <= physical);
        match after.checked_sub(1).and_then(|i| self.changes.get(i)) {
            Some(change) => (&change.file, change.line.wrapping_add(physical - change.physical)),
            None => (&self.name, physical + 1),
        }
    }
}

/// Maximum number of bytes of all buffers.
const MAX_BYTES: u32 = 1 << 26;

/// All texts of a translation unit, and the macro expansions in them.
#[derive(Debug)]
pub struct SourceMap {
    buffers: Vec<Buffer>,
    expansions: Vec<ExpansionData>,
}

impl Default for SourceMap {
    fn default() -> SourceMap {
        let none = ExpansionData { name: Symbol(0), at: Loc::default(), last: Loc::default() };
        SourceMap { buffers: Vec::new(), expansions: vec![none] }
    }
}

impl SourceMap {
    /// Adds a text; `None` if all texts together are too long.
    pub fn add(&mut self, name: Arc<str>, text: Arc<str>, includer: Pos) -> Option<BufferId> {
        let start = self.buffers.last().map_or(1, |b| b.start + b.text.len() as u32 + 1);
        let end = u32::try_from(text.len()).ok()?.checked_add(start)?;
        if end > MAX_BYTES {
            return None;
        }
        let id = BufferId(self.buffers.len() as u32);
        let (line_starts, changes) = (OnceLock::new(), Vec::new());
        self.buffers.push(Buffer { start, name, text, includer, line_starts, changes });
        Some(id)
    }

    /// Position of a buffer's first byte.
    pub fn start(&self, buffer: BufferId) -> Pos {
        Pos(self.buffers.get(buffer.0 as usize).map_or(0, |b| b.start))
    }

    fn buffer_at(&self, pos: Pos) -> Option<&Buffer> {
        let after = self.buffers.partition_point(|b| b.start <= pos.0);
        self.buffers.get(after.checked_sub(1)?)
    }

    /// Text from a position to the end of its buffer.
    pub fn text_at(&self, pos: Pos) -> &str {
        let text = self.buffer_at(pos).and_then(|b| b.text.get((pos.0 - b.start) as usize..));
        text.unwrap_or("")
    }

    /// The physical line that contains a position (without its end), and the offset of the position in it.
    pub fn line_text(&self, pos: Pos) -> (&str, usize) {
        let Some(buffer) = self.buffer_at(pos) else { return ("", 0) };
        let offset = pos.0 - buffer.start;
        let line = buffer.line_at(offset) as usize;
        let starts = buffer.line_starts();
        let start = starts.get(line).copied().unwrap_or(0) as usize;
        let end = starts.get(line + 1).map_or(buffer.text.len(), |e| *e as usize);
        let text = buffer.text.get(start..end).unwrap_or("");
        (text.trim_end_matches(['\n', '\r']), offset as usize - start)
    }

    /// File, line and column of a position; `None` for no position.
    pub fn presumed(&self, pos: Pos) -> Option<Presumed<'_>> {
        let buffer = self.buffer_at(pos)?;
        let offset = pos.0 - buffer.start;
        let physical = buffer.line_at(offset);
        let start = buffer.line_starts().get(physical as usize).copied().unwrap_or(0);
        let (file, line) = buffer.presumed(physical);
        Some(Presumed { file, line, column: offset - start + 1 })
    }

    /// Line of a location in the file where its outermost macro is expanded; 0 for no position.
    pub fn line(&self, loc: Loc) -> u32 {
        let pos = self.file_pos(loc);
        let line = |b: &Buffer| b.presumed(b.line_at(pos.0 - b.start)).1;
        self.buffer_at(pos).map_or(0, line)
    }

    /// The `#include` directive of the file that contains a position; no position in the source itself.
    pub fn includer(&self, pos: Pos) -> Pos {
        self.buffer_at(pos).map_or(Pos(0), |b| b.includer)
    }

    /// Whether two positions are on one line of one buffer.
    pub fn is_same_line(&self, a: Pos, b: Pos) -> bool {
        match (self.buffer_at(a), self.buffer_at(b)) {
            (Some(x), Some(y)) => x.start == y.start && x.line_at(a.0 - x.start) == x.line_at(b.0 - x.start),
            _ => false,
        }
    }

    /// Applies a `#line` directive at a position to the lines after it.
    pub fn change_line(&mut self, pos: Pos, line: u32, file: Option<Arc<str>>) {
        let after = self.buffers.partition_point(|b| b.start <= pos.0);
        if let Some(buffer) = after.checked_sub(1).and_then(|i| self.buffers.get_mut(i)) {
            let physical = buffer.line_at(pos.0 - buffer.start) + 1;
            let last = buffer.changes.last().map_or(&buffer.name, |c| &c.file);
            let file = file.unwrap_or_else(|| Arc::clone(last));
            buffer.changes.push(LineChange { physical, line, file });
        }
    }

    /// Records an expansion.
    pub fn add_expansion(&mut self, data: ExpansionData) -> ExpansionId {
        self.expansions.push(data);
        ExpansionId(self.expansions.len() as u32 - 1)
    }

    /// Data of an expansion; `None` for a token that is not from a macro.
    pub fn expansion(&self, id: ExpansionId) -> Option<ExpansionData> {
        if id.0 == 0 { None } else { self.expansions.get(id.0 as usize).copied() }
    }

    /// Position in a file: of the token itself, or of the outermost macro's name.
    pub fn file_pos(&self, loc: Loc) -> Pos {
        self.file_span(loc, loc).0
    }

    /// First and last position in a file of a range: of the tokens themselves, or of the invocations of the
    /// outermost macros.
    pub fn file_span(&self, first: Loc, last: Loc) -> (Pos, Pos) {
        let (mut first, mut last) = (first, last);
        while let Some(data) = self.expansion(first.expansion)
            && data.at.expansion < first.expansion
        {
            first = data.at;
        }
        while let Some(data) = self.expansion(last.expansion)
            && data.last.expansion < last.expansion
        {
            last = data.last;
        }
        (first.pos, last.pos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pos: Pos) -> Loc {
        Loc { pos, expansion: ExpansionId(0) }
    }

    #[test]
    fn positions_have_files_lines_and_columns() {
        let mut map = SourceMap::default();
        let main = map.add("main.cl".into(), "a\nbc\r\nd\re\n".into(), Pos(0)).unwrap();
        let start = map.start(main).0;
        let header = map.add("x.h".into(), "z".into(), Pos(start)).unwrap();
        let presumed = |map: &SourceMap, pos: u32| {
            map.presumed(Pos(pos)).map(|p| (p.file.to_owned(), p.line, p.column)).unwrap()
        };
        let positions: Vec<_> = (0..10).map(|i| presumed(&map, start + i)).map(|p| (p.1, p.2)).collect();
        let want = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (4, 1), (4, 2)];
        assert_eq!(positions, want);
        assert_eq!(presumed(&map, map.start(header).0), ("x.h".into(), 1, 1));
        assert_eq!(map.includer(map.start(header)), Pos(start));
        assert_eq!(map.line_text(Pos(start + 3)), ("bc", 1));
        map.change_line(Pos(start + 2), 100, Some("other".into()));
        assert_eq!(presumed(&map, start + 3), ("main.cl".into(), 2, 2));
        assert_eq!(presumed(&map, start + 8), ("other".into(), 101, 1));
        assert_eq!(map.presumed(Pos(0)), None);
        assert_eq!((map.line(at(Pos(start + 8))), map.line(Loc::default())), (101, 0));
    }

    #[test]
    fn tokens_of_macros_are_where_the_macro_is_expanded() {
        let mut map = SourceMap::default();
        map.add("main.cl".into(), "0123456789\n".into(), Pos(0)).unwrap();
        let data = |at: Loc, last| ExpansionData { name: Symbol(0), at, last };
        let outer = map.add_expansion(data(at(Pos(3)), at(Pos(5))));
        let body = |pos| Loc { pos: Pos(pos), expansion: outer };
        let inner = map.add_expansion(data(body(7), body(8)));
        let token = Loc { pos: Pos(1), expansion: inner };
        assert_eq!(map.file_pos(token), Pos(3));
        assert_eq!(map.file_span(token, token), (Pos(3), Pos(5)));
    }
}
