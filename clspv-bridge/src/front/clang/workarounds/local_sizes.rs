//! Sizes of local variables that LLVM's SPIR-V back end loses.
//!
//! A variable whose every use passes its address to a built-in function gets the type that the function's
//! parameter points to. For example `local ushort data[2048]`, used by `vstore_half2` and
//! `async_work_group_copy` alone, becomes one `ushort`. [`may_be_wrong`] finds modules where that can matter.
//! For these the LLVM IR is compiled with the sizes in the variables' names ([`note`]), from which the SPIR-V
//! reader takes them.

use crate::front::clang::symbols::replace_names;
use crate::front::markers::SIZED;
use crate::front::spirv::read;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Op, StorageClass};

/// Whether a local variable has a scalar or vector type, and its address has a use that may access more than
/// that.
pub fn may_be_wrong(words: &[u32]) -> bool {
    let joined = read::Joined::default();
    let Ok(insts) = read::instructions(words, &joined) else { return false };
    let mut plain: FxHashSet<u32> = FxHashSet::default();
    let mut pointers: FxHashSet<u32> = FxHashSet::default();
    let mut variables: FxHashSet<u32> = FxHashSet::default();
    let mut atomics: FxHashSet<u32> = FxHashSet::default();
    for inst in &insts {
        let word = |i: usize| inst.ops.get(i).copied().unwrap_or(0);
        match inst.op {
            Op::TypeInt | Op::TypeFloat | Op::TypeVector => drop(plain.insert(word(0))),
            Op::TypePointer if word(1) == StorageClass::Workgroup as u32 && plain.contains(&word(2)) => {
                pointers.insert(word(0));
            }
            Op::Name if inst.string(1).is_ok_and(|(name, _)| name.contains("atom")) => {
                atomics.insert(word(0));
            }
            Op::Bitcast if variables.contains(&word(2)) => drop(variables.insert(word(1))),
            Op::Variable if pointers.contains(&word(0)) => drop(variables.insert(word(1))),
            _ => {}
        }
        if variables.is_empty() {
            continue;
        }
        // Operands that are identifiers, of instructions that may access more than the variable's type.
        // Atomic operations do not, nor do the functions of that name.
        let operands = match inst.op {
            Op::ExtInst => inst.rest(4),
            Op::Store => &inst.rest(1)[..1.min(inst.rest(1).len())],
            Op::FunctionCall if atomics.contains(&word(2)) => continue,
            Op::GroupAsyncCopy
            | Op::ConvertPtrToU
            | Op::PtrCastToGeneric
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::CopyMemory
            | Op::CopyMemorySized
            | Op::Phi
            | Op::Select
            | Op::FunctionCall => inst.ops,
            _ => continue,
        };
        if operands.iter().any(|id| variables.contains(id)) {
            return true;
        }
    }
    false
}

/// The LLVM IR with the sizes in the names of its local variables; `None` if it has none.
pub fn note(ir: &str) -> Option<String> {
    let types = Types::read(ir);
    let mut names: FxHashMap<&str, String> = FxHashMap::default();
    for line in ir.lines() {
        let Some((name, rest)) =
            line.strip_prefix('@').and_then(|l| l.split_once(" = internal addrspace(3) global "))
        else {
            continue;
        };
        if let Some(size) = types.layout(rest).map(|(l, _)| l.size) {
            let sized = match name.strip_prefix('"') {
                Some(quoted) => format!("\"{SIZED}{size}.{quoted}"),
                None => format!("{SIZED}{size}.{name}"),
            };
            names.insert(name, sized);
        }
    }
    if names.is_empty() {
        return None;
    }
    Some(replace_names(ir, |name| names.get(name).cloned()))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Layout {
    size: u64,
    align: u64,
}

/// The named structures of a module, and sizes of types in their text form.
struct Types<'a> {
    named: FxHashMap<&'a str, &'a str>,
}

impl<'a> Types<'a> {
    fn read(ir: &'a str) -> Types<'a> {
        let named = ir.lines().filter_map(|l| l.strip_prefix('%')?.split_once(" = type ")).collect();
        Types { named }
    }

    /// Size and alignment of the type at the start of the text, and the rest of the text.
    fn layout<'t>(&self, text: &'t str) -> Option<(Layout, &'t str)> {
        self.layout_at(text, 0)
    }

    fn layout_at<'t>(&self, text: &'t str, depth: u32) -> Option<(Layout, &'t str)> {
        if depth > 64 {
            return None;
        }
        if let Some(inner) = text.strip_prefix('[') {
            let (count, inner) = inner.split_once(" x ")?;
            let (lane, rest) = self.layout_at(inner, depth + 1)?;
            let size = lane.size.checked_mul(count.parse().ok()?)?;
            return Some((Layout { size, ..lane }, rest.strip_prefix(']')?));
        }
        if let Some(members) = text.strip_prefix("<{") {
            let (layout, rest) = self.members(members, true, depth)?;
            return Some((layout, rest.strip_prefix('>')?));
        }
        if let Some(members) = text.strip_prefix('{') {
            return self.members(members, false, depth);
        }
        if let Some(inner) = text.strip_prefix('<') {
            let (count, inner) = inner.split_once(" x ")?;
            let (lane, rest) = self.layout_at(inner, depth + 1)?;
            // Three lanes occupy the space of four.
            let size = lane.size.checked_mul(count.parse::<u64>().ok()?.checked_next_power_of_two()?)?;
            return Some((Layout { size, align: size }, rest.strip_prefix('>')?));
        }
        if let Some(rest) = text.strip_prefix("ptr") {
            let rest = match rest.strip_prefix(" addrspace(") {
                Some(space) => space.split_once(')')?.1,
                None => rest,
            };
            return Some((Layout { size: 8, align: 8 }, rest));
        }
        let end = text.find([',', ' ', ']', '}', '>']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        if let Some(name) = word.strip_prefix('%') {
            return Some((self.layout_at(self.named.get(name)?, depth + 1)?.0, rest));
        }
        let size = match word {
            "half" => 2,
            "float" => 4,
            "double" => 8,
            _ => word
                .strip_prefix('i')?
                .parse::<u64>()
                .ok()
                .filter(|n| *n <= 64)?
                .div_ceil(8)
                .next_power_of_two(),
        };
        Some((Layout { size, align: size }, rest))
    }

    /// Members up to the closing brace.
    fn members<'t>(&self, text: &'t str, packed: bool, depth: u32) -> Option<(Layout, &'t str)> {
        let mut whole = Layout { size: 0, align: 1 };
        let mut text = text.trim_start();
        loop {
            if let Some(rest) = text.strip_prefix('}') {
                whole.size = whole.size.checked_next_multiple_of(whole.align)?;
                return Some((whole, rest));
            }
            let (member, rest) = self.layout_at(text, depth + 1)?;
            let align = if packed { 1 } else { member.align.max(1) };
            whole.size = whole.size.checked_next_multiple_of(align)?.checked_add(member.size)?;
            whole.align = whole.align.max(align);
            text = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::clang;
    use crate::ir::Space;
    use crate::options::{CompileRequest, FrontConfig, Options};

    #[test]
    fn sizes_follow_the_layout() {
        let ir = "%struct.S = type { [10 x i32], i8, double, <3 x float> }\n%struct.P = type <{ i8, i32, ptr addrspace(1) }>\n";
        let types = Types::read(ir);
        let size = |text: &str| types.layout(text).map(|(l, rest)| (l.size, rest.to_owned()));
        assert_eq!(size("[2048 x i16] undef, align 2"), Some((4096, " undef, align 2".into())));
        assert_eq!(size("%struct.S undef"), Some((80, " undef".into())));
        assert_eq!(size("[3 x %struct.P] undef"), Some((39, " undef".into())));
        assert_eq!(size("target(\"spirv.Event\") undef"), None);
    }

    #[test]
    fn names_carry_sizes() {
        let ir = "@k.data = internal addrspace(3) global [8 x i16] undef, align 2\n@c = addrspace(2) constant i8 0\n\
            call spir_func void @f(ptr addrspace(3) @k.data), @c, @k.data2\n";
        let noted = note(ir).unwrap();
        assert!(noted.contains("@pc.size.16.k.data = internal addrspace(3) global [8 x i16] undef"));
        assert!(noted.contains("@f(ptr addrspace(3) @pc.size.16.k.data), @c, @k.data2"));
        assert_eq!(note("@c = addrspace(2) constant i8 0\n"), None);
    }

    /// Arrays that only built-in functions use keep their size; variables of one element need no second step.
    #[test]
    fn arrays_for_built_ins_keep_their_size() {
        let config = FrontConfig { opencl_version: 310, ..FrontConfig::default() };
        if clang::is_missing() {
            return;
        }
        let locals = |source: &str| -> (Vec<(String, u32)>, bool) {
            let lib =
                clang::compile(&CompileRequest::new(source, &Options::default(), &config)).unwrap().library;
            let module = crate::front::spirv::read(lib.code.spirv(), &[]).unwrap();
            let locals = module.globals.values().filter(|g| g.space == Space::Local);
            (locals.map(|g| (g.name.clone(), g.size)).collect(), may_be_wrong(lib.code.spirv()))
        };
        let copies = "kernel void k(global ushort *p, global float2 *f) { local ushort data[2048]; \
            vstore_half2(f[get_global_id(0)], get_local_id(0), (local half *)data); barrier(CLK_LOCAL_MEM_FENCE); \
            event_t e = async_work_group_copy(p, data, 256, 0); wait_group_events(1, &e); }";
        assert_eq!(locals(copies).0, [("k.data".to_owned(), 4096)]);
        let counter = "kernel void k(global int *p) { local int n; if (get_local_id(0) == 0) n = 0; barrier(CLK_LOCAL_MEM_FENCE); \
            atomic_inc(&n); barrier(CLK_LOCAL_MEM_FENCE); *p = n; }";
        assert_eq!(locals(counter), (vec![("k.n".to_owned(), 4)], false));
    }
}
