//! Semantic analysis: scopes, declarations, types and constants, and the arenas that the typed tree grows in.
//!
//! The parser calls it with what it has read; nothing here reads tokens. Erroneous expressions have the type
//! [`types::ERROR`], about which nothing more is reported.

pub mod arithmetic;
pub mod assign;
mod block;
pub mod call;
mod cast;
pub mod class;
mod compare;
mod conditional;
pub mod constant;
pub mod convert;
pub mod declare;
pub mod derive;
mod enqueue;
mod flow;
pub mod functions;
pub mod initializer;
mod kernel;
mod layout;
pub mod literal;
mod mangle;
mod member;
mod pipe;
mod pointer;
pub mod predefined;
pub mod primary;
pub mod record;
mod restricted;
pub mod scope;
mod spaces;
pub mod spelling;
mod statement;
mod vector;

#[cfg(test)]
mod expr_tests;

use super::ast::*;
use super::language::Language;
use super::session::Session;
use super::source::Loc;
use super::symbol::Symbol;
use super::types::{self, AddressSpace, QualTy, Ty, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Binding, Scopes};

/// Function or block whose body is being checked.
#[derive(Debug)]
pub struct Body {
    /// `None` for a block.
    pub function: Option<FuncId>,
    /// Result type; `None` for a block whose `return` statements decide it.
    pub result: Option<QualTy>,
    /// Whether the first `return` of a block decided the result's type.
    is_deduced: bool,
    pub is_kernel: bool,
    /// Variables of this index on belong to this body or to one inside it.
    pub first_var: u32,
    /// Labels by [`LabelId`].
    pub labels: Vec<LabelState>,
    /// Captured variables of the enclosing body, and their copies ([`BlockLiteral::captures`]).
    pub captures: Vec<(VarId, VarId)>,
    label_ids: FxHashMap<Symbol, LabelId>,
    /// Enclosing loops, and enclosing loops and switches.
    loops: u32,
    breakables: u32,
    /// Enclosing switches, the innermost last.
    switches: Vec<Switch>,
}

impl Body {
    /// A body with this result type.
    pub fn new(result: Option<QualTy>) -> Body {
        Body {
            function: None,
            result,
            is_deduced: false,
            is_kernel: false,
            first_var: 0,
            labels: Vec::new(),
            captures: Vec::new(),
            label_ids: FxHashMap::default(),
            loops: 0,
            breakables: 0,
            switches: Vec::new(),
        }
    }
}

/// Label of a body.
#[derive(Clone, Copy, Debug)]
pub struct LabelState {
    pub name: Symbol,
    /// First use, or the definition.
    pub loc: Loc,
    pub is_defined: bool,
}

/// A `switch` statement whose body is being checked.
#[derive(Debug)]
struct Switch {
    /// Promoted type of the value; `None` after an error.
    arith: Option<types::Arith>,
    /// Values of the cases that have one.
    values: FxHashSet<u64>,
    /// Cases with ranges of values, as signed or unsigned numbers.
    ranges: Vec<(i128, i128)>,
    default: Option<Loc>,
}

/// Semantic analysis of a translation unit.
pub struct Sema<'s> {
    pub session: &'s mut Session,
    pub types: &'s mut Types,
    pub language: &'s Language,
    pub unit: Unit,
    /// First and last token of each expression, by its handle, for diagnostics.
    ranges: Vec<(Loc, Loc)>,
    pub scopes: Scopes,
    /// Bodies that enclose the current position, the innermost last.
    pub bodies: Vec<Body>,
    /// Whether `FP_CONTRACT` is on.
    pub contracts: bool,
    /// Whether records may have bit-fields (__cl_clang_bitfields).
    pub has_bit_fields: bool,
    /// Whether the operand is not evaluated: `sizeof`, `typeof`.
    pub unevaluated: u32,
    /// Records whose members are being read.
    open_records: Vec<types::RecordId>,
    /// Variables with constant values; numbers with the value.
    constants: FxHashMap<VarId, Option<constant::Value>>,
    /// Initializers that ranges of designators have made.
    range_elements: u64,
    /// First tokens of parameters.
    pub param_begins: FxHashMap<VarId, Loc>,
    /// Calls of declarations that have the prototype of a built-in function.
    redeclared: Vec<(ExprId, BuiltinId)>,
}

impl<'s> Sema<'s> {
    /// An analysis with the predefined types in scope.
    pub fn new(session: &'s mut Session, types: &'s mut Types, language: &'s Language) -> Sema<'s> {
        let mut sema = Sema {
            session,
            types,
            language,
            unit: Unit::default(),
            ranges: Vec::new(),
            scopes: Scopes::default(),
            bodies: Vec::new(),
            contracts: true,
            has_bit_fields: false,
            unevaluated: 0,
            open_records: Vec::new(),
            constants: FxHashMap::default(),
            range_elements: 0,
            param_begins: FxHashMap::default(),
            redeclared: Vec::new(),
        };
        sema.predefine();
        sema
    }

    /// Adds an expression.
    pub fn new_expr(&mut self, kind: ExprKind, ty: QualTy, is_lvalue: bool, loc: Loc) -> ExprId {
        self.unit.exprs.push(Expr { kind, ty, is_lvalue, loc });
        self.ranges.push((loc, loc));
        ExprId(self.unit.exprs.len() as u32 - 1)
    }

    /// Records the first and last token of an expression.
    pub fn set_range(&mut self, e: ExprId, first: Loc, last: Loc) {
        if let Some(range) = self.ranges.get_mut(e.0 as usize) {
            *range = (first, last);
        }
    }

    /// First and last token of an expression.
    pub fn range(&self, e: ExprId) -> (Loc, Loc) {
        self.ranges.get(e.0 as usize).copied().unwrap_or_default()
    }

    /// First token of an expression.
    pub fn begin(&self, e: ExprId) -> Loc {
        self.range(e).0
    }

    /// Gives an expression the tokens of another.
    pub fn copy_range(&mut self, to: ExprId, from: ExprId) {
        let (first, last) = self.range(from);
        self.set_range(to, first, last);
    }

    /// Reports an error at the first token of an expression, and underlines it.
    pub fn error_at(&mut self, e: ExprId, message: impl Into<String>) {
        let loc = self.begin(e);
        self.error(loc, message);
        self.underline_expr(e);
    }

    /// Underlines an expression in the last diagnostic.
    pub fn underline_expr(&mut self, e: ExprId) {
        let (first, last) = self.range(e);
        self.underline(first, last);
    }

    /// Adds a value of an unqualified type.
    pub fn new_value(&mut self, kind: ExprKind, ty: Ty, loc: Loc) -> ExprId {
        self.new_expr(kind, QualTy::plain(ty), false, loc)
    }

    /// Adds an integer constant, truncated to its type by the caller.
    pub fn new_int(&mut self, bits: u64, ty: Ty, loc: Loc) -> ExprId {
        self.new_value(ExprKind::Int(bits), ty, loc)
    }

    /// Adds an erroneous expression, about which an error has been reported.
    pub fn error_expr(&mut self, loc: Loc) -> ExprId {
        self.new_value(ExprKind::Error, types::ERROR, loc)
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        const MISSING: &Expr = &Expr {
            kind: ExprKind::Error,
            ty: QualTy::plain(types::ERROR),
            is_lvalue: false,
            loc: Loc { pos: super::source::Pos(0), expansion: super::source::ExpansionId(0) },
        };
        self.unit.exprs.get(id.0 as usize).unwrap_or(MISSING)
    }

    /// Type of an expression as written.
    pub fn ty(&self, id: ExprId) -> QualTy {
        self.expr(id).ty
    }

    /// Type of an expression without typedef names.
    pub fn canonical_ty(&self, id: ExprId) -> QualTy {
        self.types.canonical(self.expr(id).ty)
    }

    /// Whether an error has been reported about an expression.
    pub fn is_error(&self, id: ExprId) -> bool {
        self.canonical_ty(id).ty == types::ERROR
    }

    /// Adds a list of expressions.
    pub fn new_list(&mut self, items: &[ExprId]) -> ExprList {
        let start = self.unit.lists.len() as u32;
        self.unit.lists.extend_from_slice(items);
        ExprList { start, len: items.len() as u32 }
    }

    /// Adds a statement.
    pub fn new_stmt(&mut self, kind: StmtKind, loc: Loc) -> StmtId {
        self.unit.stmts.push(Stmt { kind, loc });
        StmtId(self.unit.stmts.len() as u32 - 1)
    }

    /// Adds a variable that is not in any scope yet, with the alignment of its type.
    pub fn new_var(&mut self, name: Option<Symbol>, ty: QualTy, storage: Storage, loc: Loc) -> VarId {
        let align = self.align_of(ty.ty).unwrap_or(1);
        let in_memory = self.is_memory_type(ty);
        let var = Variable {
            name,
            label: None,
            ty,
            storage,
            is_exported: false,
            init: None,
            align,
            in_memory,
            loc,
        };
        self.unit.vars.push(var);
        VarId(self.unit.vars.len() as u32 - 1)
    }

    /// Whether objects of a type are always in memory: arrays, records, and volatile objects.
    fn is_memory_type(&self, ty: QualTy) -> bool {
        let canonical = self.types.canonical(ty);
        let is_aggregate = matches!(
            self.types.kind(canonical.ty),
            types::TypeKind::Array(..) | types::TypeKind::Record(_) | types::TypeKind::Atomic(_)
        );
        is_aggregate || canonical.quals.is_volatile
    }

    /// A variable.
    pub fn var(&self, id: VarId) -> Option<&Variable> {
        self.unit.vars.get(id.0 as usize)
    }

    /// A variable, to change.
    pub fn var_mut(&mut self, id: VarId) -> Option<&mut Variable> {
        self.unit.vars.get_mut(id.0 as usize)
    }

    /// A function.
    pub fn function(&self, id: FuncId) -> Option<&FunctionDecl> {
        self.unit.functions.get(id.0 as usize)
    }

    /// Meaning of an ordinary identifier.
    pub fn lookup(&self, name: Symbol) -> Option<Binding> {
        self.scopes.lookup(name)
    }

    /// Functions of a name that the unit has declared: one, or the overloads.
    pub fn overloads(&self, name: Symbol) -> &[FuncId] {
        self.scopes.functions.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The innermost function or block that is being checked.
    pub fn body(&self) -> Option<&Body> {
        self.bodies.last()
    }

    /// The address space of pointees that have none written.
    pub fn pointee_space(&self) -> AddressSpace {
        if self.language.has_generic_space() { AddressSpace::Generic } else { AddressSpace::Private }
    }

    /// Reports an error.
    pub fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.session.diagnostics.error(loc, message);
    }

    /// Reports a warning of a group, such as "unused-value".
    pub fn warning(&mut self, group: &'static str, loc: Loc, message: impl Into<String>) {
        self.session.diagnostics.warning(group, loc, message);
    }

    /// Explains the last error or warning.
    pub fn note(&mut self, loc: Loc, message: impl Into<String>) {
        self.session.diagnostics.note(loc, message);
    }

    /// Adds what could stand at the location of the last diagnostic.
    pub fn suggest(&mut self, text: impl Into<String>) {
        self.session.diagnostics.suggest(text);
    }

    /// Underlines source in the last diagnostic.
    pub fn underline(&mut self, first: Loc, last: Loc) {
        self.session.diagnostics.underline(first, last);
    }

    /// Spelling of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.session.symbols.text(symbol)
    }

    /// Turns contraction off, for the enclosing function as a whole.
    pub fn set_no_contraction(&mut self) {
        self.contracts = false;
        self.note_contraction();
    }

    /// Records that the enclosing function has code without contraction.
    pub fn note_contraction(&mut self) {
        let function = self.bodies.iter().find_map(|body| body.function);
        if let Some(function) = function
            && !self.unit.no_contract.contains(&function)
        {
            self.unit.no_contract.push(function);
        }
    }

    /// The checked unit.
    pub fn finish(mut self) -> Unit {
        self.resolve_redeclared();
        self.unit
    }
}
