//! A kernel's functions for the host's processor, as all code generators see them: names, the layout of
//! arguments and local memory, and the contract with the runtime ([`crate::native`]).

use crate::analysis::uniformity::slot_bytes;
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::{ArgKind, KernelInfo};
use crate::native::{NativeKernel, VariableLocation, VariableLocations};
use crate::passes::PassContext;
use crate::passes::lower::globals::DataLayout;
use crate::passes::native::regions::slot_offsets;
use rustc_hash::FxHashMap;

/// Facts that the functions of a kernel share.
pub(super) struct Program<'a> {
    pub info: KernelInfo,
    pub data: &'a DataLayout,
    /// Offsets of local variables.
    pub local: FxHashMap<Global, u32>,
    /// Offsets in the argument block of the words for local arguments.
    pub local_args: Vec<(u16, u32)>,
    pub instrumented: bool,
    /// Whether the processor estimates reciprocal square roots of vectors to 14 bits (AVX-512).
    pub estimates_rsqrt: bool,
    /// Names of the functions that are called.
    pub symbols: FxHashMap<FuncRef, String>,
}

/// A function to generate code for.
pub(super) struct NativeFunction<'a> {
    pub func: &'a Function,
    pub shape: VectorShape,
    pub name: String,
}

/// A kernel's functions: those for a work-group first, then those that they call.
pub(super) struct NativeFunctions<'a> {
    pub program: Program<'a>,
    pub functions: Vec<NativeFunction<'a>>,
    /// Whether there are functions that others call.
    pub has_callees: bool,
    pub kernel: NativeKernel,
}

/// Lays out a kernel. `module` holds a single kernel and what it calls, after [`crate::pipeline::NATIVE`];
/// `number` makes its symbols unique.
pub(super) fn functions<'a>(
    module: &'a Module,
    data: &'a DataLayout,
    number: usize,
    cx: &PassContext<'_>,
) -> Result<NativeFunctions<'a>> {
    let Some(cpu) = cx.target.cpu() else {
        return Err(CompileError::internal("no processor to make code for"));
    };
    let Some(info) = module.kernels.first() else {
        return Err(CompileError::internal("a module without a kernel"));
    };
    let mut info = info.clone();
    let (local, static_local_bytes) = local_layout(module);
    let first = info.args_size.next_multiple_of(8);
    let local_args: Vec<(u16, u32)> = (0u16..)
        .zip(&info.args)
        .filter(|(_, a)| a.kind == ArgKind::LocalPtr)
        .enumerate()
        .map(|(n, (i, _))| (i, first + 8 * n as u32))
        .collect();
    let mut args_bytes = first + 8 * local_args.len() as u32;
    for arg in info.args.iter_mut().filter(|a| a.kind == ArgKind::Image) {
        arg.offset = args_bytes;
        args_bytes += 8;
    }
    let (mut kernels, mut callees, mut symbols) = (Vec::new(), Vec::new(), FxHashMap::default());
    for (f, func) in module.functions.iter() {
        match func.extent {
            CallExtent::WorkGroup(shape) => {
                let name = format!("k{number}{}", if shape.whole { "w" } else { "a" });
                kernels.push(NativeFunction { func, shape, name });
            }
            CallExtent::Vector(shape) => {
                let name = format!("k{number}f{}", f.index());
                symbols.insert(f, name.clone());
                callees.push(NativeFunction { func, shape, name });
            }
            CallExtent::WorkItem => {}
        }
    }
    let Some(NativeFunction { func, shape, name: any }) = kernels.iter().find(|k| !k.shape.whole) else {
        return Err(CompileError::internal("a kernel without native code"));
    };
    let whole = kernels.iter().find(|k| k.shape.whole).map_or(any, |k| &k.name);
    let functions: Vec<&Function> = match cpu.instrumented {
        true => [*func].into_iter().chain(callees.iter().map(|c| c.func)).collect(),
        false => vec![*func],
    };
    let frames = kernels.iter().map(|k| k.func).chain(functions.iter().copied());
    let frame_bytes = frames.filter_map(|f| f.frame).map(|frame| frame.end).max().unwrap_or(64);
    let kernel = NativeKernel {
        whole: whole.clone(),
        any: any.clone(),
        width: u32::from(shape.width),
        linear: shape.linear,
        has_barriers: func.frame.is_some_and(|frame| frame.per_vector),
        frame_bytes,
        static_local_bytes,
        args_bytes,
        local_args: local_args.clone(),
        private_bytes: functions.iter().flat_map(|f| f.slots.values()).map(slot_bytes).sum(),
        has_sub_groups: shape.linear,
        // Only the module before the passes of native code tells.
        any_local_size: false,
        zero_local: cx.options.initialize_local,
        stream_bytes: kernels.iter().map(|k| stream_bytes(k.func)).max().unwrap_or(0),
        reports_errors: cx.options.debug_info,
        uniform_groups: cx.options.uniform_work_group_size,
        is_large: false,
        variables: cpu.instrumented.then(|| variable_locations(module, data, &local, &functions)),
        info: info.clone(),
    };
    let program = Program {
        info,
        data,
        local,
        local_args,
        instrumented: cpu.instrumented,
        estimates_rsqrt: cpu.has("avx512f") && cpu.has("avx512vl"),
        symbols,
    };
    let has_callees = !callees.is_empty();
    kernels.append(&mut callees);
    Ok(NativeFunctions { program, functions: kernels, has_callees, kernel })
}

/// Offsets of local variables, and the bytes of all.
fn local_layout(module: &Module) -> (FxHashMap<Global, u32>, u32) {
    let (mut local, mut end) = (FxHashMap::default(), 0u32);
    for f in module.functions.values() {
        for i in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
            if let Op::GlobalAddr(g) = f.insts[*i].op
                && module.globals[g].space == Space::Local
                && !local.contains_key(&g)
            {
                let at = end.next_multiple_of(module.globals[g].align.clamp(16, 128));
                end = at + module.globals[g].size;
                local.insert(g, at);
            }
        }
    }
    (local, end)
}

/// Bytes that a work-item stores past the caches.
fn stream_bytes(func: &Function) -> u32 {
    let bytes = |data: &InstData| match &data.op {
        Op::Lanes(LaneOp::Store(access)) if access.nontemporal => {
            let parts = data.args.iter().filter(|a| func.ty(**a).lanes() > 1);
            parts.map(|a| func.ty(*a).lane().access_bytes().unwrap_or(8)).sum()
        }
        _ => 0,
    };
    func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| bytes(&func.insts[*i])).sum()
}

/// Locations of a kernel's variables; private ones are those of the listed functions.
fn variable_locations(
    module: &Module,
    data: &DataLayout,
    local: &FxHashMap<Global, u32>,
    functions: &[&Function],
) -> VariableLocations {
    let global = |g: Global, offset: u32| {
        let d = &module.globals[g];
        VariableLocation { name: d.name.clone(), offset, size: d.size, stride: 0 }
    };
    let private = |func: &&Function| {
        let offsets = slot_offsets(func, func.frame.map_or(0, |frame| frame.start));
        let location = |(d, offset): (&SlotData, u32)| VariableLocation {
            name: String::new(),
            offset,
            size: d.size,
            stride: slot_bytes(d),
        };
        func.slots.values().zip(offsets).map(location).collect::<Vec<_>>()
    };
    let mut found = VariableLocations {
        local: local.iter().map(|(g, at)| global(*g, *at)).collect(),
        private: functions.iter().flat_map(private).collect(),
        program: module.globals.keys().filter_map(|g| data.offset(g).map(|at| global(g, at))).collect(),
    };
    for list in [&mut found.local, &mut found.private, &mut found.program] {
        list.sort_by_key(|p| p.offset);
    }
    found
}
