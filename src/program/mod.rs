//! Program objects: where a program came from, and what was made of it for each of its devices.
//!
//! Owns the state machine of builds: a build, compilation or link marks the records of its devices as in
//! progress under the lock, works without it, and stores the outcomes under it. Kernels hold what was built,
//! so a record may be replaced once no kernel is attached. How things are compiled is in [`build`].
//!
//! Calls that need the outcome of a build in progress wait for it, since applications that give a callback
//! often go on at once. The wait ends: a build runs on a thread of its own, or in the thread that began it,
//! and never waits for the application. Outcomes are stored before the callback is posted, so calls inside
//! the callback find the build complete.
//! Locks: one of rank Program, never held while compiling, loading or calling back.

pub mod binary;
pub mod build;
pub mod cache;
pub mod codec;
pub mod dump;
pub mod fallback;
pub mod il;
pub mod includes;
pub mod info;
mod manifest;
pub mod offline;
pub mod options;

use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::traits::{DeviceKernel, DeviceProgram};
use crate::err;
use crate::error::Result;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::sync::{Condvar, Mutex, MutexGuard, Rank};
use binary::{Binary, BinaryKind};
use clspv_bridge::abi::{CompiledKernel, CompiledProgram};
use clspv_bridge::driver::{Header, Library, Options};
use clspv_bridge::metadata::{ArgInfo, KernelInfo};
use fallback::FallbackKernels;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What a program was created from.
pub enum ProgramOrigin {
    Source(String),
    /// The bytes as given, and the module.
    Il {
        bytes: Vec<u8>,
        module: Arc<Library>,
        spec_sizes: HashMap<u32, usize>,
    },
    Binary,
    /// Made by clLinkProgram.
    Linked,
}

/// CL_BUILD_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BuildStatus {
    #[default]
    None,
    InProgress,
    Success,
    Error,
}

/// An executable, loaded by its device.
#[derive(Clone)]
pub struct Executable {
    pub compiled: Arc<CompiledProgram>,
    pub loaded: Arc<dyn DeviceProgram>,
    /// Kernels that the device itself cannot have.
    pub fallback: Option<FallbackKernels>,
}

/// What was made of the program for one device by the last operation on it.
#[derive(Default)]
pub(crate) struct Record {
    pub status: BuildStatus,
    pub option_text: String,
    pub options: Options,
    pub log: String,
    pub kind: Option<BinaryKind>,
    /// Modules of a compiled object, library or executable.
    pub libraries: Vec<Arc<Library>>,
    pub specs: Vec<(u32, Vec<u8>)>,
    pub executable: Option<Executable>,
    /// Headers of the last clCompileProgram.
    pub headers: Arc<[Header]>,
    /// Loaded by clCreateProgramWithBinary.
    pub given: Option<Arc<Binary>>,
    /// Answer of CL_PROGRAM_BINARIES, made when first asked for.
    pub bytes: Option<Arc<[u8]>>,
}

pub(crate) struct ProgramState {
    /// In the order of the program's devices.
    pub records: Vec<Record>,
    pub specs: BTreeMap<u32, Vec<u8>>,
}

impl ProgramState {
    /// The executables that were built, with the positions of their devices.
    fn executables(&self) -> Vec<(usize, Executable)> {
        let built = self.records.iter().enumerate().filter(|(_, r)| r.status == BuildStatus::Success);
        built.filter_map(|(i, r)| Some((i, r.executable.clone()?))).collect()
    }
}

/// Argument information of every kernel, by name.
type ArgInfoTable = HashMap<String, Vec<ArgInfo>>;

/// A program.
pub struct Program {
    slot: ApiSlot,
    pub context: Arc<Context>,
    pub devices: Vec<Arc<Device>>,
    pub origin: ProgramOrigin,
    pub(crate) state: Mutex<ProgramState>,
    /// Signalled when a build has ended.
    ended: Condvar,
    /// Kernel objects alive. Raised only under the lock of `state`.
    attached: AtomicUsize,
    /// Fetched from the source when first asked for.
    lazy_arg_info: OnceLock<ArgInfoTable>,
}

impl ApiObject for Program {
    const KIND: ObjectKind = ObjectKind::Program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

/// A kernel as a device of the program has it.
#[derive(Clone)]
pub struct KernelOnDevice {
    pub kernel: Arc<dyn DeviceKernel>,
    /// It is one of what the device falls back to.
    pub falls_back: bool,
    /// The same kernel there, for images that the device itself cannot have or use.
    pub for_images: Option<Arc<dyn DeviceKernel>>,
}

/// A kernel of a program: its description and its form on each device of the program that has it.
pub(crate) struct KernelParts {
    pub info: Arc<KernelInfo>,
    pub per_device: Box<[Option<KernelOnDevice>]>,
}

impl Executable {
    /// The kernels, those that the device itself has first.
    fn kernels(&self) -> impl Iterator<Item = (&CompiledKernel, bool)> {
        let others = self.fallback.iter().flat_map(|f| &f.compiled.kernels);
        self.compiled.kernels.iter().map(|k| (k, false)).chain(others.map(|k| (k, true)))
    }

    /// One of them, to be launched.
    fn load(&self, name: &str, falls_back: bool) -> Result<KernelOnDevice> {
        let fallback =
            self.fallback.as_ref().filter(|f| f.compiled.kernels.iter().any(|k| k.info.name == name));
        let fallback = fallback.map(|f| f.loaded.kernel(name)).transpose()?;
        Ok(match fallback {
            Some(kernel) if falls_back => KernelOnDevice { kernel, falls_back, for_images: None },
            for_images => KernelOnDevice { kernel: self.loaded.kernel(name)?, falls_back: false, for_images },
        })
    }
}

impl Program {
    fn new(context: Arc<Context>, devices: Vec<Arc<Device>>, origin: ProgramOrigin) -> Program {
        let records = devices.iter().map(|_| Record::default()).collect();
        Program {
            slot: ApiSlot::new(),
            context,
            devices,
            origin,
            state: Mutex::new(Rank::Program, ProgramState { records, specs: BTreeMap::new() }),
            ended: Condvar::new(),
            attached: AtomicUsize::new(0),
            lazy_arg_info: OnceLock::new(),
        }
    }

    /// clCreateProgramWithSource: a program for every device of the context. NULs in the text are dropped.
    pub fn from_source(context: Arc<Context>, mut text: String) -> Program {
        text.retain(|c| c != '\0');
        let devices = context.devices().to_vec();
        Program::new(context, devices, ProgramOrigin::Source(text))
    }

    /// clCreateProgramWithIL.
    pub fn from_il(context: Arc<Context>, bytes: &[u8]) -> Result<Program> {
        // The block must be well-formed SPIR-V that the compiler can consume.
        let words = il::words(bytes)
            .ok_or_else(|| err!(CL_INVALID_VALUE, "the intermediate language is not SPIR-V"))?;
        let checked = build::with_large_stack(|| clspv_bridge::front::spirv::read(&words, &[]).map(|_| ()));
        if let Some(Err(clspv_bridge::CompileError::InvalidIl(text))) = checked {
            tracing::warn!(target: "pyroclast::program", "clCreateProgramWithIL: {text}");
            return Err(err!(CL_INVALID_VALUE, "{text}"));
        }
        // Some device of the context must have the module's capabilities.
        let declared = il::capabilities(&words);
        let refused: Vec<_> =
            context.devices().iter().map(|d| crate::device::spirv::refused(d, &declared)).collect();
        if let Some(Some(capability)) = refused.first()
            && refused.iter().all(Option::is_some)
        {
            tracing::warn!(target: "pyroclast::program", "clCreateProgramWithIL: no device supports the capability {capability:?}");
            return Err(err!(CL_INVALID_VALUE, "no device supports the capability {capability:?}"));
        }
        let spec_sizes = il::spec_constants(&words);
        let module = Arc::new(Library { spirv: words, ..Library::default() });
        let devices = context.devices().to_vec();
        Ok(Program::new(context, devices, ProgramOrigin::Il { bytes: bytes.to_vec(), module, spec_sizes }))
    }

    /// clCreateProgramWithBinary: one binary for each of the devices, already read.
    pub fn from_binaries(
        context: Arc<Context>,
        devices: Vec<Arc<Device>>,
        binaries: Vec<Binary>,
        bytes: Vec<Arc<[u8]>>,
    ) -> Program {
        let program = Program::new(context, devices, ProgramOrigin::Binary);
        {
            let mut state = program.state.lock();
            for ((record, binary), bytes) in state.records.iter_mut().zip(binaries).zip(bytes) {
                record.kind = Some(binary.kind);
                record.options = binary.options.clone();
                record.libraries = binary.libraries.clone();
                record.specs = binary.specs.clone();
                record.given = Some(Arc::new(binary));
                record.bytes = Some(bytes);
            }
        }
        program
    }

    pub(crate) fn for_link(context: Arc<Context>, devices: Vec<Arc<Device>>) -> Program {
        Program::new(context, devices, ProgramOrigin::Linked)
    }

    /// Position of a device in this program's list.
    pub fn device_index(&self, device: &Device) -> Option<usize> {
        self.devices.iter().position(|d| std::ptr::eq(&**d, device))
    }

    /// The positions of the devices of a call: those listed with the program's parts of them, or all. Binaries are for a device
    /// alone.
    pub(crate) fn device_indices(&self, devices: Option<&[Arc<Device>]>) -> Result<Vec<usize>> {
        let Some(devices) = devices else { return Ok((0..self.devices.len()).collect()) };
        let mut out = Vec::new();
        for device in devices {
            // Every listed device must be one of the program's.
            let index = self
                .device_index(device)
                .ok_or_else(|| err!(CL_INVALID_DEVICE, "the device is not of this program"))?;
            let parts =
                |d: &Arc<Device>| d.is_within(device) && !matches!(self.origin, ProgramOrigin::Binary);
            for (index, _) in self.devices.iter().enumerate().filter(|(i, d)| *i == index || parts(d)) {
                if !out.contains(&index) {
                    out.push(index);
                }
            }
        }
        Ok(out)
    }

    /// clSetProgramSpecializationConstant.
    pub fn set_spec_constant(&self, id: u32, value: &[u8]) -> Result<()> {
        // The program must have been created from an intermediate language.
        let ProgramOrigin::Il { spec_sizes, .. } = &self.origin else {
            return Err(err!(
                CL_INVALID_PROGRAM,
                "the program was not created from an intermediate language"
            ));
        };
        // The id must belong to a specialisation constant of the module.
        let size = *spec_sizes
            .get(&id)
            .ok_or_else(|| err!(CL_INVALID_SPEC_ID, "no specialisation constant {id}"))?;
        // The size must be that of the constant.
        if value.len() != size {
            return Err(err!(
                CL_INVALID_VALUE,
                "specialisation constant {id} has {size} bytes, not {}",
                value.len()
            ));
        }
        self.state.lock().specs.insert(id, value.to_vec());
        Ok(())
    }

    /// Whether the constant's SpecId exists, and its size; `None` if the program is not from an intermediate language.
    pub fn spec_constant_size(&self, id: u32) -> Option<Option<usize>> {
        match &self.origin {
            ProgramOrigin::Il { spec_sizes, .. } => Some(spec_sizes.get(&id).copied()),
            _ => None,
        }
    }

    /// The state once no operation on the devices that `wanted` picks is in progress; no lock may be held.
    pub(crate) fn settled(&self, wanted: impl Fn(usize) -> bool) -> MutexGuard<'_, ProgramState> {
        let mut state = self.state.lock();
        let busy = |(i, r): (usize, &Record)| r.status == BuildStatus::InProgress && wanted(i);
        while state.records.iter().enumerate().any(busy) {
            self.ended.wait(&mut state);
        }
        state
    }

    /// Whether the last group of a launch may be smaller on this device: from OpenCL C 2.0 on, unless the build says
    /// otherwise.
    pub(crate) fn allows_non_uniform_groups(&self, device: &Device) -> bool {
        let Some(index) = self.device_index(device) else { return false };
        let state = self.state.lock();
        let Some(options) = state.records.get(index).map(|r| &r.options) else { return false };
        !options.has_uniform_groups(self.is_from_source())
    }

    pub(crate) fn is_from_source(&self) -> bool {
        matches!(self.origin, ProgramOrigin::Source(..))
    }

    /// Attaches a kernel object; undone by [`Program::detach`].
    pub(crate) fn attach(&self) -> Result<Vec<(usize, Executable)>> {
        let state = self.settled(|_| true);
        let found = state.executables();
        // There must be a successfully built executable for at least one device.
        if found.is_empty() {
            return Err(err!(CL_INVALID_PROGRAM_EXECUTABLE, "no executable has been built"));
        }
        self.attached.fetch_add(1, Ordering::Relaxed);
        Ok(found)
    }

    pub(crate) fn detach(&self) {
        self.attached.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn has_kernels(&self) -> bool {
        self.attached.load(Ordering::Relaxed) != 0
    }

    /// A kernel on every device whose executable has it.
    pub(crate) fn kernel_parts(
        &self,
        name: &str,
        executables: &[(usize, Executable)],
    ) -> Result<KernelParts> {
        let mut info: Option<KernelInfo> = None;
        let mut per_device: Vec<Option<KernelOnDevice>> = vec![None; self.devices.len()];
        for (index, executable) in executables {
            let Some((compiled, falls_back)) = executable.kernels().find(|(k, _)| k.info.name == name) else {
                continue;
            };
            match &info {
                None => info = Some(compiled.info.clone()),
                // Number and types of the arguments must be the same on all devices.
                Some(first) if !same_signature(first, &compiled.info) => {
                    return Err(err!(
                        CL_INVALID_KERNEL_DEFINITION,
                        "kernel '{name}' differs between devices"
                    ));
                }
                Some(_) => {}
            }
            per_device[*index] = Some(executable.load(name, falls_back)?);
        }
        // The name must be that of a kernel of the program.
        let info = info.ok_or_else(|| err!(CL_INVALID_KERNEL_NAME, "the program has no kernel '{name}'"))?;
        Ok(KernelParts { info: Arc::new(info), per_device: per_device.into() })
    }

    /// Names of the kernels of the executables in order of declaration, those that fall back last, without repetition.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let executables = self.settled(|_| true).executables();
        if executables.is_empty() {
            return Err(err!(CL_INVALID_PROGRAM_EXECUTABLE, "no executable has been built"));
        }
        let mut names: Vec<String> = Vec::new();
        for (_, executable) in executables {
            for (kernel, _) in executable.kernels() {
                if !names.contains(&kernel.info.name) {
                    names.push(kernel.info.name.clone());
                }
            }
        }
        Ok(names)
    }

    /// Names and types of a kernel's arguments as in the source, if they can be known: from what was compiled, or else by
    /// running the front end over the source once more.
    pub(crate) fn arg_info(&self, info: &KernelInfo) -> Option<Vec<ArgInfo>> {
        if info.has_arg_info || info.args.is_empty() {
            return Some(info.args.clone());
        }
        let (headers, options, device) = {
            let state = self.state.lock();
            let kept = state
                .records
                .iter()
                .flat_map(|r| &r.libraries)
                .flat_map(|l| &l.arg_info)
                .find(|k| k.kernel == info.name);
            if let Some(kept) = kept {
                return Some(kept.args.clone());
            }
            let index = state.records.iter().position(|r| r.executable.is_some())?;
            let record = &state.records[index];
            (record.headers.clone(), record.options.clone(), self.devices[index].clone())
        };
        let ProgramOrigin::Source(source) = &self.origin else { return None };
        let table = self.lazy_arg_info.get_or_init(|| {
            let options = Options { kernel_arg_info: true, ..options };
            match clspv_bridge::front::clang::arg_info(source, &headers, &options, &device.front_config()) {
                Ok(kernels) => kernels.into_iter().map(|k| (k.kernel, k.args)).collect(),
                Err(error) => {
                    tracing::warn!(%error, "no argument information");
                    ArgInfoTable::new()
                }
            }
        });
        table.get(&info.name).cloned()
    }
}

fn same_signature(a: &KernelInfo, b: &KernelInfo) -> bool {
    a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(x, y)| (x.kind, x.size) == (y.kind, y.size))
}
