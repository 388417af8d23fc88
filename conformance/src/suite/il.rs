//! Programs in SPIR-V: instructions, versions, specialization constants, modules linked with each other and
//! with OpenCL C, execution modes, and invalid modules.

use super::instructions::{self, code::Code};
use super::raw::*;
use super::{Context, Outcome, Sink, expect};
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Error, Operand};
use rspirv::spirv::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

/// Kernels in SPIR-V 1.x with physical addresses of 64 bits; the source lies in the same folder.
const IL: &[u8] = include_bytes!("../../../tests/svm/kernels.spv");
const ITEMS: usize = 256;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn assembled(words: Result<Vec<u32>, Error>) -> Result<Vec<u8>, String> {
    words.map(|w| bytes(&w)).map_err(|e| e.to_string())
}

/// A program of a module, released on drop.
struct Program(cl_program);

impl Program {
    fn new(rig: &Rig, il: &[u8]) -> Result<Program, cl_int> {
        let mut code = 1;
        // SAFETY: the module has its length.
        let program = unsafe { clCreateProgramWithIL(rig.context, il.as_ptr().cast(), il.len(), &mut code) };
        if program.is_null() { Err(code) } else { Ok(Program(program)) }
    }

    fn build(&self) -> cl_int {
        // SAFETY: a live handle.
        unsafe { clBuildProgram(self.0, 0, null(), null(), None, null_mut()) }
    }

    fn compile(&self) -> Result<(), String> {
        // SAFETY: a live handle.
        let code =
            unsafe { clCompileProgram(self.0, 0, null(), null(), 0, null(), null_mut(), None, null_mut()) };
        ok("clCompileProgram", code)
    }

    fn kernel(&self, name: &CStr) -> Result<cl_kernel, String> {
        let mut code = 1;
        // SAFETY: a terminated name.
        let kernel = unsafe { clCreateKernel(self.0, name.as_ptr(), &mut code) };
        ok("clCreateKernel", code).map(|()| kernel)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: a live handle, released once.
        unsafe { clReleaseProgram(self.0) };
    }
}

fn made(rig: &Rig, il: &[u8]) -> Result<Program, String> {
    Program::new(rig, il).map_err(|code| format!("clCreateProgramWithIL gives {code}"))
}

/// Runs a kernel `k(in, out, items)` of a program with the inputs `i + 1` and `3 i`. Returns the first
/// `count` words of its results.
fn results(rig: &Rig, program: &Program, count: usize) -> Result<Vec<u32>, String> {
    let kernel = program.kernel(c"k")?;
    let inputs: Vec<u32> = (0..64).flat_map(|i| [i + 1, 3 * i]).collect();
    let (items, mut code) = (64u32, 1);
    // SAFETY: live handles; values with their sizes.
    unsafe {
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let input = clCreateBuffer(rig.context, flags, 512, inputs.as_ptr().cast_mut().cast(), &mut code);
        ok("clCreateBuffer", code)?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const input).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 1, size_of::<cl_mem>(), (&raw const rig.buffer).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 2, 4, (&raw const items).cast()))?;
        let code = clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &64, null(), 0, null(), null_mut());
        ok("clEnqueueNDRangeKernel", code)?;
        let words = rig.read(count);
        clReleaseMemObject(input);
        clReleaseKernel(kernel);
        words
    }
}

fn rig(device: cl_device_id) -> Result<Rig, String> {
    Rig::new(device, 0, "kernel void unused(void) { }")
}

/// A module compiled by clang: p = p * factor + i.
fn runs(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let program = made(&rig, IL)?;
    ok("clBuildProgram", program.build())?;
    let kernel = program.kernel(c"scale")?;
    let (start, factor) = (vec![5u32; ITEMS], 7u32);
    // SAFETY: live handles; values with their sizes.
    unsafe {
        let from = start.as_ptr().cast();
        ok(
            "clEnqueueWriteBuffer",
            clEnqueueWriteBuffer(rig.queue, rig.buffer, 1, 0, ITEMS * 4, from, 0, null(), null_mut()),
        )?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const rig.buffer).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 1, 4, (&raw const factor).cast()))?;
        let code =
            clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &ITEMS, null(), 0, null(), null_mut());
        ok("clEnqueueNDRangeKernel", code)?;
        clReleaseKernel(kernel);
    }
    let out = rig.read(ITEMS)?;
    let wrong = out.iter().enumerate().find(|(i, v)| **v != 35 + *i as u32);
    wrong.map_or(Ok(()), |(i, v)| Err(format!("element {i} is {v}")))
}

/// A sum, as a module of a SPIR-V version.
fn sum(version: (u8, u8), modes: &[(ExecutionMode, &[u32])]) -> Result<Vec<u32>, Error> {
    let mut code = Code::new(version, &[], &[])?;
    let sum = code.b.i_add(code.uint, None, code.x, code.y)?;
    code.result(sum)?;
    code.finish(modes)
}

fn is_sum(words: &[u32]) -> Result<(), String> {
    let wrong = words.iter().enumerate().find(|(i, v)| **v != 4 * *i as u32 + 1);
    wrong.map_or(Ok(()), |(i, v)| Err(format!("element {i} is {v}")))
}

/// Every version that CL_DEVICE_IL_VERSION names.
fn versions(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    for name in device_text(device, CL_DEVICE_IL_VERSION).split_whitespace() {
        let Some((major, minor)) = name.strip_prefix("SPIR-V_").and_then(|v| v.split_once('.')) else {
            continue;
        };
        let (Ok(major), Ok(minor)) = (major.parse(), minor.parse()) else {
            return Err(format!("{name} is not a version"));
        };
        let run = || {
            let program = made(&rig, &assembled(sum((major, minor), &[]))?)?;
            ok("clBuildProgram", program.build())?;
            is_sum(&results(&rig, &program, 64)?)
        };
        run().map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// CL_PROGRAM_IL returns the module.
fn queried(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let program = made(&rig, IL)?;
    let (mut size, mut back) = (0usize, vec![0u8; IL.len()]);
    // SAFETY: a size query, then a query with room for as many bytes.
    unsafe {
        ok("clGetProgramInfo", clGetProgramInfo(program.0, CL_PROGRAM_IL, 0, null_mut(), &mut size))?;
        if size != IL.len() {
            return Err(format!("the module has {size} bytes instead of {}", IL.len()));
        }
        ok(
            "clGetProgramInfo",
            clGetProgramInfo(program.0, CL_PROGRAM_IL, size, back.as_mut_ptr().cast(), null_mut()),
        )?;
        // A program of source has an empty CL_PROGRAM_IL.
        ok("clGetProgramInfo", clGetProgramInfo(rig.program, CL_PROGRAM_IL, 0, null_mut(), &mut size))?;
    }
    if back == IL && size == 0 {
        Ok(())
    } else {
        Err(format!("the module differs, or a program of source has {size} bytes"))
    }
}

/// Specialization constants of every size, with the values of the module and with others.
fn specialised(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let write = || -> Result<Vec<u32>, Error> {
        let mut code = Code::new((1, 0), &[], &[])?;
        let constants = [
            code.b.spec_constant_false(code.bool),
            code.b.spec_constant_bit32(code.uchar, 11),
            code.b.spec_constant_bit32(code.ushort, 1000),
            code.b.spec_constant_bit32(code.uint, 70_000),
            code.b.spec_constant_bit64(code.ulong, 5_000_000_000),
            code.b.spec_constant_bit32(code.float, 1.5f32.to_bits()),
        ];
        for (id, constant) in constants.into_iter().enumerate() {
            code.b.decorate(constant, Decoration::SpecId, [Operand::LiteralBit32(10 + id as u32)]);
        }
        let [flag, byte, short, word, long, float] = constants;
        let (one, zero, high) = (code.number(1), code.number(0), code.number(32));
        let values = [
            code.b.select(code.uint, None, flag, one, zero)?,
            code.b.u_convert(code.uint, None, byte)?,
            code.b.u_convert(code.uint, None, short)?,
            word,
            code.b.u_convert(code.uint, None, long)?,
            {
                let part = code.b.shift_right_logical(code.ulong, None, long, high)?;
                code.b.u_convert(code.uint, None, part)?
            },
            code.b.bitcast(code.uint, None, float)?,
        ];
        for value in values {
            code.result(value)?;
        }
        code.finish(&[])
    };
    let il = assembled(write())?;
    let long = 5_000_000_000u64;
    let defaults = [0, 11, 1000, 70_000, long as u32, (long >> 32) as u32, 1.5f32.to_bits()];
    let others = [1, 200, 60_000, 123_456_789, 0x89ab_cdef, 0x0123_4567, (-8.25f32).to_bits()];
    let program = made(&rig, &il)?;
    let set = |id: u32, value: &[u8]| {
        // SAFETY: a value with its size.
        unsafe { clSetProgramSpecializationConstant(program.0, id, value.len(), value.as_ptr().cast()) }
    };
    for (round, want) in [defaults, others].into_iter().enumerate() {
        if round == 1 {
            let wide = (u64::from(others[5]) << 32 | u64::from(others[4])).to_le_bytes();
            let bytes: [&[u8]; 6] = [
                &[1],
                &[200],
                &60_000u16.to_le_bytes(),
                &others[3].to_le_bytes(),
                &wide,
                &others[6].to_le_bytes(),
            ];
            for (id, value) in bytes.into_iter().enumerate() {
                ok("clSetProgramSpecializationConstant", set(10 + id as u32, value))?;
            }
        }
        ok("clBuildProgram", program.build())?;
        let words = results(&rig, &program, 64 * want.len())?;
        let got: Vec<u32> = words.chunks(64).map(|c| c[17]).collect();
        if got != want {
            return Err(format!("in round {round} the constants are {got:?}, expected {want:?}"));
        }
    }
    // CL_INVALID_SPEC_ID, CL_INVALID_VALUE, CL_INVALID_PROGRAM: an id that the module lacks, a size other
    // than its type's, a program that was not created from IL.
    expect(set(99, &[1, 0, 0, 0]), &[CL_INVALID_SPEC_ID])?;
    expect(set(13, &[1, 0]), &[CL_INVALID_VALUE])?;
    // SAFETY: values with their sizes, or NULL, which is refused.
    unsafe {
        expect(clSetProgramSpecializationConstant(program.0, 13, 4, null()), &[CL_INVALID_VALUE])?;
        expect(
            clSetProgramSpecializationConstant(rig.program, 13, 4, (&raw const long).cast()),
            &[CL_INVALID_PROGRAM],
        )
    }
}

/// A module that exports `uint seventeen_times(uint)`.
fn library() -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    [Capability::Addresses, Capability::Linkage, Capability::Kernel]
        .into_iter()
        .for_each(|c| b.capability(c));
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let uint = b.type_int(32, 0);
    let (ty, factor) = (b.type_function(uint, [uint]), b.constant_bit32(uint, 17));
    let write = |b: &mut Builder| -> Result<Word, Error> {
        let function = b.begin_function(uint, None, FunctionControl::NONE, ty)?;
        let x = b.function_parameter(uint)?;
        b.begin_block(None)?;
        let product = b.i_mul(uint, None, x, factor)?;
        b.ret_value(product)?;
        b.end_function()?;
        Ok(function)
    };
    if let Ok(function) = write(&mut b) {
        linkage(&mut b, function, LinkageType::Export);
    }
    b.module().assemble()
}

fn linkage(b: &mut Builder, function: Word, kind: LinkageType) {
    let name = Operand::LiteralString("seventeen_times".into());
    b.decorate(function, Decoration::LinkageAttributes, [name, Operand::LinkageType(kind)]);
}

/// A module whose kernel calls the function of [`library`].
fn importer() -> Result<Vec<u32>, Error> {
    let mut code = Code::new((1, 0), &[Capability::Linkage], &[])?;
    let (uint, function) = (code.uint, code.b.id());
    let value = code.b.function_call(uint, None, function, [code.x])?;
    code.result(value)?;
    let mut b = code.into_builder()?;
    let ty = b.type_function(uint, [uint]);
    b.begin_function(uint, Some(function), FunctionControl::NONE, ty)?;
    b.function_parameter(uint)?;
    b.end_function()?;
    linkage(&mut b, function, LinkageType::Import);
    // Declarations precede the functions that have bodies.
    let module = b.module_mut();
    if let Some(declaration) = module.functions.pop() {
        module.functions.insert(0, declaration);
    }
    Ok(b.module().assemble())
}

const CALLER: &CStr = c"
uint seventeen_times(uint x);
kernel void k(global const uint *in, global uint *out, uint items) {
    size_t i = get_global_id(0);
    out[i] = seventeen_times(in[i * 2]);
}";

fn linked(rig: &Rig, parts: [&Program; 2]) -> Result<(), String> {
    let (list, mut code) = (parts.map(|p| p.0), 1);
    // SAFETY: live handles.
    let whole = Program(unsafe {
        clLinkProgram(rig.context, 0, null(), null(), 2, list.as_ptr(), None, null_mut(), &mut code)
    });
    ok("clLinkProgram", code)?;
    let words = results(rig, &whole, 64)?;
    let wrong = words.iter().enumerate().find(|(i, v)| **v != 17 * (*i as u32 + 1));
    wrong.map_or(Ok(()), |(i, v)| Err(format!("element {i} is {v}")))
}

fn modules_linked(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let (library, caller) = (made(&rig, &bytes(&library()))?, made(&rig, &assembled(importer())?)?);
    library.compile()?;
    caller.compile()?;
    linked(&rig, [&caller, &library])?;
    linked(&rig, [&library, &caller])
}

fn linked_with_source(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let (library, mut code) = (made(&rig, &bytes(&library()))?, 1);
    // SAFETY: a terminated string.
    let caller = Program(unsafe {
        clCreateProgramWithSource(rig.context, 1, &mut CALLER.as_ptr(), null(), &mut code)
    });
    ok("clCreateProgramWithSource", code)?;
    library.compile()?;
    caller.compile()?;
    linked(&rig, [&caller, &library])
}

/// Linking fails if an imported function is missing.
fn unresolved(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let (caller, mut code) = (made(&rig, &assembled(importer())?)?, 1);
    caller.compile()?;
    // SAFETY: live handles; a program that comes of it is forgotten.
    unsafe { clLinkProgram(rig.context, 0, null(), null(), 1, &caller.0, None, null_mut(), &mut code) };
    expect(code, &[CL_LINK_PROGRAM_FAILURE])
}

/// A required work-group size.
fn sized(device: cl_device_id) -> Result<(), String> {
    let rig = rig(device)?;
    let program = made(&rig, &assembled(sum((1, 0), &[(ExecutionMode::LocalSize, &[16, 1, 1])]))?)?;
    ok("clBuildProgram", program.build())?;
    is_sum(&results(&rig, &program, 64)?)?;
    let (kernel, mut sizes) = (program.kernel(c"k")?, [0usize; 3]);
    // SAFETY: room for three sizes; a launch that is refused.
    unsafe {
        let name = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
        ok(
            "clGetKernelWorkGroupInfo",
            clGetKernelWorkGroupInfo(kernel, device, name, 24, sizes.as_mut_ptr().cast(), null_mut()),
        )?;
        clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const rig.buffer).cast());
        clSetKernelArg(kernel, 1, size_of::<cl_mem>(), (&raw const rig.buffer).cast());
        clSetKernelArg(kernel, 2, 4, sizes.as_ptr().cast());
        // CL_INVALID_WORK_GROUP_SIZE: the local size differs from the required one.
        let code = clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &64, &32, 0, null(), null_mut());
        clReleaseKernel(kernel);
        expect(code, &[CL_INVALID_WORK_GROUP_SIZE])?;
    }
    if sizes == [16, 1, 1] { Ok(()) } else { Err(format!("the size of groups is {sizes:?}")) }
}

/// Invalid modules, and valid ones that such devices do not accept.
fn wrong() -> Vec<(&'static str, Vec<u8>)> {
    let good = sum((1, 0), &[]).unwrap_or_default();
    let with = |change: &dyn Fn(&mut Vec<u32>)| {
        let mut words = good.clone();
        change(&mut words);
        bytes(&words)
    };
    let cut = IL.len() / 2 / 4 * 4;
    vec![
        ("bytes that are no module", vec![1; 64]),
        ("a module that ends early", IL[..cut].to_vec()),
        ("a header alone", IL[..20].to_vec()),
        ("half a word more", [&bytes(&good)[..], &[0, 0]].concat()),
        ("another magic number", with(&|w| w[0] ^= 1)),
        ("a version to come", with(&|w| w[1] = 0x0009_0900)),
        ("a bound that is too low", with(&|w| w[3] = 2)),
        ("an instruction of no words", with(&|w| w[5] &= 0xffff)),
        ("an instruction beyond the end", with(&|w| *w.last_mut().unwrap_or(&mut 0) |= 0x7000_0000)),
        ("an unknown instruction", with(&|w| w.extend([0x0001_7777]))),
        // OpCapability Geometry.
        (
            "a capability of graphics",
            with(&|w| {
                w.splice(5..5, [0x0002_0011, 2]);
            }),
        ),
        // Shader instead of Kernel among the capabilities, and the memory model GLSL450.
        ("a module for Vulkan", {
            let mut b = Builder::new();
            b.set_version(1, 0);
            b.capability(Capability::Shader);
            b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
            bytes(&b.module().assemble())
        }),
    ]
}

/// clCreateProgramWithIL rejects an invalid module, or the build does.
fn is_refused(device: cl_device_id, il: &[u8]) -> Result<(), String> {
    let rig = rig(device)?;
    match Program::new(&rig, il) {
        Err(code) => expect(code, &[CL_INVALID_VALUE, CL_INVALID_BINARY]),
        Ok(program) => {
            expect(program.build(), &[CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY, CL_INVALID_VALUE])
        }
    }
}

type Test = (&'static str, u32, fn(cl_device_id) -> Result<(), String>);

/// Tests, with the version of OpenCL that introduced their features.
const TESTS: &[Test] = &[
    ("a module runs", 210, runs),
    ("every version", 210, versions),
    ("a module is queried", 210, queried),
    ("constants specialised", 220, specialised),
    ("modules linked", 210, modules_linked),
    ("a module linked with OpenCL C", 210, linked_with_source),
    ("an import that is missing", 210, unresolved),
    ("a required size of groups", 210, sized),
];

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    instructions::tests(context, sink);
    let device = context.device.id;
    let if_offered = |least: u32, run: &dyn Fn() -> Result<(), String>| {
        if !device_text(device, CL_DEVICE_IL_VERSION).contains("SPIR-V") {
            return Outcome::Skip("the device takes no SPIR-V".into());
        }
        if version(device) < least {
            return Outcome::Skip(format!("needs OpenCL {}.{}", least / 100, least / 10 % 10));
        }
        run().into()
    };
    for (name, least, run) in TESTS {
        sink.test(*name, || if_offered(*least, &|| run(device)));
    }
    for (name, il) in wrong() {
        sink.test(name, || if_offered(210, &|| is_refused(device, &il)));
    }
}
