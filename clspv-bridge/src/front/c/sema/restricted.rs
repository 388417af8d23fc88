//! Restrictions on blocks, samplers, images and pipes: no operator takes them, and blocks never change
//! (OpenCL C, sections 6.12.5 and 6.14).

use super::Sema;
use super::arithmetic::Mismatch;
use super::class::Class;
use crate::front::c::ast::{ExprId, VarId, Variable};
use crate::front::c::source::Loc;
use crate::front::c::types::{AddressSpace, Arith, OpaqueType, Ty, TypeKind};

impl Sema<'_> {
    /// Reports operands of a binary operator that no operator takes; `None` for others.
    pub(super) fn refuse_operands(&mut self, loc: Loc, x: ExprId, y: ExprId) -> Option<ExprId> {
        let is_refused = self.is_restricted(x) || self.is_restricted(y);
        if !is_refused || self.is_error(x) || self.is_error(y) {
            return None;
        }
        Some(self.report_clash(Mismatch::Operands, loc, x, y))
    }

    /// Reports an operand of a unary operator that no operator takes; `None` for others.
    pub(super) fn refuse_operand(&mut self, loc: Loc, e: ExprId) -> Option<ExprId> {
        self.is_restricted(e).then(|| self.report_unary(loc, e, e))
    }

    /// Reports blocks as operands of `?:`. Returns whether there are any.
    pub(super) fn refuse_branches(&mut self, branches: [ExprId; 2]) -> bool {
        let blocks = branches.into_iter().filter(|e| matches!(self.class_of(*e), Class::Block(_)));
        let blocks: Vec<ExprId> = blocks.collect();
        for block in &blocks {
            let text = "block type cannot be used as expression in ternary expression in OpenCL";
            self.error(self.begin(*block), text);
        }
        !blocks.is_empty()
    }

    /// Checks the use of a variable, which may be a captured copy.
    pub(super) fn check_capture(&mut self, of: VarId, copy: VarId, loc: Loc) {
        if of != copy && self.var(copy).is_some_and(|var| self.is_block(var.ty.ty)) {
            self.error(loc, "cannot refer to a block inside block");
        }
    }

    /// Reports a block with a variable number of arguments.
    pub fn refuse_variadic_block(&mut self, loc: Loc) {
        self.error(loc, "invalid prototype, variadic arguments are not allowed in OpenCL");
    }

    /// Reports an access of an atomic object without an atomic function.
    pub(super) fn refuse_atomic(&mut self, object: ExprId, loc: Loc) {
        let ty = self.quoted_of(object);
        self.error(loc, format!("object of type {ty} can only be accessed by atomic functions"));
        self.underline_expr(object);
    }

    /// Whether an expression is an object in memory of type `half`, which has no arithmetic.
    fn is_stored_half(&self, e: ExprId) -> bool {
        !self.language.has_fp16() && self.unevaluated == 0 && self.class_of(e) == Class::Arith(Arith::Half)
    }

    /// Reports a load of a `half` without support for its arithmetic.
    pub(super) fn check_half_load(&mut self, e: ExprId) {
        if self.is_stored_half(e) {
            let ty = self.quoted_of(e);
            let text =
                format!("loading directly from pointer to type {ty} requires cl_khr_fp16; use vload_half");
            self.error_at(e, text);
        }
    }

    /// Reports a store of a `half` without support for its arithmetic. Returns whether it is wrong.
    pub(super) fn refuse_half_store(&mut self, target: ExprId, loc: Loc) -> bool {
        let is_wrong = self.is_stored_half(target);
        if is_wrong {
            let text = "assigning directly to pointer to type 'half' requires cl_khr_fp16; use vstore_half";
            self.error(loc, text);
            self.underline_expr(target);
        }
        is_wrong
    }

    /// Whether a variable is in local memory and belongs to the kernel around the current block.
    pub(super) fn is_outer_local(&self, id: VarId) -> bool {
        let Some(body) = self.body().filter(|body| body.function.is_none()) else { return false };
        let is_local = |var: &Variable| self.types.canonical(var.ty).quals.space == AddressSpace::Local;
        id.0 < body.first_var && self.var(id).is_some_and(is_local)
    }

    /// Whether a variable is a block's copy of one that is not `const`.
    pub(super) fn is_capture_of_variable(&self, copy: VarId) -> bool {
        let mut captures = self.bodies.iter().flat_map(|body| &body.captures);
        let original = captures.find(|(_, inner)| *inner == copy).and_then(|(outer, _)| self.var(*outer));
        original.is_some_and(|var| !self.types.canonical(var.ty).quals.is_const)
    }

    /// Whether a type is that of a block.
    pub(super) fn is_block(&self, ty: Ty) -> bool {
        matches!(self.types.resolved(ty), TypeKind::Block(_))
    }

    fn is_restricted(&self, e: ExprId) -> bool {
        matches!(self.class_of(e), Class::Block(_) | Class::Opaque(OpaqueType::Sampler) | Class::Other)
    }
}

#[cfg(test)]
mod tests {
    use crate::front::c::check::check;
    use crate::options::{CompileRequest, FrontConfig, Options};

    /// First error of a source.
    fn first(source: &str) -> String {
        let extensions = ["device_enqueue", "generic_address_space", "program_scope_global_variables"];
        let config = FrontConfig {
            extensions: extensions.map(|e| format!("__opencl_c_{e}")).to_vec(),
            image_support: true,
            opencl_version: 310,
            ..FrontConfig::default()
        };
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        let checked = check(&CompileRequest::new(source, &options, &config));
        let log = checked.session.render();
        log.lines()
            .find_map(|line| line.split_once("error: "))
            .map(|(_, text)| text.to_owned())
            .unwrap_or_default()
    }

    #[test]
    fn blocks_are_no_operands() {
        let clash = "invalid operands to binary expression ('void (__generic ^const __private)(void)' and \
                     'void (__generic ^const __private)(void)')";
        let unary = "invalid argument type 'void (__generic ^const __private)(void)' to unary expression";
        let ternary = "block type cannot be used as expression in ternary expression in OpenCL";
        for (statement, expected) in [
            ("b = c", clash),
            ("b == c", clash),
            ("b && c", clash),
            ("b, c", clash),
            ("*b", unary),
            ("&b", unary),
            ("!b", unary),
            ("n ? b : c", ternary),
            ("void (^d)(void) = ^{ b(); }", "cannot refer to a block inside block"),
            ("void (^d)(void)", "invalid block variable declaration - must be initialized"),
            (
                "i == i",
                "invalid operands to binary expression ('__private image2d_t' and '__private image2d_t')",
            ),
            ("void (^d)(void) = ^{ n = 1; }", "variable is not assignable (missing __block type specifier)"),
            ("b(), c()", ""),
            ("if (b) c()", ""),
        ] {
            let source = format!(
                "kernel void k(int n, image2d_t i) {{ void (^b)(void) = ^{{ }}, (^c)(void) = ^{{ }}; {statement}; }}"
            );
            let found = first(&source).replace("__read_only ", "");
            assert_eq!(found, expected, "{statement}");
        }
    }

    #[test]
    fn blocks_are_no_parameters_or_results() {
        let parameter =
            "declaring function parameter of type 'void (__generic ^const __private)(void)' is not allowed";
        for (source, expected) in [
            ("void f(void (^b)(void)) { }", parameter),
            ("kernel void f(void (^b)(void)) { }", parameter),
            (
                "typedef void (^bt)(void); bt f(void);",
                "declaring function return value of type 'bt' (aka 'void (__generic ^const)(void)') is not allowed",
            ),
            (
                "void f(void) { extern int (^b)(int); }",
                "invalid block variable declaration - using 'extern' storage class is disallowed",
            ),
            (
                "void f(void) { int (^b)(int, ...) = 0; }",
                "invalid prototype, variadic arguments are not allowed in OpenCL",
            ),
            (
                "void f(void) { ^(int n, ...) { }; }",
                "invalid prototype, variadic arguments are not allowed in OpenCL",
            ),
            ("void f(void) { __block int n; }", "the __block storage type is not permitted"),
        ] {
            assert_eq!(first(source), expected, "{source}");
        }
    }
}
