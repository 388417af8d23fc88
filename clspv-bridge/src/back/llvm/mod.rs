//! Native code for the host's processor: one function per kernel that runs a work-group, as textual LLVM IR.
//!
//! ```text
//! structured kernel --> tree of constructs --uniformity analysis-->
//!   --emit, until liveness settles--> LLVM IR --clang child--> shared object
//! ```
//!
//! The code is vectorised here, not by LLVM. Each value is a scalar if it is uniform over the work-items of a
//! vector, a scalar with a stride if it is affine, and a vector if it varies. Memory accesses are whole
//! vectors where addresses are contiguous; divergent control flow becomes masks. `crate::native` is the
//! contract with the runtime.

mod calls;
mod check;
mod control;
mod emit;
mod groups;
mod memory;
mod operand;
mod ops;
mod runtime;
mod stream;
mod tool;

use crate::analysis::sub_groups::uses_sub_groups;
use crate::analysis::tree::{self, Seq};
use crate::analysis::uniformity::{self, UniformityInfo};
use crate::error::{CompileError, Result};
use crate::ir::*;
use crate::metadata::ArgKind;
use crate::native::NativeKernel;
use crate::passes::PassContext;
use crate::passes::lower::globals::DataLayout;
use crate::passes::lower::state::kernel_of;
use emit::{Emit, Request};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

pub use tool::{Effort, shared_object};

/// A module's text: the functions with what precedes and follows them.
fn module_text(functions: &[&str]) -> String {
    let mut text = String::from("source_filename = \"pyroclast\"\n\n");
    for f in functions {
        text.push_str(f);
    }
    // The code consists of wide vectors.
    text.push_str("attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\" }\n!0 = !{}\n!1 = !{i32 1}\n");
    text
}

/// The text of a kernel's functions, in pieces that need not be in one module. `module` holds a single kernel
/// and what it calls, structured ([`crate::pipeline::NATIVE`]); `number` makes its symbols unique.
pub fn kernel(
    module: &Module,
    data: &DataLayout,
    number: usize,
    cx: &PassContext<'_>,
) -> Result<(NativeKernel, Vec<String>)> {
    let Some(cpu) = &cx.target.cpu else {
        return Err(CompileError::internal("no processor to make code for"));
    };
    let width = cpu.width;
    let (kernel, index) = kernel_of(module)?;
    let info = &module.kernels[index];
    let func = &module.functions[kernel];
    let linear = uses_sub_groups(func);
    let tree = tree::build(func)?;
    let has_barrier = tree::contains_barrier(func, &tree);
    let uniformity = UniformityInfo::new(func, &tree, linear, cpu.instrumented, &[]);
    let mut local = HashMap::new();
    let mut static_local_bytes = 0u32;
    let insts =
        |f: &Function| f.layout.iter().flat_map(|b| f.blocks[*b].insts.clone()).collect::<Vec<Inst>>();
    for f in module.functions.values() {
        for i in insts(f) {
            if let Op::GlobalAddr(g) = f.insts[i].op
                && module.globals[g].space == Space::Local
                && !local.contains_key(&g)
            {
                let at = static_local_bytes.next_multiple_of(module.globals[g].align.clamp(16, 128));
                static_local_bytes = at + module.globals[g].size;
                local.insert(g, at);
            }
        }
    }
    let first = info.args_size.next_multiple_of(8);
    let local_args: Vec<(u16, u32)> = (0u16..)
        .zip(&info.args)
        .filter(|(_, a)| a.kind == ArgKind::LocalPtr)
        .enumerate()
        .map(|(n, (i, _))| (i, first + 8 * n as u32))
        .collect();
    let mut info = info.clone();
    let mut args_bytes = first + 8 * local_args.len() as u32;
    for arg in info.args.iter_mut().filter(|a| a.kind == ArgKind::Image) {
        arg.offset = args_bytes;
        args_bytes += 8;
    }
    let any = format!("k{number}a");
    let names =
        if cpu.instrumented { vec![(any, false)] } else { vec![(format!("k{number}w"), true), (any, false)] };
    let streams = stream::addresses(func);
    let mut texts = Vec::new();
    let (mut frame_end, mut stream_bytes) = (0, 0);
    let (mut private, mut private_bytes) = (Vec::new(), private_bytes_of(func));
    for (name, whole) in &names {
        let made = Emit::function(name, || Request {
            func,
            entry: calls::Entry::Kernel,
            number,
            info: &info,
            uniformity: &uniformity,
            tree: &tree,
            data,
            local: &local,
            local_args: &local_args,
            width,
            whole: *whole,
            linear,
            has_barrier,
            instrumented: cpu.instrumented,
            frame_base: 0,
            streams: Some(&streams),
        })?;
        texts.push(made.text);
        stream_bytes = stream_bytes.max(made.stream_bytes);
        frame_end = frame_end.max(made.frame_end);
        private = check::private_locations(func, &made.slots);
    }
    let mut callees: HashMap<FuncRef, Seq> = HashMap::new();
    let mut work: Vec<_> = calls::called(func, &uniformity, cpu.instrumented).into_iter().collect();
    let mut done = HashSet::new();
    if !work.is_empty() {
        // Functions stay in one module with both of their callers.
        texts = vec![texts.concat()];
    }
    while let Some((callee, varying)) = work.pop() {
        if !done.insert((callee, varying)) {
            continue;
        }
        let func = &module.functions[callee];
        let tree = match callees.entry(callee) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(tree::build(func)?),
        };
        let tree = &*tree;
        let uniformity =
            UniformityInfo::new(func, tree, false, cpu.instrumented, &calls::parameters(func, varying));
        let made = Emit::function(&calls::name(number, callee, varying), || Request {
            func,
            entry: calls::Entry::Function(varying),
            number,
            info: &info,
            uniformity: &uniformity,
            tree,
            data,
            local: &local,
            local_args: &local_args,
            width,
            whole: false,
            linear: false,
            has_barrier: false,
            instrumented: cpu.instrumented,
            frame_base: if cpu.instrumented { frame_end } else { 0 },
            streams: None,
        })?;
        texts.iter_mut().for_each(|text| text.push_str(&made.text));
        work.extend(calls::called(func, &uniformity, cpu.instrumented));
        if cpu.instrumented {
            frame_end = made.frame_end;
            private.extend(check::private_locations(func, &made.slots));
            private_bytes += private_bytes_of(func);
        }
    }
    if cpu.instrumented {
        texts.iter_mut().for_each(|text| *text = text.replace(emit::FRAME_BYTES, &frame_end.to_string()));
    }
    let (whole, any) = (names[0].0.clone(), names[names.len() - 1].0.clone());
    let variables = cpu.instrumented.then(|| check::variable_locations(module, data, &local, private));
    let native = NativeKernel {
        info,
        whole,
        any,
        width,
        linear,
        has_barriers: has_barrier,
        frame_bytes: frame_end,
        static_local_bytes,
        args_bytes,
        local_args,
        private_bytes,
        has_sub_groups: linear,
        zero_local: cx.options.initialize_local,
        stream_bytes,
        reports_errors: cx.options.debug_info,
        uniform_groups: cx.options.uniform_work_group_size,
        variables,
    };
    Ok((native, texts))
}

/// Bytes of a function's private variables.
fn private_bytes_of(func: &Function) -> u32 {
    func.slots.values().map(uniformity::slot_bytes).sum()
}
