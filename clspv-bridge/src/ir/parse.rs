//! Parser of the text form: the inverse of [`super::print`].
//!
//! The form is line-oriented; `;` starts a comment. Value, block, slot and variable numbers of the text are
//! kept, so that parsing printed text and printing again returns the same text. Any input results in a module
//! or in an error with its line, never in a panic. The parser checks syntax and names; the verifier checks
//! the rest.

mod body;
mod lexer;

use super::EntityRef;
use super::entity::{FuncRef, Global};
use super::func::{Const, Frame, Function, Linkage, Signature};
use super::lanes::{CallExtent, VectorShape};
use super::module::{GlobalData, Module, Phase, Reloc};
use super::names::{Named, pointer_from_name, type_from_name};
use super::types::Type;
use crate::metadata::{ArgInfo, KernelInfo, TypeQualifiers};
use crate::printf::{PrintfArg, PrintfCall};
use lexer::{Cursor, Line, Token};
use rustc_hash::FxHashMap;
use std::fmt;

/// Highest number of a value, block, etc. in the text.
const MAX_INDEX: usize = 1 << 24;

/// A syntax error and its line (1-based).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a module.
pub fn parse_module(text: &str) -> Result<Module> {
    let lines = lexer::lex(text)?;
    // Functions may be called before they are defined.
    let mut names = FxHashMap::default();
    for line in lines.iter().filter(|l| l.first_word() == Some("func")) {
        let name =
            line.tokens.iter().find_map(|t| if let Token::Symbol(s) = t { Some(s.clone()) } else { None });
        let index = names.len();
        names.entry(name.unwrap_or_else(|| format!("?{index}"))).or_insert(FuncRef::new(index));
    }
    let mut module = Module::default();
    let mut rest = lines.as_slice();
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        let mut c = Cursor::new(line);
        match line.first_word() {
            Some("phase") => {
                c.word()?;
                module.phase = c.named::<Phase>()?;
                c.end()?;
            }
            Some("kernel") => {
                let end = closing(line, rest)?;
                module.kernels.push(parse_kernel(line, &rest[..end])?);
                rest = &rest[end + 1..];
            }
            Some("func") => {
                let mut func = parse_header(&mut c)?;
                if c.at_end() {
                    func.linkage = Linkage::Import;
                } else {
                    c.punct('{')?;
                    c.end()?;
                    let end = closing(line, rest)?;
                    body::parse_body(&mut func, &rest[..end], &names)?;
                    rest = &rest[end + 1..];
                }
                module.functions.push(func);
            }
            _ => {
                let index = c.entity("g")?;
                if index != module.globals.len() {
                    return c
                        .error(format!("globals are numbered in order; this is g{}", module.globals.len()));
                }
                let global = parse_global(&mut c)?;
                module.globals.push(global);
            }
        }
    }
    Ok(module)
}

/// A call with constant arguments and the expected results: `@f(i32 1, f32x2 [0, 0]) == i32 3`.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCall {
    pub function: String,
    pub args: Vec<Const>,
    /// Empty if the test does not give any.
    pub results: Vec<Const>,
}

/// Parses a call in the form used by tests; lane values of floats are bit patterns.
pub fn parse_call(text: &str) -> Result<TestCall> {
    let lines = lexer::lex(text)?;
    let Some(line) = lines.first() else { return Err(ParseError { line: 1, message: "no call".into() }) };
    let c = &mut Cursor::new(line);
    let function = c.symbol()?;
    c.punct('(')?;
    let (mut args, mut results) = (Vec::new(), Vec::new());
    while !c.eat_punct(')') {
        if !args.is_empty() {
            c.punct(',')?;
        }
        args.push(body::parse_constant(c)?);
    }
    if c.eat_punct('=') {
        c.punct('=')?;
        while !c.at_end() {
            if !results.is_empty() {
                c.punct(',')?;
            }
            results.push(body::parse_constant(c)?);
        }
    }
    c.end()?;
    Ok(TestCall { function, args, results })
}

/// Index of the line that is `}`.
fn closing(open: &Line, lines: &[Line]) -> Result<usize> {
    let end = lines.iter().position(|l| l.tokens == [Token::Punct('}')]);
    end.ok_or_else(|| ParseError { line: open.number, message: "no closing `}`".into() })
}

fn parse_header(c: &mut Cursor<'_>) -> Result<Function> {
    c.keyword("func")?;
    let linkage = match c.peek_word() {
        Some(_) => c.named::<Linkage>()?,
        None => Linkage::Internal,
    };
    let name = c.symbol()?;
    let mut sig = Signature { params: c.type_list()?, results: Vec::new() };
    if c.eat_arrow() {
        sig.results = if c.peek_punct('(') { c.type_list()? } else { vec![c.ty()?] };
    }
    let mut func = Function::new(&name, sig, linkage);
    if c.eat_word("kernel") {
        func.kernel = Some(c.number()?);
    }
    func.extent = match c.peek_word() {
        Some("vector") => CallExtent::Vector(parse_shape(c)?),
        Some("group") => CallExtent::WorkGroup(parse_shape(c)?),
        _ => CallExtent::WorkItem,
    };
    if c.eat_word("frame") {
        let (start, end) = (c.number()?, c.number()?);
        func.frame = Some(Frame { start, end, per_vector: c.eat_word("per_vector") });
    }
    Ok(func)
}

/// `vector` or `group`, the width, and attributes.
fn parse_shape(c: &mut Cursor<'_>) -> Result<VectorShape> {
    c.word()?;
    let width = c.number()?;
    Ok(VectorShape { width, linear: c.eat_word("linear"), whole: c.eat_word("whole") })
}

fn parse_global(c: &mut Cursor<'_>) -> Result<GlobalData> {
    c.punct('=')?;
    c.keyword("global")?;
    let name = c.symbol()?;
    let space = c.named()?;
    let linkage = c.named()?;
    c.keyword("size")?;
    let size = c.number()?;
    c.keyword("align")?;
    let align = c.number()?;
    let mut g =
        GlobalData { name, space, linkage, size, align, init: None, relocs: Vec::new(), readonly: false };
    while !c.at_end() {
        match c.word()? {
            "readonly" => g.readonly = true,
            "init" => g.init = Some(parse_init(c)?),
            "reloc" => {
                let offset = c.number()?;
                let target = Global::new(c.entity("g")?);
                g.relocs.push(Reloc { offset, target, addend: c.number()? });
            }
            other => return c.error(format!("unknown attribute `{other}`")),
        }
    }
    Ok(g)
}

fn parse_init(c: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if c.eat_word("empty") {
        return Ok(bytes);
    }
    if c.peek_word() != Some("zeros") {
        let word = c.word()?;
        let digits: Option<Vec<u8>> = word.chars().map(|d| d.to_digit(16).map(|d| d as u8)).collect();
        match digits {
            Some(d) if d.len() % 2 == 0 => bytes.extend(d.chunks_exact(2).map(|p| p[0] << 4 | p[1])),
            _ => return c.error("contents must be pairs of hexadecimal digits"),
        }
    }
    if c.eat_word("zeros") {
        let n: usize = c.number()?;
        if n > 1 << 30 {
            return c.error("too large");
        }
        bytes.resize(bytes.len() + n, 0);
    }
    Ok(bytes)
}

fn parse_kernel(head: &Line, lines: &[Line]) -> Result<KernelInfo> {
    let mut c = Cursor::new(head);
    c.keyword("kernel")?;
    let mut k = KernelInfo { name: c.string()?, ..KernelInfo::default() };
    c.keyword("args_size")?;
    k.args_size = c.number()?;
    while !c.peek_punct('{') {
        match c.word()? {
            "arg_info" => k.has_arg_info = true,
            "reqd_size" => k.reqd_work_group_size = Some([c.number()?, c.number()?, c.number()?]),
            "size_hint" => k.work_group_size_hint = Some([c.number()?, c.number()?, c.number()?]),
            "vec_hint" => k.vec_type_hint = Some(c.string()?),
            "sub_group_size" => k.reqd_sub_group_size = Some(c.number()?),
            "sub_groups" => k.reqd_sub_groups = Some(c.number()?),
            "attributes" => k.attributes = c.string()?,
            other => return c.error(format!("unknown attribute `{other}`")),
        }
    }
    c.punct('{')?;
    c.end()?;
    for line in lines {
        match line.first_word() {
            Some("printf") => k.printf.push(parse_printf(&mut Cursor::new(line))?),
            _ => k.args.push(parse_arg(&mut Cursor::new(line))?),
        }
    }
    Ok(k)
}

fn parse_printf(c: &mut Cursor<'_>) -> Result<PrintfCall> {
    fn text(c: &mut Cursor<'_>) -> Result<Vec<u8>> {
        let text = c.string()?;
        let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
        bytes.map_or_else(|| c.error("a string of characters beyond 255"), Ok)
    }
    c.keyword("printf")?;
    let mut call = PrintfCall { format: None, args: Vec::new() };
    if c.peek_word() == Some("address") {
        c.word()?;
    } else {
        call.format = Some(text(c)?);
    }
    while !c.at_end() {
        call.args.push(match c.word()? {
            "int" => PrintfArg::Int { bits: c.number()?, lanes: c.number()? },
            "float" => PrintfArg::Float { bits: c.number()?, lanes: c.number()? },
            "pointer" => PrintfArg::Pointer,
            "text" => PrintfArg::Text(text(c)?),
            other => return c.error(format!("unknown operand `{other}`")),
        });
    }
    Ok(call)
}

fn parse_arg(c: &mut Cursor<'_>) -> Result<ArgInfo> {
    c.keyword("arg")?;
    let kind = c.named()?;
    c.keyword("size")?;
    let size = c.number()?;
    c.keyword("align")?;
    let align = c.number()?;
    c.keyword("offset")?;
    let offset = c.number()?;
    c.keyword("name")?;
    let name = c.string()?;
    c.keyword("type")?;
    let type_name = c.string()?;
    let address = c.named()?;
    let access = c.named()?;
    let mut qualifiers = TypeQualifiers::default();
    while !c.at_end() {
        match c.word()? {
            "const" => qualifiers.is_const = true,
            "restrict" => qualifiers.is_restrict = true,
            "volatile" => qualifiers.is_volatile = true,
            "pipe" => qualifiers.is_pipe = true,
            other => return c.error(format!("unknown qualifier `{other}`")),
        }
    }
    Ok(ArgInfo { kind, size, align, offset, name, type_name, address, access, qualifiers, image: None })
}

impl Cursor<'_> {
    /// A type.
    fn ty(&mut self) -> Result<Type> {
        let word = self.word()?;
        let ty = if word == "ptr" {
            self.punct('.')?;
            pointer_from_name(self.word()?)
        } else {
            type_from_name(word)
        };
        ty.map_or_else(|| self.error(format!("`{word}` is not a type")), Ok)
    }
    /// `(T, T, ...)`
    fn type_list(&mut self) -> Result<Vec<Type>> {
        self.punct('(')?;
        let mut types = Vec::new();
        while !self.eat_punct(')') {
            if !types.is_empty() {
                self.punct(',')?;
            }
            types.push(self.ty()?);
        }
        Ok(types)
    }
    /// A member of an enumeration.
    fn named<T: Named>(&mut self) -> Result<T> {
        let word = self.word()?;
        T::from_name(word).map_or_else(|| self.error(format!("unexpected `{word}`")), Ok)
    }
    /// The number of an entity name such as `block12`.
    fn entity(&mut self, prefix: &str) -> Result<usize> {
        let word = self.word()?;
        let index = lexer::entity_number(word, prefix).filter(|n| *n < MAX_INDEX);
        index.map_or_else(|| self.error(format!("expected `{prefix}N`, found `{word}`")), Ok)
    }
}

#[cfg(test)]
mod tests;
