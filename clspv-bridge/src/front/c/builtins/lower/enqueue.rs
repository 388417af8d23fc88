//! Device-side enqueue: blocks, ranges, events and markers.

use super::super::super::lower::block::Enqueued;
use super::super::super::lower::object::ObjectRef;
use super::super::row::EnqueueOp;
use super::call::Call;
use crate::error::Result;
use crate::front::expand::numbers::resize;
use crate::ir::runtime::ndrange;
use crate::ir::{I32, I64, Op, RuntimeCall, Value};
use smallvec::SmallVec;

/// Lowers a function of this module.
pub fn lower(call: &mut Call<'_, '_, '_>, op: EnqueueOp) -> Result<Option<Value>> {
    let runtime = match op {
        EnqueueOp::NdRange(dims) => return range(call, dims).map(Some),
        EnqueueOp::Kernel => return kernel(call),
        EnqueueOp::BlockQuery(query) | EnqueueOp::RangeQuery(query) => return block_query(call, query),
        EnqueueOp::Marker => RuntimeCall::EnqueueMarker,
        EnqueueOp::DefaultQueue => RuntimeCall::DefaultQueue,
        EnqueueOp::CreateUserEvent => RuntimeCall::CreateUserEvent,
        EnqueueOp::SetUserEventStatus => RuntimeCall::SetUserEventStatus,
        EnqueueOp::IsValidEvent => RuntimeCall::IsValidEvent,
        EnqueueOp::Retain => RuntimeCall::RetainEvent,
        EnqueueOp::Release => RuntimeCall::ReleaseEvent,
        EnqueueOp::Capture => RuntimeCall::CaptureProfiling,
    };
    let args = call.args.clone();
    Ok(runtime_call(call, runtime, &args))
}

/// A call of the runtime.
fn runtime_call(call: &mut Call<'_, '_, '_>, runtime: RuntimeCall, args: &[Value]) -> Option<Value> {
    let result = runtime.types().1;
    let inst = call.cx.builder().inst(Op::Runtime(runtime), args, result.as_slice());
    call.cx.f.insts[inst].results.first().copied()
}

/// `enqueue_kernel`: queue, flags, range, number of events, events, returned event, block, and sizes of local
/// arguments.
fn kernel(call: &mut Call<'_, '_, '_>) -> Result<Option<Value>> {
    let Some((&[queue, flags, range, count, waits, event, literal], sizes)) = call.args.split_first_chunk()
    else {
        return Err(call.malformed());
    };
    let sizes: SmallVec<[Value; 4]> = sizes.iter().copied().collect();
    let Some(block) = block(call, 6)? else { return Ok(unknown_block(call)) };
    let kernel = call.cx.f.bits(I64, block.number);
    let bytes = call.cx.f.bits(I32, block.bytes);
    let list = ObjectRef::new(call.cx.slot(8 * sizes.len().max(1) as u64, 8)?, 8);
    for (n, size) in (0..).zip(&sizes) {
        let at = call.cx.part(list, 8 * n);
        call.cx.store(at, *size);
    }
    let locals = call.cx.f.bits(I32, sizes.len() as u64);
    let args = [queue, flags, range, count, waits, event, kernel, literal, bytes, locals, list.addr];
    Ok(runtime_call(call, RuntimeCall::EnqueueKernel, &args))
}

/// A query of a block's kernel; the block is the last argument.
fn block_query(call: &mut Call<'_, '_, '_>, query: RuntimeCall) -> Result<Option<Value>> {
    let Some(last) = call.args.len().checked_sub(1) else { return Err(call.malformed()) };
    let Some(block) = block(call, last)? else { return Ok(unknown_block(call)) };
    let mut args = call.args.clone();
    args.truncate(last);
    args.push(call.cx.f.bits(I64, block.number));
    Ok(runtime_call(call, query, &args))
}

/// The block that argument `i` is; `None` if it is not known.
fn block(call: &mut Call<'_, '_, '_>, i: usize) -> Result<Option<Enqueued>> {
    let Some(block) = call.exprs.get(i).copied() else { return Err(call.malformed()) };
    call.cx.enqueued_block(block)
}

/// Represents the use of a block that is not known when the program is compiled.
fn unknown_block(call: &mut Call<'_, '_, '_>) -> Option<Value> {
    call.cx.unsupported("enqueue of a block that is not known", &[], Some(I32))
}

/// `ndrange_1D` and its like: the address of an `ndrange_t`. Arguments are the sizes, with the local sizes
/// after them and the offsets before, as numbers or pointers to arrays of them.
fn range(call: &mut Call<'_, '_, '_>, dims: u8) -> Result<Value> {
    let (zero, one) = (call.cx.i64(0), call.cx.i64(1));
    let (offset, global, local) = match call.args.len() {
        1 => (None, 0, None),
        2 => (None, 0, Some(1)),
        _ => (Some(0), 1, Some(2)),
    };
    let object = ObjectRef::new(call.cx.slot(ndrange::BYTES as u64, 8)?, 8);
    let count = call.cx.f.bits(I32, u64::from(dims));
    let head = call.cx.part(object, ndrange::DIMS as u64);
    call.cx.store(head, count);
    let parts = [
        (ndrange::OFFSET, offset, zero),
        (ndrange::GLOBAL, Some(global), one),
        (ndrange::LOCAL, local, zero),
    ];
    for (at, arg, absent) in parts {
        for dim in 0..3u8 {
            let value = match arg {
                Some(arg) if dim < dims => number(call, arg, dims, dim)?,
                // A local size of 0 is unspecified.
                _ => absent,
            };
            let to = call.cx.part(object, at as u64 + 8 * u64::from(dim));
            call.cx.store(to, value);
        }
    }
    Ok(object.addr)
}

/// The number of a dimension in an argument.
fn number(call: &mut Call<'_, '_, '_>, arg: usize, dims: u8, dim: u8) -> Result<Value> {
    let value = call.arg(arg)?;
    if dims == 1 {
        return Ok(resize(call.cx, value, I64, false));
    }
    let element = call.cx.part(ObjectRef::new(value, 8), 8 * u64::from(dim));
    Ok(call.cx.load(element, I64))
}

#[cfg(test)]
mod tests {
    use crate::front::c::compile::compile;
    use crate::ir::runtime::{block_name, block_number};
    use crate::ir::verify::verify_module;
    use crate::ir::{Module, Op, RUNTIME_CALLS, RuntimeCall};
    use crate::options::{CompileRequest, Extent, FrontConfig, LibraryCode, Options};

    fn module(source: &str) -> Module {
        let extensions = ["device_enqueue", "generic_address_space", "int64", "subgroups"];
        let config = FrontConfig {
            extensions: extensions.map(|e| format!("__opencl_c_{e}")).to_vec(),
            opencl_version: 310,
            ..FrontConfig::default()
        };
        let options = Options { std: "CL3.0".into(), ..Options::default() };
        let request = CompileRequest::new(source, &options, &config);
        let request = CompileRequest { extent: Extent::Program, ..request };
        let LibraryCode::Ir(module) = compile(&request).unwrap().library.code else {
            panic!("a library without IR");
        };
        let module = module.module().unwrap();
        verify_module(&module).unwrap();
        (*module).clone()
    }

    /// Calls of the runtime, with the constants among their operands.
    fn calls(module: &Module) -> Vec<(RuntimeCall, Vec<Option<u64>>)> {
        let functions = module.functions.values();
        let insts = functions.flat_map(|f| f.insts.values().map(move |inst| (f, inst)));
        let calls = insts.filter_map(|(f, inst)| match inst.op {
            Op::Runtime(call) => Some((call, inst.args.iter().map(|a| f.as_bits(*a)).collect())),
            _ => None,
        });
        calls.collect()
    }

    #[test]
    fn every_function_is_a_call_of_the_runtime() {
        let module = module(
            "kernel void k(global ulong *p) {
               queue_t q = get_default_queue();
               clk_event_t e = create_user_event(), f[2] = { CLK_NULL_EVENT, e };
               void (^b)(void) = ^{ p[0] = 1; };
               const size_t three[3] = { 1, 2, 3 };
               set_user_event_status(e, CL_COMPLETE);
               retain_event(e);
               release_event(f[1]);
               p[1] = is_valid_event(f[0]);
               capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, p + 2);
               p[4] = enqueue_marker(q, 2, f, &e);
               p[5] = get_kernel_work_group_size(b) + get_kernel_preferred_work_group_size_multiple(b);
               ndrange_t r = ndrange_3D(three, three, three);
               p[6] = get_kernel_sub_group_count_for_ndrange(r, b) + get_kernel_max_sub_group_size_for_ndrange(r, b);
               p[7] = enqueue_kernel(q, 0, ndrange_2D(three), 1, &e, &f[0], b);
             }",
        );
        let mut found: Vec<RuntimeCall> = calls(&module).iter().map(|(call, _)| *call).collect();
        found.sort_by_key(|call| call.number());
        // The others are instructions of SPIR-V only.
        assert_eq!(found, RUNTIME_CALLS[..found.len()]);
        assert_eq!(found.len(), RUNTIME_CALLS.len() - 2);
        let blocks = module.kernels.iter().filter(|k| block_number(&k.name).is_some());
        assert_eq!(blocks.count(), 1);
    }

    #[test]
    fn forms_of_enqueue_have_the_operands_of_the_longest() {
        let module = module(
            "kernel void k(queue_t q, global int *p, int n, long4 v) {
               clk_event_t e[2];
               enqueue_kernel(q, 0, ndrange_1D(1), ^{ });
               enqueue_kernel(q, 1, ndrange_1D(1), 2, e, e + 1, ^{ p[0] = n; });
               enqueue_kernel(q, 2, ndrange_1D(1), ^(local void *a, local void *b) { p[1] = v.x; }, n, 8);
               enqueue_kernel(q, 2, ndrange_1D(1), 0, NULL, 0, ^(local void *a) { p[n] = 1; }, 16);
               enqueue_kernel(q, 0, ndrange_1D(1), ^{ return n; });
             }",
        );
        let found = calls(&module);
        assert!(found.iter().all(|(call, _)| *call == RuntimeCall::EnqueueKernel));
        // Flags, number of events, bytes of the literal, number of sizes.
        let mut known: Vec<_> = found.iter().map(|(_, a)| [a[1], a[3], a[8], a[9]]).collect();
        known.sort();
        let expected = [[0, 0, 8, 0], [0, 0, 12, 0], [1, 2, 20, 0], [2, 0, 20, 1], [2, 0, 64, 2]];
        assert_eq!(known, expected.map(|row| row.map(Some)));
        // The operand is the number in the name of the entry, whose arguments are the literal and the sizes.
        for (_, operands) in &found {
            let name = block_name(operands[6].unwrap());
            let entry = module.kernels.iter().find(|k| k.name == name).unwrap();
            assert_eq!(entry.args.len() as u64, 1 + operands[9].unwrap());
            assert_eq!(entry.args[0].size, 8);
        }
    }
}
