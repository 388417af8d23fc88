//! OpenCL.std instructions and explicit conversions to plain operations or calls of the built-in library.
//!
//! An operation replaces what the target does precisely enough. The rest becomes a call of the scalar library
//! function `pc_<operation>_<type>` for each lane, declared as an import: run `link::resolve` and `inline`
//! afterwards. Works in any phase. With relaxed math (`-cl-unsafe-math-optimizations`,
//! `-cl-fast-relaxed-math`) native functions are used where the specification's relaxed table allows them.
//! `printf` is left to `lower_printf`.

mod convert;
mod groups;
mod image;
mod integer;
mod math;
mod memory;

use crate::error::{CompileError, Result};
use crate::ir::edit::{Rewrite, try_rewrite_insts};
use crate::ir::*;
use crate::passes::{Pass, PassContext, link};
use rustc_hash::FxHashMap;

/// The pass `lower_builtins`.
pub struct LowerBuiltins;

impl Pass for LowerBuiltins {
    fn name(&self) -> &'static str {
        "lower_builtins"
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        run(module, cx)
    }
}

/// The pass `link_builtins`: lowers built-ins and links the library functions that they become.
pub struct LinkBuiltins;

impl Pass for LinkBuiltins {
    fn name(&self) -> &'static str {
        "link_builtins"
    }
    fn gives(&self) -> Option<Phase> {
        Some(Phase::Linked)
    }
    fn run(&self, module: &mut Module, cx: &mut PassContext<'_>) -> Result<bool> {
        let Some(library) = cx.library else {
            return Err(CompileError::internal("`link_builtins` needs the built-in library"));
        };
        let hardware_math = cx.target.hardware_math();
        // Library functions use built-ins themselves; they do not recurse, so this ends after a few
        // iterations.
        for _ in 0..8 {
            link::resolve(module, library, hardware_math)?;
            if !run(module, cx)? {
                break;
            }
        }
        link::resolve(module, library, hardware_math)?;
        Ok(true)
    }
}

/// Declarations of library functions by name, and variables that they require.
pub(crate) struct Imports<'m> {
    functions: &'m mut PrimaryMap<FuncRef, Function>,
    globals: &'m mut PrimaryMap<Global, GlobalData>,
    by_name: FxHashMap<String, FuncRef>,
    /// The smallest sub-group size that a kernel requires.
    smallest_sub_group: u32,
}

impl Imports<'_> {
    fn get(&mut self, name: &str, sig: Signature) -> FuncRef {
        if let Some(&f) = self.by_name.get(name) {
            return f;
        }
        let f = self.functions.push(Function::new(name, sig, Linkage::Import));
        self.by_name.insert(name.to_owned(), f);
        f
    }
    /// Returns the local variable of this name, which the whole module shares.
    fn local_variable(&mut self, name: &str, size: u32) -> Global {
        if let Some((g, _)) = self.globals.iter().find(|(_, g)| g.name == name) {
            return g;
        }
        self.globals.push(GlobalData::local(name, size))
    }
}

/// Lowering of one instruction.
pub(crate) struct BuiltinLowering<'b, 'f, 'm> {
    pub b: &'b mut Builder<'f>,
    imports: &'b mut Imports<'m>,
    cx: &'b PassContext<'b>,
    /// Relaxed precision is allowed.
    relaxed: bool,
    /// Library code, which uses the device's division and square root (and builds precise ones from them).
    in_library: bool,
}

impl BuiltinLowering<'_, '_, '_> {
    fn call(&mut self, name: &str, args: &[Value], result: Type) -> Value {
        let params = args.iter().map(|&a| self.b.ty(a)).collect();
        let f = self.imports.get(name, Signature { params, results: vec![result] });
        self.b.value(Op::Call(f), args, result)
    }
    fn call_without_result(&mut self, name: &str, args: &[Value]) {
        let params = args.iter().map(|&a| self.b.ty(a)).collect();
        let f = self.imports.get(name, Signature { params, results: vec![] });
        self.b.inst(Op::Call(f), args, &[]);
    }
    /// Calls a scalar library function on each lane.
    fn call_lanes(&mut self, name: &str, args: &[Value], ty: Type) -> Value {
        self.lanes(args, ty, |l, args| l.call(name, args, ty.lane()))
    }
    /// Applies a scalar operation to each lane.
    fn lanes(&mut self, args: &[Value], ty: Type, mut f: impl FnMut(&mut Self, &[Value]) -> Value) -> Value {
        let lanes: Vec<Value> = (0..ty.lanes())
            .map(|i| {
                let scalars: Vec<Value> = args.iter().map(|&a| self.b.extract(a, i as u8)).collect();
                f(self, &scalars)
            })
            .collect();
        self.b.vec_build(&lanes)
    }
    /// An integer constant in every lane.
    fn int(&mut self, ty: Type, x: u64) -> Value {
        self.b.func.bits(ty, x)
    }
    /// A floating-point constant in every lane.
    fn float(&mut self, ty: Type, x: f64) -> Value {
        let bits = match ty.scalar() {
            Some(Scalar::F64) => x.to_bits(),
            Some(Scalar::F16) => half_bits(x) as u64,
            _ => (x as f32).to_bits() as u64,
        };
        self.b.func.bits(ty, bits)
    }
    fn fadd(&mut self, x: Value, y: Value) -> Value {
        self.b.bin(BinOp::Fadd, x, y)
    }
    fn fsub(&mut self, x: Value, y: Value) -> Value {
        self.b.bin(BinOp::Fsub, x, y)
    }
    fn fmul(&mut self, x: Value, y: Value) -> Value {
        self.b.bin(BinOp::Fmul, x, y)
    }
    fn fdiv(&mut self, x: Value, y: Value) -> Value {
        self.b.bin(BinOp::Fdiv, x, y)
    }
}

/// Half-precision bits of a constant, rounded toward zero; tiny values become zero and large ones infinity.
fn half_bits(x: f64) -> u16 {
    let bits = (x as f32).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exp = (bits >> 23 & 0xff) as i32 - 112;
    match exp {
        ..=0 => sign,
        31.. => sign | 0x7c00,
        _ => sign | (exp as u16) << 10 | (bits >> 13 & 0x3ff) as u16,
    }
}

/// Lowers all built-ins of all functions; true if anything changed.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<bool> {
    let by_name =
        module.functions.iter().filter(|(_, f)| f.is_built_in()).map(|(r, f)| (f.name.clone(), r)).collect();
    let required = module.kernels.iter().filter_map(|info| info.reqd_sub_group_size);
    let smallest_sub_group = required.min().unwrap_or(u32::MAX);
    let (functions, globals) = (&mut module.functions, &mut module.globals);
    let mut imports = Imports { functions, globals, by_name, smallest_sub_group };
    let mut changed = false;
    for r in imports.functions.keys().collect::<Vec<_>>() {
        let mut func = std::mem::take(&mut imports.functions[r]);
        let result = function(&mut func, &mut imports, cx);
        imports.functions[r] = func;
        changed |= result?;
    }
    // New calls: the module is no longer inlined nor linked.
    let calls = |f: &Function| f.data_in_order().any(|data| matches!(data.op, Op::Call(_)));
    if changed && module.phase >= Phase::Linked && module.functions.values().any(calls) {
        module.phase = Phase::Imported;
    }
    Ok(changed)
}

fn function(func: &mut Function, imports: &mut Imports<'_>, cx: &PassContext<'_>) -> Result<bool> {
    let in_library = func.is_built_in();
    try_rewrite_insts(func, |b, inst| {
        let fast = b.func.insts[inst].fast;
        let relaxed = fast.fast || cx.options.unsafe_math || cx.options.fast_relaxed_math;
        let before = b.func.insts.next_key();
        let done = BuiltinLowering { b: &mut *b, imports, cx, relaxed, in_library }.inst(inst)?;
        if !matches!(done, Rewrite::Keep) {
            // Only `fast` operations may contract: other expansions are rounded as written.
            let flags = FastMath { contract: fast.fast, ..fast };
            for i in (before.index()..b.func.insts.len()).map(Inst::new) {
                b.func.insts[i].fast = flags;
            }
        }
        Ok(done)
    })
}

/// Whether [`BuiltinLowering::inst`] may replace such an instruction.
fn may_become_call(op: &Op) -> bool {
    matches!(
        op,
        Op::OpenCl(_)
            | Op::Convert { .. }
            | Op::Group { .. }
            | Op::Fma
            | Op::Cast(CastOp::FpConv)
            | Op::Dot4 { .. }
            | Op::Image { .. }
            | Op::Bin(BinOp::Frem | BinOp::Fdiv)
    )
}

impl BuiltinLowering<'_, '_, '_> {
    /// Lowers one instruction.
    fn inst(&mut self, inst: Inst) -> Result<Rewrite> {
        if !may_become_call(&self.b.func.insts[inst].op) {
            return Ok(Rewrite::Keep);
        }
        let data = self.b.func.insts[inst].clone();
        let ty = data.results.first().map_or(I32, |&r| self.b.ty(r));
        let a = &data.args[..];
        let value = match &data.op {
            Op::OpenCl(ClOp::printf) => None,
            Op::OpenCl(op) => {
                if let Some(v) = self.memory(*op, a, ty)? {
                    return Ok(v.into());
                }
                let v = match self.integer(*op, a, ty) {
                    Some(v) => v,
                    None => self.math(*op, a, ty)?,
                };
                Some(v)
            }
            Op::Convert { from_signed, to_signed, rounding, saturate } => {
                Some(self.convert(a[0], ty, *from_signed, *to_signed, *rounding, *saturate))
            }
            Op::Group { scope: Scope::WorkGroup, op } => self.work_group(*op, a),
            Op::Fma => self.fma(a, ty),
            Op::Cast(CastOp::FpConv) if !self.cx.target.float16 && self.b.ty(a[0]).lane() == F16 => {
                let bits = self.b.bitcast(a[0], ty.with_scalar(Scalar::I16));
                Some(self.half_value(bits, ty))
            }
            Op::Cast(CastOp::FpConv) if !self.cx.target.float16 && ty.lane() == F16 => {
                let bits = self.half_bits_of(a[0], Rounding::Rte);
                Some(self.b.bitcast(bits, ty))
            }
            // Drivers convert double to half via single, rounding twice, and convert to half toward zero
            // without a rounding mode.
            Op::Cast(CastOp::FpConv)
                if ty.lane() == F16
                    && (self.b.ty(a[0]).lane() == F64 || !self.cx.target.float_controls.rte16) =>
            {
                let bits = self.half_bits_of(a[0], Rounding::Rte);
                Some(self.b.bitcast(bits, ty))
            }
            Op::Dot4 { x_signed, y_signed } if !self.cx.target.integer_dot_product => {
                Some(self.dot4(a, *x_signed, *y_signed))
            }
            Op::Image { op: ImageOp::Sample | ImageOp::SampleLod, dim, .. } => Some(self.sample(*dim, a, ty)),
            Op::Image { op: ImageOp::CanFilter | ImageOp::Filter | ImageOp::Address, .. } => None,
            Op::Image { op: ImageOp::FetchesBorder, .. } => {
                let fetches = self.cx.target.vulkan().is_some_and(|vulkan| vulkan.fetches_borders);
                (!fetches).then(|| self.b.func.bits(ty, 0))
            }
            Op::Image { op, dim, .. } if self.cx.target.cpu().is_some() => {
                return Ok(self.texels(*op, *dim, a, ty).into());
            }
            Op::Bin(BinOp::Frem) => Some(self.library(ClOp::fmod, a, ty)),
            Op::Bin(BinOp::Fdiv) if !self.in_library => match ty.lane() {
                F32 if self.cx.options.correctly_rounded_divide_sqrt && !self.cx.target.exact_div32 => {
                    Some(self.call_lanes("pc_div_f32", a, ty))
                }
                F64 if !self.cx.target.exact_div64 => Some(self.call_lanes("pc_div_f64", a, ty)),
                _ => None,
            },
            _ => None,
        };
        Ok(value.map_or(Rewrite::Keep, Rewrite::Replace))
    }

    /// Calls the library function of an operation, named after the type of its first operand.
    fn library(&mut self, op: ClOp, args: &[Value], ty: Type) -> Value {
        let lane = args.first().map_or(ty, |&a| self.b.ty(a)).lane();
        self.call_lanes(&format!("pc_{op:?}_{lane}"), args, ty)
    }
}

#[cfg(test)]
mod tests;
