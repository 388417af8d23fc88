//! JSON, as much of it as reports need: values, a writer and a reader. Numbers are doubles.

use std::fmt::Write;

/// A value; objects keep the order of their members.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// `null`, `true`, `false`: none of them is written, all are read.
    Other,
}

impl Value {
    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.iter().find(|m| m.0 == name).map(|m| &m.1),
            _ => None,
        }
    }
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }
    pub fn as_number(&self) -> Option<f64> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }
    pub fn as_list(&self) -> &[Value] {
        if let Value::List(list) = self { list } else { &[] }
    }

    /// The text of the value, one element of the outer lists a line.
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.put(&mut out, 0);
        out.push('\n');
        out
    }

    fn put(&self, out: &mut String, depth: usize) {
        let line = |out: &mut String, first: bool| {
            if !first {
                out.push(',');
            }
            out.push_str(if depth < 2 {
                "\n"
            } else if first {
                ""
            } else {
                " "
            });
        };
        match self {
            Value::Number(number) => {
                let _ = write!(out, "{number}");
            }
            Value::Text(text) => quote(text, out),
            Value::List(list) => {
                out.push('[');
                for (i, value) in list.iter().enumerate() {
                    line(out, i == 0);
                    value.put(out, depth + 1);
                }
                out.push(']');
            }
            Value::Object(members) => {
                out.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    line(out, i == 0);
                    quote(name, out);
                    out.push_str(": ");
                    value.put(out, depth + 1);
                }
                out.push('}');
            }
            Value::Other => out.push_str("null"),
        }
    }

    /// Reads a text; `None` if it is no JSON.
    pub fn read(text: &str) -> Option<Value> {
        let mut reader = Reader { rest: text };
        let value = reader.value(0)?;
        reader.blanks();
        reader.rest.is_empty().then_some(value)
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 32 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> Option<()> {
        self.blanks();
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > 64 {
            return None;
        }
        self.blanks();
        match self.rest.chars().next()? {
            '"' => self.string().map(Value::Text),
            '[' => {
                self.take("[")?;
                let mut list = Vec::new();
                while self.take("]").is_none() {
                    if !list.is_empty() {
                        self.take(",")?;
                    }
                    list.push(self.value(depth + 1)?);
                }
                Some(Value::List(list))
            }
            '{' => {
                self.take("{")?;
                let mut members = Vec::new();
                while self.take("}").is_none() {
                    if !members.is_empty() {
                        self.take(",")?;
                    }
                    self.blanks();
                    let name = self.string()?;
                    self.take(":")?;
                    members.push((name, self.value(depth + 1)?));
                }
                Some(Value::Object(members))
            }
            'n' | 't' | 'f' => {
                ["null", "true", "false"].into_iter().find_map(|word| self.take(word))?;
                Some(Value::Other)
            }
            _ => {
                let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(self.rest.len());
                let number = self.rest[..end].parse().ok()?;
                self.rest = &self.rest[end..];
                Some(Value::Number(number))
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let mut chars = self.rest.strip_prefix('"')?.char_indices();
        let mut out = String::new();
        loop {
            match chars.next()? {
                (at, '"') => {
                    self.rest = &self.rest[at + 2..];
                    return Some(out);
                }
                (_, '\\') => match chars.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    'u' => {
                        let mut code = 0;
                        for _ in 0..4 {
                            code = code * 16 + chars.next()?.1.to_digit(16)?;
                        }
                        out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                    c => out.push(c),
                },
                (_, c) => out.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let value = Value::Object(vec![
            ("a \"b\"\\".into(), Value::List(vec![Value::Number(-1.5), Value::text("x\n\u{1}é"), Value::Object(vec![])])),
            ("empty".into(), Value::List(vec![])),
        ]);
        assert_eq!(Value::read(&value.write()), Some(value));
        assert_eq!(
            Value::read(" [1e3 , null,true] "),
            Some(Value::List(vec![Value::Number(1000.0), Value::Other, Value::Other]))
        );
        for wrong in ["", "[", "[1 2]", "{\"a\" 1}", "\"", "[1] x", "nul"] {
            assert_eq!(Value::read(wrong), None, "{wrong}");
        }
        assert_eq!(Value::read(&"[".repeat(1000)), None);
    }
}
