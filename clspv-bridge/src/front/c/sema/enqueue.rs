//! Calls of the built-in functions that take blocks: `enqueue_kernel`, and queries of a block's kernel
//! (OpenCL C, section 6.15.18).
//!
//! All forms of `enqueue_kernel` become the longest one: queue, flags, range, number of events, events,
//! returned event, block, and sizes of local arguments.

use super::Sema;
use super::call::Callee;
use super::class::Class;
use crate::front::c::ast::{CastKind, ExprId, ExprKind};
use crate::front::c::builtins::{self, EnqueueOp};
use crate::front::c::source::Loc;
use crate::front::c::types::{self, AddressSpace, FunctionType, OpaqueType, QualTy, Ty, TypeKind};

impl Sema<'_> {
    /// A call of a built-in function that takes a block; `None` for other functions.
    pub(super) fn call_with_block(&mut self, name: &str, callee: Callee, args: &[ExprId]) -> Option<ExprId> {
        let (builtin, op) = builtins::block_function(name, self.language)?;
        let values: Vec<ExprId> = args.iter().map(|arg| self.value(*arg)).collect();
        if values.iter().any(|v| self.is_error(*v)) {
            return Some(self.error_expr(callee.loc));
        }
        let (operands, result) = match op {
            EnqueueOp::Kernel => (self.enqueue_operands(callee, &values), types::INT),
            EnqueueOp::RangeQuery(_) => (self.range_query_operands(callee, &values), types::UINT),
            _ => (self.query_operands(callee, &values), types::UINT),
        };
        let Some(operands) = operands else {
            return Some(self.error_expr(callee.loc));
        };
        let args = self.new_list(&operands);
        Some(self.new_value(ExprKind::Builtin { builtin, args }, result, callee.loc))
    }

    /// Operands of `enqueue_kernel`; `None` after an error.
    fn enqueue_operands(&mut self, callee: Callee, args: &[ExprId]) -> Option<Vec<ExprId>> {
        let &[queue, flags, range, fourth, ref rest @ ..] = args else {
            let count = args.len();
            let text = format!("too few arguments to function call, expected at least 4, have {count}");
            self.error(callee.loc, text);
            return None;
        };
        if self.class_of(queue) != Class::Opaque(OpaqueType::Queue) {
            return self.wrong_argument(callee, queue, "'queue_t'");
        }
        if !self.class_of(flags).is_int() {
            return self.wrong_argument(callee, flags, "'kernel_enqueue_flags_t' (i.e. uint)");
        }
        if !self.is_range(range) {
            return self.wrong_argument(callee, range, "'ndrange_t'");
        }
        let mut operands = vec![queue, self.scalar_cast(flags, types::UINT), range];
        match (self.block_of(fourth), rest) {
            (Some(block), []) => {
                if !block.params.is_empty() {
                    let text =
                        "blocks with parameters are not accepted in this prototype of enqueue_kernel call";
                    return self.fault(self.begin(fourth), text);
                }
                self.add_no_events(&mut operands, callee.loc);
                operands.push(fourth);
            }
            (Some(block), sizes) => {
                self.check_block_parameters(fourth, &block)?;
                self.add_no_events(&mut operands, callee.loc);
                operands.push(fourth);
                self.add_sizes(&mut operands, callee, &block, sizes)?;
            }
            (None, []) => return self.wrong_argument(callee, fourth, "block"),
            (None, &[waits, event, block, ref sizes @ ..]) => {
                let Some(ty) = self.block_of(block) else {
                    return self.wrong_argument(callee, block, "block");
                };
                self.check_block_parameters(block, &ty)?;
                self.add_events(&mut operands, callee, [fourth, waits, event])?;
                operands.push(block);
                // Without sizes, the runtime refuses a block that has parameters.
                if !sizes.is_empty() {
                    self.add_sizes(&mut operands, callee, &ty, sizes)?;
                }
            }
            (None, _) => {
                return self.fault(callee.loc, "illegal call to enqueue_kernel, incorrect argument types");
            }
        }
        Some(operands)
    }

    /// Operand of a query of a block's kernel; `None` after an error.
    fn query_operands(&mut self, callee: Callee, args: &[ExprId]) -> Option<Vec<ExprId>> {
        if !self.check_count("function", 1, args, callee.loc, callee.close) {
            return None;
        }
        self.check_blocks(callee, args)
    }

    /// Operands of a query of a block's kernel for a range; `None` after an error.
    fn range_query_operands(&mut self, callee: Callee, args: &[ExprId]) -> Option<Vec<ExprId>> {
        if !self.check_count("function", 2, args, callee.loc, callee.close) {
            return None;
        }
        if !self.language.has("cl_khr_subgroups") && !self.language.has("__opencl_c_subgroups") {
            let text = format!(
                "use of declaration '{}' requires cl_khr_subgroups or __opencl_c_subgroups support",
                self.text(callee.name)
            );
            return self.fault(callee.loc, text);
        }
        let (range, block) = args.split_first()?;
        if !self.is_range(*range) {
            return self.wrong_argument(callee, *range, "'ndrange_t'");
        }
        self.check_blocks(callee, block)?;
        Some(args.to_vec())
    }

    /// Checks arguments that must be blocks with local arguments, and returns them.
    fn check_blocks(&mut self, callee: Callee, blocks: &[ExprId]) -> Option<Vec<ExprId>> {
        for block in blocks {
            let Some(ty) = self.block_of(*block) else {
                return self.wrong_argument(callee, *block, "block");
            };
            self.check_block_parameters(*block, &ty)?;
        }
        Some(blocks.to_vec())
    }

    /// Checks that all parameters of a block are pointers to local memory without a type.
    fn check_block_parameters(&mut self, block: ExprId, ty: &FunctionType) -> Option<()> {
        let is_local = |param: &QualTy| match self.types.resolved(param.ty) {
            TypeKind::Pointer(to) => {
                let to = self.types.canonical(*to);
                to.ty == types::VOID && to.quals.space == AddressSpace::Local
            }
            _ => false,
        };
        let wrong: Vec<usize> = (0..).zip(&ty.params).filter(|(_, p)| !is_local(p)).map(|(i, _)| i).collect();
        for index in &wrong {
            let text =
                "blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'";
            let at = self.literal_parameter(block, *index).unwrap_or_else(|| self.begin(block));
            self.error(at, text);
        }
        wrong.is_empty().then_some(())
    }

    /// Where a parameter of a block literal begins.
    fn literal_parameter(&self, block: ExprId, index: usize) -> Option<Loc> {
        let ExprKind::Block(id) = self.expr(block).kind else { return None };
        let param = self.unit.blocks.get(id.0 as usize)?.params.get(index)?;
        self.param_begins.get(param).copied()
    }

    /// Adds an empty list of events, and no event to return.
    fn add_no_events(&mut self, operands: &mut Vec<ExprId>, loc: Loc) {
        let zero = self.new_int(0, types::UINT, loc);
        let events = self.event_pointer();
        let none = self.cast_node(CastKind::Null, zero, events);
        operands.extend([zero, none, none]);
    }

    /// Adds a number of events, their list, and the event to return.
    fn add_events(
        &mut self,
        operands: &mut Vec<ExprId>,
        callee: Callee,
        [count, waits, event]: [ExprId; 3],
    ) -> Option<()> {
        if !self.class_of(count).is_int() {
            return self.wrong_argument(callee, count, "integer");
        }
        operands.push(self.scalar_cast(count, types::UINT));
        let events = self.event_pointer();
        for list in [waits, event] {
            if self.is_null_constant(list) {
                let zero = self.new_int(0, types::UINT, callee.loc);
                operands.push(self.cast_node(CastKind::Null, zero, events));
            } else if matches!(self.class_of(list), Class::Pointer(to) if self.is_event(to)) {
                operands.push(list);
            } else {
                return self.wrong_argument(callee, list, "'clk_event_t *'");
            }
        }
        Some(())
    }

    /// Adds the sizes of a block's local arguments.
    fn add_sizes(
        &mut self,
        operands: &mut Vec<ExprId>,
        callee: Callee,
        block: &FunctionType,
        sizes: &[ExprId],
    ) -> Option<()> {
        if block.params.len() != sizes.len() {
            let text = "mismatch in number of block parameters and local size arguments passed";
            return self.fault(callee.loc, text);
        }
        let wrong: Vec<ExprId> =
            sizes.iter().copied().filter(|size| !self.class_of(*size).is_int()).collect();
        for size in &wrong {
            let text = "illegal call to enqueue_kernel, parameter needs to be specified as integer type";
            self.error(self.begin(*size), text);
        }
        for size in sizes {
            operands.push(self.scalar_cast(*size, types::ULONG));
        }
        wrong.is_empty().then_some(())
    }

    /// Pointer to events of any address space.
    fn event_pointer(&mut self) -> Ty {
        let event = self.types.intern(TypeKind::Opaque(OpaqueType::ClkEvent));
        self.pointer_to(QualTy::plain(event).in_space(AddressSpace::Generic))
    }

    fn is_event(&self, ty: QualTy) -> bool {
        self.class(ty.ty) == Class::Opaque(OpaqueType::ClkEvent)
    }

    fn is_range(&self, e: ExprId) -> bool {
        self.canonical_ty(e).ty == self.types.ndrange
    }

    /// Function type of a block; `None` for other values.
    fn block_of(&self, e: ExprId) -> Option<FunctionType> {
        match self.class_of(e) {
            Class::Block(function) => self.function_kind(function),
            _ => None,
        }
    }

    /// Reports an argument of the wrong type.
    fn wrong_argument<T>(&mut self, callee: Callee, arg: ExprId, wanted: &str) -> Option<T> {
        let text = format!("illegal call to '{}', expected {wanted} argument type", self.text(callee.name));
        self.fault(self.begin(arg), text)
    }

    /// Reports an error.
    fn fault<T>(&mut self, loc: Loc, text: impl Into<String>) -> Option<T> {
        self.error(loc, text);
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::front::c::check::check;
    use crate::options::{CompileRequest, FrontConfig, Options};

    const FILE: &str = "kernel void k(global int *p, queue_t q, float f, int n, ulong un, char c) {
        const ndrange_t r = ndrange_1D(4);
        void (^b0)(void) = ^{ p[0] = 1; };
        void (^b1)(local void*) = ^(local void *l) { };
        void (^b2)(local void*, local void*) = ^(local void *l, local void *m) { };
        void (^bi)(local int*) = ^(local int *l) { };
        void (^bg)(global void *) = ^(global void *l) { };
        clk_event_t e, ev[2]; ";

    /// Errors of a statement.
    fn errors(statement: &str, std: &str, features: &[&str]) -> Vec<String> {
        let source = format!("{FILE}{statement};\n}}\n");
        let extensions =
            features.iter().copied().chain(["__opencl_c_generic_address_space"]).map(String::from);
        let config =
            FrontConfig { extensions: extensions.collect(), opencl_version: 310, ..FrontConfig::default() };
        let options = Options { std: std.into(), ..Options::default() };
        let checked = check(&CompileRequest::new(&source, &options, &config));
        let log = checked.session.render();
        let lines = log.lines().filter_map(|line| line.split_once("error: "));
        lines.map(|(_, text)| text.to_owned()).filter(|text| !text.ends_with("generated.")).collect()
    }

    fn first(statement: &str) -> String {
        let features = ["__opencl_c_device_enqueue", "__opencl_c_subgroups", "__opencl_c_pipes"];
        errors(statement, "CL3.0", &features).into_iter().next().unwrap_or_default()
    }

    #[test]
    fn calls_of_every_form_are_accepted() {
        for call in [
            "enqueue_kernel(q, 0, r, b0)",
            "enqueue_kernel(q, c, ndrange_1D(1), (^{ }))",
            "enqueue_kernel(q, un, r, ^{ return 1; })",
            "enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, b1, -1)",
            "enqueue_kernel(q, 0, r, ^(const local void *x) { }, un)",
            "enqueue_kernel(q, 0, r, b2, 4, n)",
            "enqueue_kernel(q, 0, r, 1, &e, &e, b0)",
            "enqueue_kernel(q, 0, r, c, ev, NULL, b1, 4)",
            "enqueue_kernel(q, 0, r, 0, 0, 0, b0)",
            "n = get_kernel_work_group_size(b1) + get_kernel_preferred_work_group_size_multiple(^{})",
            "n = get_kernel_sub_group_count_for_ndrange(r, b0)",
            "n = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(1), b2)",
        ] {
            assert_eq!(first(call), "", "{call}");
        }
    }

    #[test]
    fn wrong_arguments_are_reported() {
        let wrong = |function: &str, wanted: &str| {
            format!("illegal call to '{function}', expected {wanted} argument type")
        };
        let kernel = |wanted: &str| wrong("enqueue_kernel", wanted);
        let count = "mismatch in number of block parameters and local size arguments passed";
        let local =
            "blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'";
        let size = "illegal call to enqueue_kernel, parameter needs to be specified as integer type";
        let incorrect = "illegal call to enqueue_kernel, incorrect argument types";
        let cases: &[(&str, &str)] = &[
            ("enqueue_kernel(q, 0, r)", "too few arguments to function call, expected at least 4, have 3"),
            ("enqueue_kernel(n, 0, r, b0)", &kernel("'queue_t'")),
            ("enqueue_kernel(q, f, r, b0)", &kernel("'kernel_enqueue_flags_t' (i.e. uint)")),
            ("enqueue_kernel(q, 0, n, b0)", &kernel("'ndrange_t'")),
            ("enqueue_kernel(q, 0, r, n)", &kernel("block")),
            (
                "enqueue_kernel(q, 0, r, bi)",
                "blocks with parameters are not accepted in this prototype of enqueue_kernel call",
            ),
            ("enqueue_kernel(q, 0, r, b0, 4)", count),
            ("enqueue_kernel(q, 0, r, b1, 4, 5)", count),
            ("enqueue_kernel(q, 0, r, b1, f)", size),
            ("enqueue_kernel(q, 0, r, bi, 4)", local),
            ("enqueue_kernel(q, 0, r, bg, 4)", local),
            ("enqueue_kernel(q, 0, r, 1, &e, b0)", incorrect),
            ("enqueue_kernel(q, 0, r, n, n, n)", incorrect),
            ("enqueue_kernel(q, 0, r, f, 0, 0, b0)", &kernel("integer")),
            ("enqueue_kernel(q, 0, r, 1, p, 0, b0)", &kernel("'clk_event_t *'")),
            ("enqueue_kernel(q, 0, r, 1, &e, n, b0)", &kernel("'clk_event_t *'")),
            ("enqueue_kernel(q, 0, r, 1, 0, 0, n, 3)", &kernel("block")),
            ("enqueue_kernel(q, 0, r, 1, 0, 0, b1, 4, 4)", count),
            ("enqueue_kernel(q, 0, r, 1, 0, 0, b1, f)", size),
            ("enqueue_kernel(q, 0, r, 1, 0, 0, bi)", local),
            ("get_kernel_work_group_size()", "too few arguments to function call, expected 1, have 0"),
            ("get_kernel_work_group_size(n)", &wrong("get_kernel_work_group_size", "block")),
            ("get_kernel_work_group_size(bi)", local),
            (
                "get_kernel_sub_group_count_for_ndrange(n, b0)",
                &wrong("get_kernel_sub_group_count_for_ndrange", "'ndrange_t'"),
            ),
            (
                "get_kernel_max_sub_group_size_for_ndrange(r, n)",
                &wrong("get_kernel_max_sub_group_size_for_ndrange", "block"),
            ),
            ("n = enqueue_kernel", "builtin functions must be directly called"),
        ];
        for (call, expected) in cases {
            assert_eq!(first(call), *expected, "{call}");
        }
    }

    #[test]
    fn each_wrong_parameter_and_size_is_reported() {
        let features = ["__opencl_c_device_enqueue"];
        let of = |call| errors(call, "CL3.0", &features).len();
        assert_eq!(of("enqueue_kernel(q, 0, r, ^(local int *l, float x) { }, 4, 4)"), 2);
        assert_eq!(of("enqueue_kernel(q, 0, r, b2, f, f)"), 2);
    }

    /// Arrays and members of opaque objects, members of ranges, and results of blocks in an address space.
    #[test]
    fn declarations_of_objects() {
        for accepted in [
            "ndrange_t many[2]; many[1] = r; many[0].workDimension = many[1].globalWorkSize[2]",
            "ndrange_t range = {1}; enqueue_kernel(q, 0, range, b0)",
            "clk_event_t events[2]; queue_t queues[2] = {q, q}; reserve_id_t ids[2]",
            "struct { clk_event_t e; queue_t q; ndrange_t r; } all; all.q = q",
            "constant int (^twice)(int) = ^(int x) { return 2 * x; }; n = twice(n)",
        ] {
            assert_eq!(first(accepted), "", "{accepted}");
        }
        for (wrong, expected) in [
            ("ndrange_t r2; r2.x = 1", "no member named 'x' in 'ndrange_t'"),
            ("n = ndrange_1D(1)", "assigning to '__private int' from incompatible type 'ndrange_t'"),
            ("sampler_t s[2]", "array of 'sampler_t' type is invalid in OpenCL"),
            ("constant int f2(int x)", "return type cannot be qualified with address space"),
            (
                "struct { event_t e; } s",
                "the 'event_t' type cannot be used to declare a structure or union field",
            ),
        ] {
            assert_eq!(first(wrong), expected, "{wrong}");
        }
    }

    #[test]
    fn features_are_needed() {
        let query = "get_kernel_sub_group_count_for_ndrange(r, b0)";
        let text = "use of declaration 'get_kernel_sub_group_count_for_ndrange' requires cl_khr_subgroups or \
                    __opencl_c_subgroups support";
        assert_eq!(errors(query, "CL3.0", &["__opencl_c_device_enqueue"]), [text]);
        // OpenCL C 2.0 has blocks and what takes them, but the other functions are the device's.
        let found = errors("enqueue_kernel(get_default_queue(), 0, r, b0)", "CL2.0", &[]);
        let missing = |name| format!("use of undeclared identifier '{name}'");
        assert_eq!(found, [missing("ndrange_1D"), missing("get_default_queue")]);
        let found = errors("enqueue_kernel(q, 0, r, b0)", "CL2.0", &["__opencl_c_device_enqueue"]);
        assert_eq!(found, [""; 0]);
    }
}
