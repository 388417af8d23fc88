//! Vectorisation: a function of one work-item becomes one of a vector of neighbouring work-items.
//!
//! A value is a scalar if it is uniform over the vector, a scalar with a stride if it is affine, and a vector
//! if it varies ([`operand`]). Uniform control flow stays control flow; where the work-items of a vector
//! diverge, both ways are taken under masks, each skipped when no work-item takes it. So a vector only
//! reaches code with an active work-item.
//!
//! *Parallel regions* are what the vectors of a group run between barriers. In the result a block that
//! contains a group barrier ends a region; what follows the barrier in the block is run once for the group
//! ([`super::regions`]). Constructs that contain barriers are control flow between regions.
//!
//! Block parameters and masks of joins are stack slots, which are promoted in the end.

mod atomics;
mod calls;
mod control;
mod groups;
mod memory;
mod operand;
mod ops;
mod private;
mod queries;
mod region;
mod state;
mod stream;
mod vectorizer;

use crate::analysis::sub_groups::uses_sub_groups;
use crate::analysis::tree;
use crate::analysis::uniformity::UniformityInfo;
use crate::error::Result;
use crate::ir::*;
use crate::passes::lower::state::kernel_of;
use crate::passes::native::sub_groups::vector_width;
use crate::passes::{Pass, PassContext};
use crate::target::CodeGenerator;
use rustc_hash::FxHashMap;
use state::VaryingArgs;
use std::collections::hash_map::Entry;
use vectorizer::{Request, Vectorizer};

/// The pass `vectorize`. A kernel becomes a function for all groups, and one for groups of whole vectors
/// unless the code is instrumented or baseline code; non-inlined functions become one for each set of varying
/// arguments.
pub struct Vectorize;

impl Pass for Vectorize {
    fn name(&self) -> &'static str {
        "vectorize"
    }
    fn needs(&self) -> Phase {
        Phase::Inlined
    }
    fn applies(&self, cx: &PassContext<'_>) -> bool {
        cx.target.cpu().is_some()
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let Some(cpu) = cx.target.cpu() else { return Ok(false) };
        let (kernel, info) = kernel_of(module)?;
        let func = module.functions[kernel].clone();
        let linear = uses_sub_groups(&func);
        let width = if linear { vector_width(&module.kernels[info], cpu) } else { cpu.vector_width };
        let shape = VectorShape { width: width as u8, linear, whole: false };
        let tree = tree::build(&func)?;
        let info = UniformityInfo::new(&func, &tree, linear, cpu.instrumented, &[]);
        let addresses_in_memory =
            cpu.generator == CodeGenerator::Llvm && !cpu.instrumented && !cpu.has(atomics::INTEL);
        let masked_by_lanes = cpu.generator.is_cranelift();
        let mut callees = Callees::default();
        callees.reserve(module, &func, &info, shape, cpu.instrumented);
        let streams = stream::addresses(&func);
        let request = |whole| Request {
            func: &func,
            entry: state::Entry::Kernel,
            info: &info,
            tree: &tree,
            shape: VectorShape { whole, ..shape },
            instrumented: cpu.instrumented,
            addresses_in_memory,
            masked_by_lanes,
            streams: Some(&streams),
            callees: &callees.refs,
        };
        let any = Vectorizer::function(&func.name, request(false))?;
        let has_whole = !cpu.instrumented && cpu.generator != CodeGenerator::Baseline;
        let whole = has_whole.then(|| Vectorizer::function(&format!("{}.whole", func.name), request(true)));
        let whole = whole.transpose()?;
        module.functions[kernel] = any;
        if let Some(whole) = whole {
            module.functions.push(whole);
        }
        while let Some((callee, varying)) = callees.work.pop() {
            let func = module.functions[callee].clone();
            let tree = tree::build(&func)?;
            let parameters = calls::parameters(&func, varying);
            let info = UniformityInfo::new(&func, &tree, false, cpu.instrumented, &parameters);
            callees.reserve(module, &func, &info, shape, cpu.instrumented);
            let Some(&to) = callees.refs.get(&(callee, varying)) else { continue };
            let request = Request {
                func: &func,
                entry: state::Entry::Function(varying),
                info: &info,
                tree: &tree,
                shape: VectorShape { linear: false, ..shape },
                instrumented: cpu.instrumented,
                addresses_in_memory,
                masked_by_lanes,
                streams: None,
                callees: &callees.refs,
            };
            module.functions[to] = Vectorizer::function(&calls::name(&func, varying), request)?;
        }
        Ok(true)
    }
}

/// Vectorised non-inlined functions, by function and varying arguments.
#[derive(Default)]
struct Callees {
    refs: FxHashMap<(FuncRef, VaryingArgs), FuncRef>,
    work: Vec<(FuncRef, VaryingArgs)>,
}

impl Callees {
    /// Reserves functions for what a function calls.
    fn reserve(
        &mut self,
        module: &mut Module,
        func: &Function,
        info: &UniformityInfo,
        shape: VectorShape,
        instrumented: bool,
    ) {
        for (callee, varying) in calls::called(func, info, instrumented) {
            let Entry::Vacant(entry) = self.refs.entry((callee, varying)) else { continue };
            let scalar = &module.functions[callee];
            let (name, sig) = (calls::name(scalar, varying), calls::signature(&scalar.sig, varying, shape));
            entry.insert(module.functions.push(Function::new(&name, sig, Linkage::Internal)));
            self.work.push((callee, varying));
        }
    }
}
