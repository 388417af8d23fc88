//! Loop-closed SSA for drivers that run lanes in lockstep and overwrite values of loops
//! (`Target::needs_lcssa`).
//!
//! llvmpipe goes on computing every value of a loop in lanes that have left it, for as long as one lane has
//! not; only phis keep their values. A value used after the loop then comes from the last iteration of any
//! lane, and its operands partly from the lane's own last iteration and partly not.
//!
//! So every such value becomes a parameter of the loop's merge block, assigned where a lane leaves. The merge
//! block gets one more predecessor lest the driver remove the phi again: the loop's header, under a condition
//! that never holds but that no driver can prove false (a dispatch without work-groups).
//!
//! Loops that all lanes leave together are skipped, as are values that are parameters (phis) themselves.
//! Works on structured code only, and keeps it structured.

use crate::analysis::{Cfg, CrossUses, DomTree};
use crate::error::Result;
use crate::ir::*;
use crate::passes::{Pass, PassContext};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass `lcssa`.
pub struct Lcssa;

impl Pass for Lcssa {
    fn name(&self) -> &'static str {
        "lcssa"
    }
    fn needs(&self) -> Phase {
        Phase::Structured
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let mut changed = false;
        if cx.target.vulkan().is_some_and(|vulkan| vulkan.needs_lcssa) {
            for f in module.functions.values_mut() {
                changed |= close_loops(f);
            }
        }
        Ok(changed)
    }
}

/// A structured loop.
struct StructuredLoop {
    header: Block,
    merge: Block,
    cont: Block,
    /// The blocks of the loop in layout order.
    body: Vec<Block>,
    /// Set of the blocks of the loop.
    inside: EntitySet<Block>,
    /// Blocks of the loop with an edge to the merge block, in layout order.
    leaving: Vec<Block>,
}

/// Closes every loop of a function that lanes do not leave together; true if anything changed.
pub fn close_loops(func: &mut Function) -> bool {
    let loops = find(func);
    if loops.is_empty() {
        return false;
    }
    let cfg = Cfg::new(func);
    let dom = DomTree::new(&cfg);
    let uniform = Uniform::new(func, &cfg, &dom, &loops);
    // Inner loops first: values that leave them are then parameters, defined in the loop around.
    let todo: Vec<&StructuredLoop> =
        loops.iter().rev().filter(|l| !uniform.leaves_together(func, &cfg, &dom, l)).collect();
    if todo.is_empty() {
        return false;
    }
    let mut uses = CrossUses::new(func);
    let mut never = None;
    for l in todo {
        let escaping = escaping(func, l, &uses);
        if !escaping.is_empty() {
            merge_values(func, l, &escaping, &mut uses, &mut never);
        }
    }
    never.is_some()
}

fn find(func: &Function) -> Vec<StructuredLoop> {
    let mut position: SecondaryMap<Block, u32> = SecondaryMap::new();
    for (n, &b) in func.layout.iter().enumerate() {
        position[b] = n as u32;
    }
    let mut loops = Vec::new();
    for &header in &func.layout {
        let Some(Merge::Loop { merge, cont }) = func.blocks[header].merge else { continue };
        let mut inside = EntitySet::new();
        inside.insert(header);
        let mut body = vec![header];
        let mut leaving = Vec::new();
        let mut next = 0;
        while let Some(&b) = body.get(next) {
            next += 1;
            for t in func.successors(b) {
                if t.block == merge {
                    leaving.push(b);
                } else if inside.insert(t.block) {
                    body.push(t.block);
                }
            }
        }
        body.sort_unstable_by_key(|b| position[*b]);
        leaving.sort_unstable_by_key(|b| position[*b]);
        leaving.dedup();
        loops.push(StructuredLoop { header, merge, cont, body, inside, leaving });
    }
    loops
}

/// Values of the loop that are used after it.
///
/// Arguments for parameters of its merge block are included where a driver would see through these. The list
/// is empty if it holds only parameters. Otherwise parameters are included, because their blocks do not
/// dominate the merge block once it has its new predecessor.
fn escaping(func: &Function, l: &StructuredLoop, uses: &CrossUses) -> Vec<Value> {
    let equal_on_all_edges = |n: usize| {
        let mut values = edges_to_merge(func, l).map(|t| t.args[n]);
        values.next().filter(|first| values.all(|v| v == *first))
    };
    let passed: FxHashSet<Value> =
        (0..func.blocks[l.merge].params.len()).filter_map(equal_on_all_edges).collect();
    let is_used_after =
        |v: &&Value| passed.contains(*v) || uses.of(**v).iter().any(|user| !l.inside.contains(*user));
    let mut found = Vec::new();
    for &b in &l.body {
        let params = if b == l.header { &[][..] } else { &func.blocks[b].params };
        let results = func.blocks[b].insts.iter().flat_map(|&i| &func.insts[i].results);
        found.extend(params.iter().chain(results).filter(is_used_after));
    }
    if found.iter().all(|&v| matches!(func.values[v].def, ValueDef::Param(..))) { Vec::new() } else { found }
}

fn edges_to_merge<'a>(func: &'a Function, l: &'a StructuredLoop) -> impl Iterator<Item = &'a BlockCall> {
    l.leaving.iter().flat_map(|&b| func.successors(b)).filter(|t| t.block == l.merge)
}

/// Adds a parameter to the merge block for each value, and an edge from the header that is never taken.
fn merge_values(
    func: &mut Function,
    l: &StructuredLoop,
    values: &[Value],
    uses: &mut CrossUses,
    never: &mut Option<Value>,
) {
    let Some(terminator) = func.terminator(l.header).filter(|&t| func.insts[t].op == Op::Jump) else {
        // Not reached: the headers that the structurizer makes end in a jump.
        return;
    };
    let mut params: FxHashMap<Value, Value> = FxHashMap::default();
    let mut users: FxHashSet<Block> = FxHashSet::default();
    for &v in values {
        let ty = func.ty(v);
        let param = func.add_param(l.merge, ty);
        params.insert(v, param);
        for b in uses.take(v, |b| !l.inside.contains(*b)) {
            uses.add(param, b);
            users.insert(b);
        }
    }
    for b in users {
        func.replace_uses_in(b, &params);
    }
    for &b in &l.leaving {
        let Some(t) = func.terminator(b) else { continue };
        for call in func.insts[t].targets.iter_mut().filter(|c| c.block == l.merge) {
            call.args.extend(values.iter().copied());
        }
        values.iter().for_each(|v| uses.add(*v, b));
    }
    let never = *never.get_or_insert_with(|| never_true(func));
    let nothing: Vec<Value> = func.blocks[l.merge].params.clone();
    let nothing: Vec<Value> = nothing.into_iter().map(|p| zero(func, p)).collect();
    let data = &mut func.insts[terminator];
    data.op = Op::BrIf;
    data.args = [never].into_iter().collect();
    data.targets.insert(0, BlockCall::new(l.merge, &nothing));
}

/// Zero in the value's type.
fn zero(func: &mut Function, v: Value) -> Value {
    let ty = func.ty(v);
    func.bits(ty, 0)
}

/// Tests at the function's entry whether the dispatch has no work-groups.
fn never_true(func: &mut Function) -> Value {
    let entry = func.layout[0];
    let zero = func.i32(0);
    let groups = func.make_inst(Op::Input { input: ShaderInput::NumWorkgroups, dim: 0 }, &[], &[I32]);
    let groups_value = func.insts[groups].results[0];
    let test = func.make_inst(Op::Icmp(IntCc::Eq), &[groups_value, zero], &[I1]);
    let insts = &mut func.blocks[entry].insts;
    insts.splice(0..0, [groups, test]);
    func.insts[test].results[0]
}

/// Uniformity: values that are the same in all lanes that run together.
struct Uniform {
    values: FxHashSet<Value>,
}

impl Uniform {
    /// Optimistic fixed point: assumes that loop parameters are uniform and drops those that are not, until
    /// nothing changes.
    fn new(func: &Function, cfg: &Cfg, dom: &DomTree, loops: &[StructuredLoop]) -> Uniform {
        let headers: FxHashMap<Block, &StructuredLoop> = loops.iter().map(|l| (l.header, l)).collect();
        let mut suspects: FxHashSet<Value> =
            headers.keys().flat_map(|&h| func.blocks[h].params.iter().copied()).collect();
        loop {
            let mut u = Uniform { values: suspects.clone() };
            for data in func.data_in_order() {
                let source = match &data.op {
                    Op::PushConst { .. } => true,
                    Op::Input { input, .. } => {
                        use ShaderInput as S;
                        matches!(
                            input,
                            S::WorkgroupId
                                | S::NumWorkgroups
                                | S::WorkgroupSize
                                | S::SubGroupSize
                                | S::NumSubGroups
                                | S::TexelOrder
                                | S::ImageAbilities
                        )
                    }
                    Op::WorkItem { .. } | Op::SlotAddr(_) => false,
                    op => op.is_pure() && data.args.iter().all(|&a| u.is(func, a)),
                };
                if source {
                    u.values.extend(data.results.iter().copied());
                }
            }
            let before = suspects.len();
            for l in loops {
                let together = u.leaves_together(func, cfg, dom, l);
                for (n, &p) in func.blocks[l.header].params.iter().enumerate() {
                    let edges = cfg
                        .preds(l.header)
                        .iter()
                        .flat_map(|&p| func.successors(p))
                        .filter(|t| t.block == l.header);
                    if !together || !edges.into_iter().all(|t| u.is(func, t.args[n])) {
                        suspects.remove(&p);
                    }
                }
            }
            if suspects.len() == before {
                return u;
            }
        }
    }

    fn is(&self, func: &Function, v: Value) -> bool {
        func.as_const(v).is_some() || self.values.contains(&v)
    }

    /// Whether the lanes that enter the loop leave it in the same iteration.
    fn leaves_together(&self, func: &Function, cfg: &Cfg, dom: &DomTree, l: &StructuredLoop) -> bool {
        for &b in &l.leaving {
            // Every branch from here up to the code that all lanes execute in an iteration.
            let mut at = b;
            loop {
                if let Some(t) = func.terminator(at)
                    && func.insts[t].targets.len() > 1
                    && !func.insts[t].args.iter().all(|&c| self.is(func, c))
                {
                    return false;
                }
                if dom.dominates(at, l.cont) {
                    break;
                }
                match dom.idom(at) {
                    Some(up) if l.inside.contains(up) && cfg.preds(at).len() == 1 => at = up,
                    _ => return false,
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{parse, verify};

    fn closed(text: &str) -> (bool, String) {
        let mut module = parse::parse_module(text).unwrap();
        let target = crate::Target::generic().with_vulkan(|vulkan| vulkan.needs_lcssa = true);
        let options = crate::options::Options::default();
        let changed = Lcssa.run(&mut module, &mut PassContext::new(&target, &options)).unwrap();
        verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}"));
        (changed, module.to_string())
    }

    const DIVERGENT: &str = "phase lowered
kernel \"k\" args_size 8 {
}
func @k() kernel 0 {
block0:
    v0 = input local_id 0
    v1 = push_const.i64 0
    br block1(i32 0)
block1(v2: i32):
    v3 = iadd v2, i32 3
    v4 = icmp ult v3, LIMIT
    brif v4, block1(v3), block2
block2:
    store v3, v1 addr align 4
    ret
}
";

    fn through(limit: &str) -> (bool, String) {
        let mut module = parse::parse_module(&DIVERGENT.replace("LIMIT", limit)).unwrap();
        for f in module.functions.values_mut() {
            crate::passes::structure::structurize::structurize(f, true).unwrap();
        }
        module.phase = Phase::Structured;
        closed(&module.to_string())
    }

    #[test]
    fn results_of_divergent_loops_become_parameters() {
        let (changed, text) = through("v0");
        assert!(changed, "{text}");
        assert!(text.contains("num_workgroups"), "{text}");
        // The store uses the merge block's parameter.
        let (_, behind) = text.split_once("store ").unwrap();
        let stored = behind.split(',').next().unwrap();
        assert!(text.contains(&format!("({stored}: i32)")), "{text}");
    }

    /// A parameter of a block in the loop and a result, both used after the loop.
    #[test]
    fn parameters_inside_a_loop_are_taken_along() {
        let text = DIVERGENT
            .replace(
                "    v3 = iadd v2, i32 3\n",
                "    v9 = icmp ult v0, i32 5
    brif v9, block3, block4(i32 7)
block3:
    v7 = imul v0, v2
    br block4(v7)
block4(v8: i32):
    v3 = iadd v2, i32 3\n",
            )
            .replace("LIMIT", "v0")
            .replace("    ret", "    store v8, v1 addr align 4\n    ret");
        let mut module = parse::parse_module(&text).unwrap();
        for f in module.functions.values_mut() {
            crate::passes::structure::structurize::structurize(f, true).unwrap();
        }
        module.phase = Phase::Structured;
        assert!(closed(&module.to_string()).0);
    }

    #[test]
    fn lanes_that_leave_together_need_nothing() {
        assert!(!through("i32 100").0);
    }
}
