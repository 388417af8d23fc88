//! Calls: of functions of the program with overload resolution, of built-in functions, and of blocks; and
//! what identifiers mean in expressions.

use super::Sema;
use super::class::Class;
use super::convert::Context;
use super::scope::Binding;
use crate::front::c::ast::{BuiltinId, ExprId, ExprKind, FuncId, VarId};
use crate::front::c::builtins::{self, ArgType, BuiltinExpansion, BuiltinSignature, NoMatch, Resolved};
use crate::front::c::overload::{Choice, Ranks, choose, rank, ranks};
use crate::front::c::source::Loc;
use crate::front::c::symbol::Symbol;
use crate::front::c::types::{self, AddressSpace, Arith, FunctionType, QualTy, TypeKind};
use crate::ir::Space;

/// Signatures that a diagnostic lists.
const MAX_CANDIDATES: usize = 8;

/// Why a candidate with another number of parameters is not viable.
fn wrong_count(wanted: usize, passed: usize) -> String {
    let word = if wanted == 1 { "argument" } else { "arguments" };
    let were = if passed == 1 { "was" } else { "were" };
    format!("requires {wanted} {word}, but {passed} {were} provided")
}

/// A call by name.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    pub name: Symbol,
    pub loc: Loc,
    /// Parentheses.
    pub open: Loc,
    pub close: Loc,
}

impl Sema<'_> {
    /// An identifier that is not called.
    pub fn identifier(&mut self, name: Symbol, loc: Loc) -> ExprId {
        match self.lookup(name) {
            Some(Binding::Var(var)) => self.variable(var, loc),
            Some(Binding::Function(_)) => {
                self.error(loc, "taking address of function is not allowed");
                self.error_expr(loc)
            }
            Some(Binding::Constant { value, ty }) => self.new_int(value, ty, loc),
            Some(Binding::Typedef(_)) => {
                let text = format!("unexpected type name '{}': expected expression", self.text(name));
                self.error(loc, text);
                self.error_expr(loc)
            }
            Some(Binding::Error) => self.error_expr(loc),
            None => self.undeclared(name, loc),
        }
    }

    /// A variable; those of enclosing bodies are captured by blocks.
    fn variable(&mut self, var: VarId, loc: Loc) -> ExprId {
        let of = var;
        let var = self.captured(of);
        self.check_capture(of, var, loc);
        let ty = self.var(var).map_or(QualTy::plain(types::ERROR), |v| v.ty);
        self.new_expr(ExprKind::Var(var), ty, true, loc)
    }

    fn undeclared(&mut self, name: Symbol, loc: Loc) -> ExprId {
        let text = self.text(name).to_owned();
        if builtins::block_function(&text, self.language).is_some() {
            self.error(loc, "builtin functions must be directly called");
            return self.error_expr(loc);
        }
        if builtins::is_builtin(&text, self.language) {
            self.error(
                loc,
                "reference to overloaded function could not be resolved; did you mean to call it?",
            );
            return self.error_expr(loc);
        }
        let known = builtins::table::rows().iter().filter(|row| row.is_in(self.language)).map(|row| row.name);
        let is_value = |name: &Symbol| {
            let binding = self.lookup(*name);
            matches!(binding, Some(Binding::Var(_) | Binding::Function(_) | Binding::Constant { .. }))
        };
        let visible = self.scopes.visible().filter(is_value).map(|s| self.text(s));
        let similar = most_similar(&text, visible.chain(known)).map(str::to_owned);
        match similar {
            Some(similar) => {
                self.error(loc, format!("use of undeclared identifier '{text}'; did you mean '{similar}'?"));
                self.suggest(similar.as_str());
                let symbol = self.scopes.visible().find(|s| self.text(*s) == similar);
                if let Some(declared) = symbol.and_then(|s| self.scopes.entry(s)).map(|entry| entry.loc) {
                    self.note(declared, format!("'{similar}' declared here"));
                }
            }
            None => self.error(loc, format!("use of undeclared identifier '{text}'")),
        }
        self.error_expr(loc)
    }

    /// A call of what a name means.
    pub fn call_name(&mut self, callee: Callee, args: &[ExprId]) -> ExprId {
        let result = match self.lookup(callee.name) {
            Some(Binding::Function(function)) => self.call_function(callee, function, args),
            None => self.call_builtin(callee, args),
            Some(_) => {
                let value = self.identifier(callee.name, callee.loc);
                self.call_value(value, args, callee.open, callee.close)
            }
        };
        self.set_range(result, callee.loc, callee.close);
        result
    }

    /// A call of an expression's value: a block.
    pub fn call_value(&mut self, callee: ExprId, args: &[ExprId], open: Loc, close: Loc) -> ExprId {
        let loc = self.begin(callee);
        let v = self.value(callee);
        let result = match self.class_of(v) {
            Class::Error => v,
            Class::Block(function) => self.call_block(v, function, args, close),
            _ => {
                let ty = self.quoted(QualTy::plain(self.unqualified(self.ty(callee))));
                let text = format!("called object type {ty} is not a function or function pointer");
                self.error(open, text);
                self.underline_expr(callee);
                self.error_expr(loc)
            }
        };
        self.set_range(result, loc, close);
        result
    }

    fn call_block(&mut self, block: ExprId, function: types::Ty, args: &[ExprId], close: Loc) -> ExprId {
        let loc = self.expr(block).loc;
        let Some(ty) = self.function_kind(function) else {
            return self.error_expr(loc);
        };
        if !self.check_count("block", ty.params.len(), args, loc, close) {
            return self.error_expr(loc);
        }
        let values: Vec<ExprId> = args
            .iter()
            .zip(&ty.params)
            .map(|(arg, to)| self.convert(*arg, *to, Context::Argument(None)))
            .collect();
        if values.iter().any(|v| self.is_error(*v)) {
            return self.error_expr(loc);
        }
        let args = self.new_list(&values);
        let result = self.unqualified(ty.result);
        self.new_value(ExprKind::CallBlock { block, args }, result, loc)
    }

    /// Reports a wrong number of arguments.
    pub(super) fn check_count(
        &mut self,
        what: &str,
        wanted: usize,
        args: &[ExprId],
        loc: Loc,
        close: Loc,
    ) -> bool {
        let count = args.len();
        if count == wanted {
            return true;
        }
        if count < wanted {
            let text = format!("too few arguments to {what} call, expected {wanted}, have {count}");
            self.error(close, text);
            self.underline(loc, loc);
        } else {
            let extra = args.get(wanted).copied();
            let at = extra.map_or(close, |e| self.begin(e));
            let text = format!("too many arguments to {what} call, expected {wanted}, have {count}");
            self.error(at, text);
            if let (Some(first), Some(last)) = (extra, args.last().copied()) {
                let (first, last) = (self.begin(first), self.range(last).1);
                self.underline(first, last);
            }
        }
        false
    }

    /// A function's type as written.
    pub(super) fn function_kind(&self, ty: types::Ty) -> Option<FunctionType> {
        match self.types.kind(self.shallow(QualTy::plain(ty)).ty) {
            TypeKind::Function(function) => Some(function.clone()),
            _ => None,
        }
    }

    /// Prototype of a function.
    fn prototype(&self, function: FuncId) -> Option<FunctionType> {
        self.function_kind(self.function(function)?.ty)
    }

    fn call_function(&mut self, callee: Callee, function: FuncId, args: &[ExprId]) -> ExprId {
        let candidates = self.overloads(callee.name).to_vec();
        let is_overloadable = self.function(function).is_some_and(|f| f.is_overloadable && !f.is_kernel);
        if candidates.len() <= 1 && !is_overloadable {
            return self.call_one(callee, function, args);
        }
        let values: Vec<ExprId> = args.iter().map(|arg| self.value(*arg)).collect();
        if values.iter().any(|v| self.is_error(*v)) {
            return self.error_expr(callee.loc);
        }
        let arg_types: Vec<ArgType> = values.iter().map(|v| self.arg_type(*v)).collect();
        let found: Vec<Option<Ranks>> = candidates
            .iter()
            .map(|id| {
                let ty = self.prototype(*id)?;
                let fits = ty.params.len() == args.len();
                if fits { ranks(self.types, &arg_types, &ty.params) } else { None }
            })
            .collect();
        let choice = choose(&found);
        // A program may add overloads to a built-in function.
        if let Some(resolved) = self.better_builtin(callee.name, &arg_types, &found, &choice) {
            return self.builtin_node(callee, resolved, args);
        }
        match choice {
            Choice::One(index) => match candidates.get(index) {
                Some(id) => {
                    let call = self.call_one(callee, *id, args);
                    if let Some(builtin) = self.same_builtin(callee.name, *id, &arg_types) {
                        self.redeclared.push((call, builtin));
                    }
                    call
                }
                None => self.error_expr(callee.loc),
            },
            Choice::Ambiguous(indices) => {
                let text = format!("call to '{}' is ambiguous", self.text(callee.name));
                self.error(callee.loc, text);
                for id in indices.iter().filter_map(|i| candidates.get(*i)) {
                    let at = self.function(*id).map_or(callee.loc, |f| f.loc);
                    self.note(at, "candidate function");
                }
                self.error_expr(callee.loc)
            }
            Choice::None => self.report_unviable(callee, &candidates, args, &arg_types),
        }
    }

    /// The built-in overload for a call if it is better than those of the program.
    fn better_builtin(
        &mut self,
        name: Symbol,
        args: &[ArgType],
        found: &[Option<Ranks>],
        choice: &Choice,
    ) -> Option<Resolved> {
        let name = self.session.symbols.text(name).to_owned();
        if !builtins::is_builtin(&name, self.language) {
            return None;
        }
        let Some(Ok(resolved)) = builtins::resolve::resolve(self.types, self.language, &name, args) else {
            return None;
        };
        let Choice::One(index) = choice else {
            return Some(resolved);
        };
        let own = found.get(*index)?.as_ref()?;
        let theirs = ranks(self.types, args, &resolved.params)?;
        let is_better = theirs.iter().zip(own).all(|(a, b)| a <= b) && theirs != *own;
        is_better.then_some(resolved)
    }

    /// The built-in function with the prototype of an overload.
    fn same_builtin(&mut self, name: Symbol, function: FuncId, args: &[ArgType]) -> Option<BuiltinId> {
        let name = self.session.symbols.text(name).to_owned();
        if !builtins::is_builtin(&name, self.language) {
            return None;
        }
        let own = self.prototype(function)?;
        let resolved = builtins::resolve::resolve(self.types, self.language, &name, args)?.ok()?;
        let same = |a: QualTy, b: QualTy| self.types.canonical(a).ty == self.types.canonical(b).ty;
        let is_same = own.params.len() == resolved.params.len()
            && own.params.iter().zip(&resolved.params).all(|(a, b)| same(*a, *b))
            && same(own.result, resolved.result);
        is_same.then_some(resolved.builtin)
    }

    /// Makes calls of redeclared built-in functions calls of those, unless the program defines the function.
    pub(super) fn resolve_redeclared(&mut self) {
        for (call, builtin) in std::mem::take(&mut self.redeclared) {
            let Some(expr) = self.unit.exprs.get_mut(call.0 as usize) else { continue };
            let ExprKind::Call { function, args } = expr.kind else { continue };
            if self.unit.functions.get(function.0 as usize).is_some_and(|f| f.body.is_none()) {
                expr.kind = ExprKind::Builtin { builtin, args };
            }
        }
    }

    fn report_unviable(
        &mut self,
        callee: Callee,
        candidates: &[FuncId],
        args: &[ExprId],
        arg_types: &[ArgType],
    ) -> ExprId {
        let text = format!("no matching function for call to '{}'", self.text(callee.name));
        self.error(callee.loc, text);
        for id in candidates.iter().take(MAX_CANDIDATES) {
            let Some(ty) = self.prototype(*id) else { continue };
            let at = self.function(*id).map_or(callee.loc, |f| f.loc);
            let wanted = ty.params.len();
            let reason = match wanted == args.len() {
                true => self.reason(args, arg_types, &ty.params),
                false => wrong_count(wanted, args.len()),
            };
            self.note(at, format!("candidate function not viable: {reason}"));
        }
        self.error_expr(callee.loc)
    }

    /// Why arguments do not convert to parameters.
    fn reason(&self, args: &[ExprId], arg_types: &[ArgType], params: &[QualTy]) -> String {
        let mut all = args.iter().zip(arg_types).zip(params).enumerate();
        let wrong = all.find(|(_, ((_, arg), to))| rank(self.types, arg, **to).is_none());
        let Some((index, ((arg, ty), to))) = wrong else {
            return "no known conversion".to_owned();
        };
        let shown = if matches!(self.class_of(*arg), Class::Array(_)) { ty.ty } else { self.ty(*arg) };
        let (from, to) = (self.quoted(shown), self.quoted(*to));
        format!("no known conversion from {from} to {to} for {} argument", ordinal(index + 1))
    }

    /// A call of a certain function.
    fn call_one(&mut self, callee: Callee, function: FuncId, args: &[ExprId]) -> ExprId {
        let Some(ty) = self.prototype(function) else {
            return self.error_expr(callee.loc);
        };
        let fixed = ty.params.len();
        let has_count = if ty.is_variadic { args.len() >= fixed } else { args.len() == fixed };
        if !has_count {
            match self.only_parameter(function).filter(|_| args.len() > 1) {
                Some(param) => self.report_single(&param, args),
                None => {
                    self.check_count("function", fixed, args, callee.loc, callee.close);
                }
            }
            let (name, at) = (self.text(callee.name).to_owned(), self.function(function).map(|f| f.loc));
            if let Some(at) = at {
                self.note(at, format!("'{name}' declared here"));
            }
            return self.error_expr(callee.loc);
        }
        let params = self.function(function).map(|f| f.params.clone()).unwrap_or_default();
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let value = match ty.params.get(index) {
                Some(to) => self.convert(*arg, *to, Context::Argument(params.get(index).copied())),
                None => self.default_promote(*arg),
            };
            values.push(value);
        }
        if values.iter().any(|v| self.is_error(*v)) {
            return self.error_expr(callee.loc);
        }
        let args = self.new_list(&values);
        let result = self.unqualified(ty.result);
        self.new_value(ExprKind::Call { function, args }, result, callee.loc)
    }

    /// Name of the only parameter of a function.
    fn only_parameter(&self, function: FuncId) -> Option<String> {
        match self.function(function)?.params.as_slice() {
            [param] => Some(self.text(self.var(*param)?.name?).to_owned()),
            _ => None,
        }
    }

    /// Reports several arguments for a function with one parameter.
    fn report_single(&mut self, param: &str, args: &[ExprId]) {
        let count = args.len();
        let text = format!(
            "too many arguments to function call, expected single argument '{param}', have {count} arguments"
        );
        if let (Some(extra), Some(last)) = (args.get(1).copied(), args.last().copied()) {
            let (first, last) = (self.begin(extra), self.range(last).1);
            self.error(first, text);
            self.underline(first, last);
        }
    }

    /// An argument without a parameter: integers promote to `int`, floating-point numbers to `double`.
    fn default_promote(&mut self, e: ExprId) -> ExprId {
        let v = self.value_or_void(e);
        match self.class_of(v) {
            Class::Arith(arith) if arith.is_int() => self.promote(v),
            Class::Arith(Arith::Double) => v,
            Class::Arith(_) => {
                let to = if self.language.has_fp64() { types::DOUBLE } else { types::FLOAT };
                self.scalar_cast(v, to)
            }
            Class::Void => {
                self.error_at(e, "argument type 'void' is incomplete");
                self.error_expr(self.expr(e).loc)
            }
            _ => v,
        }
    }

    fn call_builtin(&mut self, callee: Callee, args: &[ExprId]) -> ExprId {
        let name = self.text(callee.name).to_owned();
        if let Some(ty) = name.strip_prefix("as_").and_then(|ty| self.named_data_type(ty)) {
            return match args {
                [arg] => self.reinterpret(ty, *arg, callee.loc),
                _ => {
                    self.check_count("function", 1, args, callee.loc, callee.close);
                    self.error_expr(callee.loc)
                }
            };
        }
        if let Some(result) = self.call_with_block(&name, callee, args) {
            return result;
        }
        if !builtins::is_builtin(&name, self.language) {
            return match self.special_call(&name, callee, args) {
                Some(result) => result,
                None => self.undeclared(callee.name, callee.loc),
            };
        }
        let values: Vec<ExprId> = args.iter().map(|arg| self.value_or_void(*arg)).collect();
        if values.iter().any(|v| self.is_error(*v)) {
            return self.error_expr(callee.loc);
        }
        if self.refuse_pipe_call(&name, callee, args) {
            return self.error_expr(callee.loc);
        }
        let arg_types: Vec<ArgType> = values.iter().map(|v| self.arg_type(*v)).collect();
        match builtins::resolve::resolve(self.types, self.language, &name, &arg_types) {
            Some(Ok(resolved)) => self.builtin_node(callee, resolved, args),
            Some(Err(fault)) => match self.only_signature(&name, args.len()) {
                Some(resolved) => self.builtin_node(callee, resolved, args),
                None => self.report_builtin(callee, &name, args, fault),
            },
            None => self.undeclared(callee.name, callee.loc),
        }
    }

    fn builtin_node(&mut self, callee: Callee, resolved: Resolved, args: &[ExprId]) -> ExprId {
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let value = match resolved.params.get(index) {
                Some(to) => self.convert(*arg, *to, Context::Argument(None)),
                None => self.default_promote(*arg),
            };
            values.push(value);
        }
        if values.iter().any(|v| self.is_error(*v)) {
            return self.error_expr(callee.loc);
        }
        let result = match builtins::table::row(resolved.builtin).map(|row| row.lowering) {
            Some(BuiltinExpansion::ToSpace(space)) => self.pointer_in(space, args),
            _ => self.unqualified(resolved.result),
        };
        let args = self.new_list(&values);
        self.new_value(ExprKind::Builtin { builtin: resolved.builtin, args }, result, callee.loc)
    }

    /// The type of a pointer argument in another address space.
    fn pointer_in(&mut self, space: Space, args: &[ExprId]) -> types::Ty {
        let space = match space {
            Space::Global => AddressSpace::Global,
            Space::Local => AddressSpace::Local,
            _ => AddressSpace::Private,
        };
        match args.first().map(|arg| self.class_of(*arg)) {
            Some(Class::Pointer(to) | Class::Array(to)) => self.pointer_to(to.in_space(space)),
            _ => types::ERROR,
        }
    }

    fn report_builtin(&mut self, callee: Callee, name: &str, args: &[ExprId], fault: NoMatch) -> ExprId {
        if let Some(wanted) = self.only_count(name)
            && wanted != args.len()
        {
            self.check_count("function", wanted, args, callee.loc, callee.close);
            return self.error_expr(callee.loc);
        }
        let (text, signatures, is_ambiguous) = match fault {
            NoMatch::Ambiguous(all) => (format!("call to '{name}' is ambiguous"), all, true),
            NoMatch::None(all) => (format!("no matching function for call to '{name}'"), all, false),
        };
        self.error(callee.loc, text);
        if let (Some(first), Some(last)) = (args.first().copied(), args.last().copied()) {
            let (first, last) = (self.begin(first), self.range(last).1);
            self.underline(first, last);
        }
        let arg_types: Vec<ArgType> = args.iter().map(|arg| self.arg_type(*arg)).collect();
        for signature in signatures.iter().take(MAX_CANDIDATES) {
            let shown = self.signature(name, signature);
            let wanted = signature.params.len();
            let note = match is_ambiguous {
                true => format!("candidate function: {shown}"),
                false if wanted != args.len() => {
                    let reason = wrong_count(wanted, args.len());
                    format!("candidate function not viable: {reason}: {shown}")
                }
                false => {
                    let reason = self.reason(args, &arg_types, &signature.params);
                    format!("candidate function not viable: {reason}: {shown}")
                }
            };
            self.note(callee.loc, note);
        }
        self.error_expr(callee.loc)
    }

    /// A signature of a built-in function as a declaration.
    fn signature(&self, name: &str, signature: &BuiltinSignature) -> String {
        let mut params: Vec<String> = signature.params.iter().map(|ty| self.spelled(*ty)).collect();
        if signature.is_variadic {
            params.push("...".to_owned());
        }
        format!("'{} {name}({})'", self.spelled(signature.result), params.join(", "))
    }

    /// The signature of a built-in function that has one only; its arguments convert as those of a function
    /// of the program.
    fn only_signature(&mut self, name: &str, count: usize) -> Option<Resolved> {
        let rows = builtins::table::rows_of(name).iter().copied();
        let mut rows =
            rows.filter(|id| builtins::table::row(*id).is_some_and(|row| row.is_in(self.language)));
        let (id, others) = (rows.next()?, rows.next());
        if others.is_some() {
            return None;
        }
        builtins::resolve::fixed_signature(self.types, id, count)
    }

    /// Number of parameters of all overloads of a built-in function.
    fn only_count(&self, name: &str) -> Option<usize> {
        let rows = builtins::table::rows_of(name).iter().filter_map(|id| builtins::table::row(*id));
        let mut counts = rows.filter(|row| row.is_in(self.language)).map(|row| {
            let words = row.signature.split(' ').count();
            (words.saturating_sub(1), row.signature.ends_with("..."))
        });
        let (first, is_variadic) = counts.next()?;
        let is_only = !is_variadic && counts.all(|(count, variadic)| count == first && !variadic);
        is_only.then_some(first)
    }

    /// Functions of the compiler itself, apart from those in the table of built-in functions.
    fn special_call(&mut self, name: &str, callee: Callee, args: &[ExprId]) -> Option<ExprId> {
        match (name, args) {
            ("__builtin_constant_p", [arg]) => {
                let v = self.value(*arg);
                let is_constant = self.constant_truth(v).is_some();
                Some(self.new_int(u64::from(is_constant), types::INT, callee.loc))
            }
            _ => None,
        }
    }
}

fn ordinal(n: usize) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

/// The name that is closest to a wrong one, if it differs in few letters.
pub fn most_similar<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (wrong.len() / 3).min(3);
    if limit == 0 || wrong.len() > 64 {
        return None;
    }
    let near = names.filter(|name| name.len().abs_diff(wrong.len()) <= limit && *name != wrong);
    let all = near.map(|name| (distance(wrong, name), name)).filter(|(d, _)| *d <= limit);
    all.min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// Number of insertions, deletions and replacements of bytes between two words.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (y, above) in b.bytes().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(x != y);
            left = replaced.min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_differ_in_few_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        let names = ["get_global_id", "get_local_id", "x"];
        assert_eq!(most_similar("get_globl_id", names.into_iter()), Some("get_global_id"));
        assert_eq!(most_similar("foo", names.into_iter()), None);
        assert_eq!(most_similar("y", names.into_iter()), None);
    }

    #[test]
    fn ordinals() {
        let all: Vec<String> = [1, 2, 3, 4, 11, 12, 21, 22].into_iter().map(ordinal).collect();
        assert_eq!(all, ["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "22nd"]);
    }
}
