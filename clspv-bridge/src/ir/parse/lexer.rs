//! Lines and tokens of the text form, and a cursor over one line.

use super::{ParseError, Result};

/// A token. Numbers are words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Letters, digits and `_`, optionally after a minus sign.
    Word(String),
    Text(String),
    /// `@name` or `@"name"`, without the `@`.
    Symbol(String),
    Arrow,
    Punct(char),
}

/// The tokens of a non-empty line.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) tokens: Vec<Token>,
}

impl Line {
    pub(super) fn first_word(&self) -> Option<&str> {
        match self.tokens.first() {
            Some(Token::Word(w)) => Some(w),
            _ => None,
        }
    }
}

/// `N` of `<prefix>N`.
pub(super) fn entity_number(word: &str, prefix: &str) -> Option<usize> {
    let digits = word.strip_prefix(prefix)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

pub(super) fn lex(text: &str) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let tokens = lex_line(line).map_err(|message| ParseError { line: i + 1, message })?;
        if !tokens.is_empty() {
            lines.push(Line { number: i + 1, tokens });
        }
    }
    Ok(lines)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn lex_line(line: &str) -> std::result::Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(&c) = chars.peek() {
        match c {
            ';' => break,
            c if c.is_whitespace() => {
                chars.next();
            }
            '"' => {
                chars.next();
                tokens.push(Token::Text(lex_text(&mut chars)?));
            }
            '@' => {
                chars.next();
                if chars.next_if_eq(&'"').is_some() {
                    tokens.push(Token::Symbol(lex_text(&mut chars)?));
                } else {
                    let mut name = String::new();
                    while let Some(c) = chars.next_if(|c| is_word(*c) || matches!(c, '.' | '$')) {
                        name.push(c);
                    }
                    tokens.push(Token::Symbol(name));
                }
            }
            '-' => {
                chars.next();
                if chars.next_if_eq(&'>').is_some() {
                    tokens.push(Token::Arrow);
                } else {
                    let mut word = String::from("-");
                    while let Some(c) = chars.next_if(|c| is_word(*c)) {
                        word.push(c);
                    }
                    tokens.push(Token::Word(word));
                }
            }
            c if is_word(c) => {
                let mut word = String::new();
                while let Some(c) = chars.next_if(|c| is_word(*c)) {
                    word.push(c);
                }
                tokens.push(Token::Word(word));
            }
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | '.' => {
                chars.next();
                tokens.push(Token::Punct(c));
            }
            other => return Err(format!("unexpected character `{other}`")),
        }
    }
    Ok(tokens)
}

/// The rest of a quoted text.
fn lex_text(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> std::result::Result<String, String> {
    let mut text = String::new();
    loop {
        match chars.next() {
            None => return Err("text without end".into()),
            Some('"') => return Ok(text),
            Some('\\') => match chars.next() {
                Some('n') => text.push('\n'),
                Some(c @ ('"' | '\\')) => text.push(c),
                Some('u') => {
                    let digits: String =
                        chars.by_ref().skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
                    let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    text.push(c.ok_or("no such character")?);
                }
                _ => return Err("unknown escape".into()),
            },
            Some(c) => text.push(c),
        }
    }
}

/// A position in a line.
pub(super) struct Cursor<'a> {
    line: &'a Line,
    next: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a Line) -> Self {
        Cursor { line, next: 0 }
    }
    pub(super) fn number_of_line(&self) -> usize {
        self.line.number
    }
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError { line: self.line.number, message: message.into() })
    }
    fn peek(&self) -> Option<&'a Token> {
        self.line.tokens.get(self.next)
    }
    pub(super) fn at_end(&self) -> bool {
        self.next >= self.line.tokens.len()
    }
    pub(super) fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(t) => self.error(format!("unexpected {t:?} at the end")),
        }
    }
    pub(super) fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(w)) => Some(w),
            _ => None,
        }
    }
    /// Whether a later token of the line is this character.
    pub(super) fn has_punct(&self, p: char) -> bool {
        self.line.tokens.iter().skip(self.next).any(|t| *t == Token::Punct(p))
    }
    pub(super) fn word(&mut self) -> Result<&'a str> {
        match self.peek_word() {
            Some(w) => {
                self.next += 1;
                Ok(w)
            }
            None => self.error(format!("expected a word, found {}", self.describe())),
        }
    }
    fn describe(&self) -> String {
        self.peek().map_or("the end of the line".into(), |t| format!("{t:?}"))
    }
    pub(super) fn keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) {
            Ok(())
        } else {
            self.error(format!("expected `{word}`, found {}", self.describe()))
        }
    }
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        self.next += found as usize;
        found
    }
    pub(super) fn peek_punct(&self, p: char) -> bool {
        self.peek() == Some(&Token::Punct(p))
    }
    pub(super) fn eat_punct(&mut self, p: char) -> bool {
        let found = self.peek_punct(p);
        self.next += found as usize;
        found
    }
    pub(super) fn punct(&mut self, p: char) -> Result<()> {
        if self.eat_punct(p) {
            Ok(())
        } else {
            self.error(format!("expected `{p}`, found {}", self.describe()))
        }
    }
    pub(super) fn eat_arrow(&mut self) -> bool {
        let found = self.peek() == Some(&Token::Arrow);
        self.next += found as usize;
        found
    }
    pub(super) fn string(&mut self) -> Result<String> {
        match self.peek() {
            Some(Token::Text(t)) => {
                self.next += 1;
                Ok(t.clone())
            }
            _ => self.error(format!("expected a quoted text, found {}", self.describe())),
        }
    }
    pub(super) fn peek_symbol(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Symbol(s)) => Some(s),
            _ => None,
        }
    }
    pub(super) fn symbol(&mut self) -> Result<String> {
        match self.peek_symbol() {
            Some(s) => {
                self.next += 1;
                Ok(s.to_owned())
            }
            None => self.error(format!("expected `@name`, found {}", self.describe())),
        }
    }
    /// A decimal number.
    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let word = self.word()?;
        word.parse().or_else(|_| self.error(format!("`{word}` is not a number that fits here")))
    }
    /// A bit pattern: decimal (optionally negative) or hexadecimal.
    pub(super) fn bits(&mut self) -> Result<u64> {
        let word = self.word()?;
        let value = match word.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => word.parse::<u64>().ok().or_else(|| word.parse::<i64>().ok().map(|x| x as u64)),
        };
        value.map_or_else(|| self.error(format!("`{word}` is not a number")), Ok)
    }
}
