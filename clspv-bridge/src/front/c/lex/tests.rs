use super::*;
use crate::options::Options;
use std::fmt::Write;

/// Tokens of a text, in a form for tests: kind, flags (`^` first of a line, `_` after white space), text.
fn lexed(text: &str) -> String {
    let mut session = Session::new(&Options::default());
    let buffer = session.sources.add("t".into(), text.into(), Pos(0)).unwrap();
    let mut lexer = Lexer::new(text.into(), session.sources.start(buffer));
    let mut out = String::new();
    loop {
        let token = lexer.next(&mut session);
        if token.kind == TokenKind::End {
            let log: String = session.diagnostics.list.iter().map(|d| format!(" !{}", d.message)).collect();
            return out.trim_start().to_owned() + &log;
        }
        let flags = if token.at_line_start { "^" } else { "" };
        let space = if token.after_space { "_" } else { "" };
        let _ = write!(out, " {flags}{space}{:?}:{}", token.kind, token.text(&session.symbols));
    }
}

#[test]
fn every_kind_of_token() {
    assert_eq!(lexed("a  b\n  c"), "^Identifier:a _Identifier:b ^_Identifier:c");
    assert_eq!(lexed("0x1p+3.e-1+.5f"), "^Number:0x1p+3.e-1 Plus:+ Number:.5f");
    assert_eq!(lexed(r#""a\"b" L'x' '\'' L"#), r#"^Str:"a\"b" _Char:L'x' _Char:'\'' _Identifier:L"#);
    for p in [
        "(", ")", "[", "]", "{", "}", ".", "...", "->", "++", "--", "&", "*", "+", "-", "~", "!", "/", "%",
        "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "^", "|", "&&", "||", "?", ":", ";", "=", "*=", "/=",
        "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ",", "#", "##", "@",
    ] {
        let text = format!("x{p}y");
        let out = lexed(&text);
        assert!(out.starts_with("^Identifier:x ") && out.ends_with(&format!(":{p} Identifier:y")), "{out}");
        assert_eq!(out.split(' ').count(), 3, "{out}");
    }
    assert_eq!(lexed("..x"), "^Dot:. Dot:. Identifier:x");
    assert_eq!(
        lexed("<:<%:>%>%:%:%:%"),
        "^LBracket:<: LBrace:<% RBracket::> RBrace:%> HashHash:%:%: Hash:%: Percent:%"
    );
    assert_eq!(lexed("`é\u{ab}"), "^Unknown:` Identifier:é Unknown:\u{ab}");
}

#[test]
fn joined_lines_trigraphs_and_comments() {
    assert_eq!(lexed("ab\\\ncd 1\\\r\n2"), "^Identifier:abcd _Number:12");
    assert_eq!(lexed("+\\\n+ -\\\n\\\n>"), "^PlusPlus:++ _Arrow:->");
    assert_eq!(lexed("/\\\n/ x\ny"), "^Identifier:y");
    assert_eq!(lexed("a// x \\\n y\nb"), "^Identifier:a ^Identifier:b");
    assert_eq!(lexed("a/* \n * **/b/**/c"), "^Identifier:a _Identifier:b _Identifier:c");
    assert_eq!(lexed("/*a*\\\n/b"), "^_Identifier:b");
    assert_eq!(lexed("??=??( \"??'\" a??/\nb"), "^Hash:# LBracket:[ _Str:\"^\" _Identifier:ab");
    assert_eq!(lexed("\"a\\\nb\" '?' ? ??"), "^Str:\"ab\" _Char:'?' _Question:? _Question:? Question:?");
    assert_eq!(lexed("\u{feff}a\u{a0}b"), "^Identifier:a _Identifier:b");
    assert_eq!(lexed("\\u00e9x a\\u00e9"), "^Identifier:éx _Identifier:aé");
    assert_eq!(lexed("\\"), "^Unknown:\\");
    assert_eq!(lexed("a\\\n"), "^Identifier:a");
}

#[test]
fn defects_are_reported() {
    assert_eq!(lexed("a /* b"), "^Identifier:a !unterminated /* comment");
    assert_eq!(lexed("'ab\nc"), "^Unknown:'ab ^Identifier:c !missing terminating ' character");
    assert_eq!(lexed("\"ab\\\"\nc"), "^Unknown:\"ab\\\" ^Identifier:c !missing terminating '\"' character");
    assert_eq!(lexed("''"), "^Unknown:'' !empty character constant");
}

#[test]
fn skipping_finds_directives_only() {
    let directives = |text: &str| {
        let mut lexer = Lexer::new(text.into(), Pos(1));
        let mut session = Session::default();
        let mut names = Vec::new();
        while lexer.skip_to_directive() {
            let token = lexer.next(&mut session);
            names.push(token.text(&session.symbols).to_owned());
            lexer.end_directive();
        }
        names.join(" ")
    };
    assert_eq!(directives("#a\n x #b\n  # c\n"), "a c");
    assert_eq!(directives("/* #x\n#y */ #a\n// \\\n#b\n\"/*\"\n#c\n'/*\n#d"), "a c d");
    assert_eq!(directives("%:a\n??=b\nx\\\n#c\n\\\n#d\n%\\\n:e\n"), "a b d e");
    assert_eq!(directives("\"a\\\"\n#a\n'\\\n#b'\n#c"), "a c");
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "a", "1", "\\", "\n", "\r", "?", "??/", "\"", "'", "/", "*", "#", "é", "\u{2028}", " ", "<", "%",
        ":", ".", "L", "\\u00e9", "\0",
    ];
    let mut state = 1u32;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        lexed(&text);
        let mut lexer = Lexer::new(text.as_str().into(), Pos(1));
        while lexer.skip_to_directive() {
            lexer.rest_of_line();
            lexer.end_directive();
        }
    }
}
