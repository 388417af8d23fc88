//! Diagnostics as text: message, source line, caret, ranges, and the macros and files that led there.

use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::lex::scan::scan;
use super::source::{ExpansionId, Loc, Pos, SourceMap};
use super::symbol::Symbols;
use std::fmt::Write;

/// Width of a tab stop in source lines.
const TAB: usize = 8;

/// Longest source line that is printed, in columns.
const MAX_LINE: usize = 400;

/// Number of notes about macros of one diagnostic; those in the middle are left out.
const MAX_MACROS: usize = 6;

/// Text of all diagnostics.
pub fn render(sources: &SourceMap, symbols: &Symbols, diagnostics: &Diagnostics) -> String {
    let mut out = Renderer { sources, symbols, text: String::new(), includer: Pos(0), last: None };
    for diagnostic in &diagnostics.list {
        out.diagnostic(diagnostic);
    }
    if diagnostics.has_more() {
        out.text.push_str("fatal error: too many errors emitted, stopping now [-ferror-limit=]\n");
    }
    let (errors, warnings) = diagnostics.counts();
    let counted = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let counts: Vec<String> =
        [counted(warnings, "warning"), counted(errors, "error")].into_iter().flatten().collect();
    if !counts.is_empty() {
        let _ = writeln!(out.text, "{} generated.", counts.join(" and "));
    }
    out.text
}

/// Printer of diagnostics, with what it printed last.
struct Renderer<'s> {
    sources: &'s SourceMap,
    symbols: &'s Symbols,
    text: String,
    /// The `#include` directive that was printed last.
    includer: Pos,
    /// Position and kind of the last message.
    last: Option<(Pos, bool)>,
}

impl Renderer<'_> {
    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        let kind = match diagnostic.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal error",
        };
        let group = match (diagnostic.group, diagnostic.is_promoted) {
            ("", false) => String::new(),
            ("", true) => " [-Werror]".to_owned(),
            (group, false) => format!(" [-W{group}]"),
            (group, true) => format!(" [-Werror,-W{group}]"),
        };
        let sources = self.sources;
        let pos = sources.file_pos(diagnostic.loc);
        let is_note = diagnostic.severity == Severity::Note;
        if pos != Pos(0) && !is_note {
            self.includers(pos);
        }
        self.message(pos, kind, &format!("{}{group}", diagnostic.message));
        // Each position is shown once.
        let is_repeated = diagnostic.ranges.is_empty() && self.last == Some((pos, is_note));
        self.last = Some((pos, is_note));
        if pos != Pos(0) && !is_repeated {
            let spans = diagnostic.ranges.iter().map(|(a, b)| sources.file_span(*a, *b));
            let spans: Vec<(Pos, Pos)> = spans.collect();
            self.snippet(pos, &spans, diagnostic);
            self.macros(diagnostic);
        }
    }

    /// "In file included from" lines for a position, unless they were printed last.
    fn includers(&mut self, pos: Pos) {
        let sources = self.sources;
        let direct = sources.includer(pos);
        if direct == self.includer {
            return;
        }
        self.includer = direct;
        let mut at = direct;
        let mut depth = 0;
        while at != Pos(0) && depth < 200 {
            if let Some(p) = sources.presumed(at) {
                let _ = writeln!(self.text, "In file included from {}:{}:", p.file, p.line);
            }
            at = sources.includer(at);
            depth += 1;
        }
    }

    fn message(&mut self, pos: Pos, kind: &str, message: &str) {
        if let Some(p) = self.sources.presumed(pos) {
            let _ = write!(self.text, "{}:{}:{}: ", p.file, p.line, p.column);
        }
        let _ = writeln!(self.text, "{kind}: {message}");
    }

    /// The source line of a position, with a caret below it and the spans underlined. The name that an error
    /// or a warning is about is underlined, too. Below the caret is what could stand there.
    fn snippet(&mut self, pos: Pos, spans: &[(Pos, Pos)], of: &Diagnostic) {
        let sources = self.sources;
        let Some(presumed) = sources.presumed(pos) else { return };
        let (line, offset) = sources.line_text(pos);
        let (shown, columns) = expand(line);
        if shown.chars().count() > MAX_LINE {
            return;
        }
        let column = |offset: usize| columns.get(offset).copied().unwrap_or(shown.chars().count());
        let mut marks = vec![b' '; column(line.len()).max(column(offset)) + 1];
        let line_start = pos.0 - offset as u32;
        let line_end = line_start + line.len() as u32;
        for (first, last) in spans {
            let end = last.0 + token_len(sources, *last) as u32;
            if end <= line_start || first.0 > line_end || first > last {
                continue;
            }
            let from = column(first.0.saturating_sub(line_start) as usize);
            let to = column((end.min(line_end) - line_start) as usize);
            marks.iter_mut().take(to).skip(from).for_each(|m| *m = b'~');
        }
        if of.severity != Severity::Note {
            let end = column(offset + name_len(&line[offset.min(line.len())..]));
            marks.resize(marks.len().max(end), b' ');
            marks.iter_mut().take(end).skip(column(offset)).for_each(|m| *m = b'~');
        }
        if let Some(mark) = marks.get_mut(column(offset)) {
            *mark = b'^';
        }
        let marks = String::from_utf8_lossy(&marks);
        let number = presumed.line.to_string();
        let width = number.len().max(4) + 1;
        let _ = writeln!(self.text, "{number:>width$} | {shown}");
        let _ = writeln!(self.text, "{:>width$} | {}", "", marks.trim_end());
        if let Some(hint) = &of.hint {
            let _ = writeln!(self.text, "{:>width$} | {:indent$}{hint}", "", "", indent = column(offset));
        }
    }

    /// Notes about the macros that a location comes from, outermost first.
    fn macros(&mut self, diagnostic: &Diagnostic) {
        let sources = self.sources;
        let mut chain: Vec<(Loc, ExpansionId)> = Vec::new();
        let mut loc = diagnostic.loc;
        while let Some(data) = sources.expansion(loc.expansion)
            && data.at.expansion < loc.expansion
        {
            chain.push((loc, loc.expansion));
            loc = data.at;
        }
        chain.reverse();
        let hidden = chain.len().saturating_sub(MAX_MACROS);
        for (i, (loc, expansion)) in chain.iter().enumerate() {
            if hidden > 0 && i == MAX_MACROS / 2 {
                let text = format!("(skipping {hidden} expansions in backtrace)");
                self.message(Pos(0), "note", &text);
            }
            if i >= MAX_MACROS / 2 && i < MAX_MACROS / 2 + hidden {
                continue;
            }
            let name = sources.expansion(*expansion).map(|d| self.symbols.text(d.name));
            self.message(loc.pos, "note", &format!("expanded from macro '{}'", name.unwrap_or("")));
            let span = |(first, last): &(Loc, Loc)| {
                Some((within(sources, *first, *expansion, false)?, within(sources, *last, *expansion, true)?))
            };
            let spans: Vec<(Pos, Pos)> = diagnostic.ranges.iter().filter_map(span).collect();
            self.snippet(loc.pos, &spans, &Diagnostic { hint: None, ..diagnostic.clone() });
        }
    }
}

/// Position in a macro's body of a location that comes from the macro, perhaps through others; of the end of
/// their invocations for the last location of a range.
fn within(sources: &SourceMap, loc: Loc, expansion: ExpansionId, is_last: bool) -> Option<Pos> {
    let mut loc = loc;
    while loc.expansion > expansion {
        let data = sources.expansion(loc.expansion)?;
        let next = if is_last { data.last } else { data.at };
        if next.expansion >= loc.expansion {
            return None;
        }
        loc = next;
    }
    (loc.expansion == expansion).then_some(loc.pos)
}

/// Length of the name at the start of a text; 0 if there is none.
fn name_len(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) { 0 } else { end }
}

/// Length of the token at a position; 1 where there is none.
fn token_len(sources: &SourceMap, pos: Pos) -> usize {
    let found = scan(sources.text_at(pos), 0, false, true);
    if found.start == 0 { found.end.max(1) } else { 1 }
}

/// A line with tabs as blanks and other control characters as `?`, and the column of each byte.
fn expand(line: &str) -> (String, Vec<usize>) {
    let mut shown = String::new();
    let mut columns = Vec::with_capacity(line.len() + 1);
    let mut column = 0;
    for c in line.chars() {
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        columns.extend(std::iter::repeat_n(column, c.len_utf8()));
        match c {
            '\t' => shown.extend(std::iter::repeat_n(' ', width)),
            c if c.is_control() => shown.push('?'),
            c => shown.push(c),
        }
        column += width;
    }
    columns.push(column);
    (shown, columns)
}
