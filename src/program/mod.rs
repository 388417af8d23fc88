//! Program objects: their origin, and their state for each device.
//!
//! Owns the state machine of builds: a build, compilation or link marks the records of its devices as in
//! progress under the lock, works without it, and stores the outcomes under it. Kernels keep the executables,
//! so a record may be replaced once no kernel is attached. Compilation is in [`build`].
//!
//! Calls that need the outcome of a build in progress wait for it, since applications that pass a callback
//! often continue at once. The wait ends: a build runs on a thread of its own, or in the thread that began
//! it, and never waits for the application. Outcomes are stored before the callback is posted, so calls
//! inside the callback find the build complete. Locks: one of rank Program, never held while compiling,
//! loading or calling back.

pub mod binary;
pub(crate) mod build;
pub mod cache;
mod code;
pub mod codec;
pub(crate) mod dump;
pub mod il;
pub(crate) mod includes;
pub(crate) mod info;
mod kernel_code;
mod manifest;
pub mod offline;
pub mod options;
pub mod stack;

use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::traits::{DeviceKernel, DeviceProgram};
use crate::err;
use crate::error::Result;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::record as recorder;
use crate::sync::{Condvar, Mutex, MutexGuard, Rank};
use binary::{Binary, BinaryKind};
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::metadata::{ArgInfo, KernelInfo};
use clspv_bridge::options::{CompileRequest, Header, Library, Options};
pub(crate) use kernel_code::WorkEstimates;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Origin of a program.
pub enum ProgramOrigin {
    Source(String),
    /// The bytes as passed, and the module.
    Il {
        bytes: Vec<u8>,
        module: Arc<Library>,
        spec_sizes: HashMap<u32, usize>,
    },
    Binary,
    /// Created by clLinkProgram.
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
    /// See [`crate::device::traits::DeviceOps::compile`].
    pub code: Vec<Arc<CompiledProgram>>,
    pub loaded: Arc<dyn DeviceProgram>,
    /// Compiles single kernels.
    pub kernels: Arc<kernel_code::ProgramKernels>,
}

/// State of the program for one device after the last operation on it.
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
    /// The binary passed to clCreateProgramWithBinary.
    pub given: Option<Arc<Binary>>,
    /// The answer to CL_PROGRAM_BINARIES, serialised at the first query.
    pub bytes: Option<Arc<[u8]>>,
}

pub(crate) struct ProgramState {
    /// In the order of the program's devices.
    pub records: Vec<Record>,
    pub specs: BTreeMap<u32, Vec<u8>>,
}

impl ProgramState {
    /// The executables, with the indices of their devices.
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
    /// Number of live kernel objects. Raised only under the lock of `state`.
    attached: AtomicUsize,
    /// Obtained from the source at the first query.
    lazy_arg_info: OnceLock<ArgInfoTable>,
}

impl ApiObject for Program {
    const KIND: ObjectKind = ObjectKind::Program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

/// Parts of a kernel object: its description, and its form on each device of the program.
pub(crate) struct KernelParts {
    pub info: Arc<KernelInfo>,
    pub per_device: Box<[Option<Arc<dyn DeviceKernel>>]>,
    /// `None` if the recorder is off.
    pub estimates: Option<Arc<WorkEstimates>>,
}

impl Executable {
    /// Interfaces of the kernels, those of the device's own target first.
    fn kernels(&self) -> impl Iterator<Item = &KernelInfo> {
        self.code.iter().flat_map(|code| code.infos())
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

    /// clCreateProgramWithSource: creates a program for every device of the context. NULs in the text are
    /// dropped.
    pub fn from_source(context: Arc<Context>, mut text: String) -> Program {
        text.retain(|c| c != '\0');
        let devices = context.devices().to_vec();
        Program::new(context, devices, ProgramOrigin::Source(text))
    }

    /// clCreateProgramWithIL.
    pub fn from_il(context: Arc<Context>, bytes: &[u8]) -> Result<Program> {
        let words = il::words(bytes)
            .ok_or_else(|| err!(CL_INVALID_VALUE, "the intermediate language is not SPIR-V"))?;
        let checked = stack::with_large_stack(|| clspv_bridge::front::spirv::read(&words, &[]).map(|_| ()));
        if let Some(Err(clspv_bridge::CompileError::InvalidIl(text))) = checked {
            tracing::warn!(target: "pyroclast::program", "clCreateProgramWithIL: {text}");
            return Err(err!(CL_INVALID_VALUE, "{text}"));
        }
        // CL_INVALID_VALUE: no device of the context supports a declared capability.
        let declared = il::capabilities(&words);
        let refused: Vec<_> =
            context.devices().iter().map(|d| crate::device::spirv::refused(d, &declared)).collect();
        if let Some(Some(capability)) = refused.first()
            && refused.iter().all(Option::is_some)
        {
            tracing::warn!(
                target: "pyroclast::program",
                "clCreateProgramWithIL: no device supports the capability {capability:?}"
            );
            return Err(err!(CL_INVALID_VALUE, "no device supports the capability {capability:?}"));
        }
        let spec_sizes = il::spec_constants(&words);
        let module = Arc::new(Library::from_spirv(words));
        let devices = context.devices().to_vec();
        Ok(Program::new(context, devices, ProgramOrigin::Il { bytes: bytes.to_vec(), module, spec_sizes }))
    }

    /// clCreateProgramWithBinary, with parsed binaries, one for each of the devices.
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

    /// Index of a device in this program's list.
    pub(crate) fn device_index(&self, device: &Device) -> Option<usize> {
        self.devices.iter().position(|d| std::ptr::eq(&**d, device))
    }

    /// Indices of the devices of a call: those listed, with their sub-devices in the program, or all. A
    /// binary is for a single device.
    pub(crate) fn device_indices(&self, devices: Option<&[Arc<Device>]>) -> Result<Vec<usize>> {
        let Some(devices) = devices else { return Ok((0..self.devices.len()).collect()) };
        let mut out = Vec::new();
        for device in devices {
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
        let ProgramOrigin::Il { spec_sizes, .. } = &self.origin else {
            return Err(err!(
                CL_INVALID_PROGRAM,
                "the program was not created from an intermediate language"
            ));
        };
        let size = *spec_sizes
            .get(&id)
            .ok_or_else(|| err!(CL_INVALID_SPEC_ID, "no specialisation constant {id}"))?;
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

    /// Size of the specialisation constant, `Some(None)` if there is none of that id; `None` if the program
    /// was not created from an intermediate language.
    pub fn spec_constant_size(&self, id: u32) -> Option<Option<usize>> {
        match &self.origin {
            ProgramOrigin::Il { spec_sizes, .. } => Some(spec_sizes.get(&id).copied()),
            _ => None,
        }
    }

    /// The state once no operation on the devices selected by `wanted` is in progress; no lock may be held.
    pub(crate) fn settled(&self, wanted: impl Fn(usize) -> bool) -> MutexGuard<'_, ProgramState> {
        let mut state = self.state.lock();
        let busy = |(i, r): (usize, &Record)| r.status == BuildStatus::InProgress && wanted(i);
        while state.records.iter().enumerate().any(busy) {
            self.ended.wait(&mut state);
        }
        state
    }

    /// Whether non-uniform work-groups are allowed on this device: from OpenCL C 2.0 on, unless a build
    /// option forbids them.
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

    /// The kernel on every device whose executable contains it.
    pub(crate) fn kernel_parts(
        &self,
        name: &str,
        executables: &[(usize, Executable)],
    ) -> Result<KernelParts> {
        let mut info: Option<KernelInfo> = None;
        let mut per_device: Vec<Option<Arc<dyn DeviceKernel>>> = vec![None; self.devices.len()];
        let mut estimates = None;
        for (index, executable) in executables {
            let Some(compiled) = executable.kernels().find(|k| k.name == name) else { continue };
            match &info {
                None => info = Some(compiled.clone()),
                Some(first) if !same_signature(first, compiled) => {
                    return Err(err!(
                        CL_INVALID_KERNEL_DEFINITION,
                        "kernel '{name}' differs between devices"
                    ));
                }
                Some(_) => {}
            }
            let kernel = executable.loaded.kernel(name)?;
            if recorder::is_on() {
                executable.kernels.record(&*kernel, &self.devices[*index]);
                estimates = Some(Arc::new(executable.kernels.estimates(name)));
            }
            per_device[*index] = Some(kernel);
        }
        let info = info.ok_or_else(|| err!(CL_INVALID_KERNEL_NAME, "the program has no kernel '{name}'"))?;
        Ok(KernelParts { info: Arc::new(info), per_device: per_device.into(), estimates })
    }

    /// Names of the kernels of the executables without repetition: those of the device's own target in order
    /// of declaration, then others.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let executables = self.settled(|_| true).executables();
        if executables.is_empty() {
            return Err(err!(CL_INVALID_PROGRAM_EXECUTABLE, "no executable has been built"));
        }
        let mut names: Vec<String> = Vec::new();
        for (_, executable) in executables {
            for kernel in executable.kernels() {
                if !names.contains(&kernel.name) {
                    names.push(kernel.name.clone());
                }
            }
        }
        Ok(names)
    }

    /// Names and types of a kernel's arguments in the source, if available: from the compilation, or else by
    /// running the front end on the source again.
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
            let config = device.front_config();
            let request =
                CompileRequest { headers: &headers, ..CompileRequest::new(source, &options, &config) };
            match clspv_bridge::front::clang::arg_info(&request) {
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
