//! Building, compiling and linking of programs: checks of the calls, the work for each device, and its
//! threads.
//!
//! Every operation has three steps: `begin` (checks and IN_PROGRESS, under the program's lock), the work (no
//! lock), and `finish` (the outcomes, under the lock). With a callback the work runs on a thread of its own
//! and the call returns at once; the number of such threads is limited. Front-end results and executables are
//! taken from the disk cache if possible. The compiler runs on a large stack, since the application's threads
//! may have small ones, and a panic in it becomes a failed build.

use super::binary::BinaryKind;
use super::cache::{self, LibraryKey};
use super::code::{cache, dump};
use super::kernel_code::ProgramKernels;
use super::options::{self, BuildOptions, Stage};
use super::stack::COMPILER_STACK;
use super::{BuildStatus, Executable, Program, ProgramOrigin, Record, manifest};
use crate::callback::{self, Callback};
use crate::cl::*;
use crate::context::Context;
use crate::device::traits::DeviceError;
use crate::device::{Device, features};
use crate::err;
use crate::error::{Error, Result};
use crate::record::{self, BuildStage, stage};
use crate::store;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::driver;
use clspv_bridge::options::{CompileRequest, Extent, FrontConfig, Header, Kernels, Library, Options};
use clspv_bridge::{CompileError, Target};
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once, OnceLock};
use std::time::SystemTime;

/// Work for one device.
enum DeviceWork {
    /// Compiles source to a library, and to an executable if `link`.
    Source { headers: Arc<[Header]>, link: bool },
    /// Links modules to an executable.
    Modules(Vec<Arc<Library>>),
    /// Collects modules in a compiled object or library, which requires no work.
    Collect(Vec<Arc<Library>>, BinaryKind),
    /// Fails: the device cannot accept the program, for this reason.
    Refused(String),
    /// Loads a binary with code for this target.
    Ready(Vec<Arc<Library>>, Arc<CompiledProgram>),
}

struct DeviceJob {
    index: usize,
    work: DeviceWork,
    options: Options,
    specs: Vec<(u32, Vec<u8>)>,
}

/// Code for a device.
struct Compiled {
    /// As [`DeviceOps::compile`](crate::device::traits::DeviceOps::compile) returns it.
    code: Vec<Arc<CompiledProgram>>,
    /// For code of single kernels later.
    kernels: ProgramKernels,
}

/// A started operation.
pub struct BuildJob {
    devices: Vec<DeviceJob>,
    /// CL_*_PROGRAM_FAILURE code of the call.
    failure: cl_int,
    notes: String,
}

/// Outcome of the work for a device.
struct DeviceOutcome {
    index: usize,
    log: String,
    options: Options,
    specs: Vec<(u32, Vec<u8>)>,
    headers: Option<Arc<[Header]>>,
    result: Result<(BinaryKind, Vec<Arc<Library>>, Option<Executable>)>,
}

impl Program {
    /// clBuildProgram.
    pub fn build(
        self: &Arc<Self>,
        devices: Option<&[Arc<Device>]>,
        text: &str,
        notify: Option<Callback>,
    ) -> Result<()> {
        let indices = self.device_indices(devices)?;
        let mut options =
            options::parse(text, Stage::Build).map_err(|e| err!(CL_INVALID_BUILD_OPTIONS, "{e}"))?;
        initialize(&self.context, &mut options.compiler);
        let job =
            self.begin(&indices, text, &options, CL_BUILD_PROGRAM_FAILURE, |record, specs, index| {
                let options = options.compiler.clone();
                Ok(match &self.origin {
                    ProgramOrigin::Source(_) => DeviceJob {
                        index,
                        work: DeviceWork::Source { headers: Arc::new([]), link: true },
                        options,
                        specs,
                    },
                    ProgramOrigin::Il { module, .. } => {
                        let work = match self.refusal(index, module) {
                            Some(refusal) => refusal,
                            None => DeviceWork::Modules(vec![module.clone()]),
                        };
                        DeviceJob { index, work, options, specs }
                    }
                    ProgramOrigin::Binary => {
                        let binary = record
                            .given
                            .as_ref()
                            .ok_or_else(|| err!(CL_INVALID_BINARY, "no binary for the device"))?;
                        // Without options, those of the original build apply.
                        let mut options =
                            if text.trim().is_empty() { binary.options.clone() } else { options };
                        initialize(&self.context, &mut options);
                        let specs = binary.specs.clone();
                        let target = self.devices[index].ops().target();
                        let work = match secret().and_then(|secret| binary.code_for(&secret, target)) {
                            _ if !is_initialized(&self.context, &binary.options) => {
                                DeviceWork::Refused(NOT_INITIALIZED.into())
                            }
                            Some(code)
                                if options == binary.options
                                    && self.devices[index].ops().notes(&code).is_empty() =>
                            {
                                DeviceWork::Ready(binary.libraries.clone(), code)
                            }
                            _ => DeviceWork::Modules(binary.libraries.clone()),
                        };
                        DeviceJob { index, work, options, specs }
                    }
                    // CL_INVALID_OPERATION: the program was created by clLinkProgram.
                    ProgramOrigin::Linked => {
                        return Err(err!(CL_INVALID_OPERATION, "a linked program cannot be built"));
                    }
                })
            })?;
        self.start(job, notify)
    }

    /// clCompileProgram.
    pub fn compile(
        self: &Arc<Self>,
        devices: Option<&[Arc<Device>]>,
        text: &str,
        headers: Vec<Header>,
        notify: Option<Callback>,
    ) -> Result<()> {
        let indices = self.device_indices(devices)?;
        let mut options =
            options::parse(text, Stage::Compile).map_err(|e| err!(CL_INVALID_COMPILER_OPTIONS, "{e}"))?;
        initialize(&self.context, &mut options.compiler);
        let headers: Arc<[Header]> = headers.into();
        let job = self.begin(&indices, text, &options, CL_COMPILE_PROGRAM_FAILURE, |_, specs, index| {
            let options = options.compiler.clone();
            let work = match &self.origin {
                ProgramOrigin::Source(_) => DeviceWork::Source { headers: headers.clone(), link: false },
                ProgramOrigin::Il { module, .. } => match self.refusal(index, module) {
                    Some(refusal) => refusal,
                    None => DeviceWork::Collect(vec![module.clone()], BinaryKind::CompiledObject),
                },
                _ => {
                    return Err(err!(
                        CL_INVALID_OPERATION,
                        "the program has neither source nor intermediate language"
                    ));
                }
            };
            Ok(DeviceJob { index, work, options, specs })
        })?;
        self.start(job, notify)
    }

    /// Creates the program of clLinkProgram, with the work for [`Program::start`].
    pub fn link(
        context: &Arc<Context>,
        devices: Option<&[Arc<Device>]>,
        text: &str,
        inputs: &[Arc<Program>],
    ) -> Result<(Program, BuildJob)> {
        // CL_INVALID_DEVICE: a listed device is not of the context.
        for device in devices.unwrap_or_default() {
            context.device(device)?;
        }
        if inputs.iter().any(|p| !Arc::ptr_eq(&p.context, context)) {
            return Err(err!(CL_INVALID_CONTEXT, "a program is of another context"));
        }
        let options =
            options::parse(text, Stage::Link).map_err(|e| err!(CL_INVALID_LINKER_OPTIONS, "{e}"))?;
        let mut devices: Vec<Arc<Device>> = devices.unwrap_or(context.devices()).to_vec();
        let mut seen: Vec<Arc<Device>> = Vec::new();
        devices.retain(|d| {
            let new = !seen.iter().any(|s| Arc::ptr_eq(s, d));
            seen.push(d.clone());
            new
        });
        let program = Program::for_link(context.clone(), devices);
        let mut jobs = Vec::new();
        for (index, device) in program.devices.iter().enumerate() {
            if let Some((libraries, inherited, specs)) = link_inputs(device, inputs)? {
                let mut options_here = combine(&inherited, &options.compiler);
                initialize(context, &mut options_here);
                let work = match options.create_library {
                    _ if !inherited.iter().all(|o| is_initialized(context, o)) => {
                        DeviceWork::Refused(NOT_INITIALIZED.into())
                    }
                    true => DeviceWork::Collect(libraries, BinaryKind::Library),
                    false => DeviceWork::Modules(libraries),
                };
                jobs.push(DeviceJob { index, work, options: options_here, specs });
            }
        }
        if jobs.is_empty() {
            return Err(err!(CL_INVALID_OPERATION, "no input has a compiled object or library"));
        }
        {
            let mut state = program.state.lock();
            for job in &jobs {
                let record = &mut state.records[job.index];
                record.status = BuildStatus::InProgress;
                record.option_text = text.to_owned();
            }
        }
        Ok((program, BuildJob { devices: jobs, failure: CL_LINK_PROGRAM_FAILURE, notes: notes(&options) }))
    }

    /// The failure of a module that declares capabilities which the device lacks.
    fn refusal(&self, index: usize, module: &Library) -> Option<DeviceWork> {
        let missing = crate::device::spirv::refused(
            &self.devices[index],
            &super::il::capabilities(module.code.spirv()),
        )?;
        Some(DeviceWork::Refused(format!("error: the device does not support the capability {missing:?}\n")))
    }

    /// Checks that the operation may start, and marks the devices' records as in progress.
    fn begin(
        &self,
        indices: &[usize],
        text: &str,
        options: &BuildOptions,
        failure: cl_int,
        mut work: impl FnMut(&Record, Vec<(u32, Vec<u8>)>, usize) -> Result<DeviceJob>,
    ) -> Result<BuildJob> {
        // Earlier operations for these devices are waited for.
        let mut state = self.settled(|i| indices.contains(&i));
        if self.has_kernels() {
            return Err(err!(CL_INVALID_OPERATION, "kernel objects are attached to the program"));
        }
        let specs: Vec<(u32, Vec<u8>)> = state.specs.iter().map(|(id, v)| (*id, v.clone())).collect();
        let devices = indices
            .iter()
            .map(|i| work(&state.records[*i], specs.clone(), *i))
            .collect::<Result<Vec<_>>>()?;
        if devices.iter().any(|d| matches!(d.work, DeviceWork::Source { .. }))
            && !crate::device::compiler::compiler_available()
        {
            return Err(err!(CL_COMPILER_NOT_AVAILABLE, "clang was not found"));
        }
        for index in indices {
            let record = &mut state.records[*index];
            *record = Record {
                status: BuildStatus::InProgress,
                option_text: text.to_owned(),
                given: record.given.take(),
                headers: Arc::new([]),
                ..Record::default()
            };
        }
        Ok(BuildJob { devices, failure, notes: notes(options) })
    }

    /// Does the work in the calling thread, or with a callback on another thread.
    pub fn start(self: &Arc<Self>, job: BuildJob, notify: Option<Callback>) -> Result<()> {
        let Some(notify) = notify else { return self.perform(job) };
        let program = self.clone();
        let work = Arc::new(Mutex::new(Some((job, notify))));
        let shared = work.clone();
        let run = move || {
            let Some((job, notify)) = shared.lock().take() else { return };
            let _permit = BuildPermit::take();
            if let Err(error) = program.perform(job) {
                tracing::debug!(%error, "build");
                // The API call has returned, so the error is reported here.
                program.context.notify_error("build", &error);
            }
            post(notify, program);
        };
        let spawned = std::thread::Builder::new().name("pyroclast-build".into()).spawn(run);
        if spawned.is_err() {
            // No thread can be started: do the work here.
            let taken = work.lock().take();
            if let Some((job, notify)) = taken {
                let _ = self.perform(job);
                post(notify, self.clone());
            }
        }
        Ok(())
    }

    fn perform(&self, job: BuildJob) -> Result<()> {
        let _stage = BuildStage::begin(stage::BUILD, || self.label());
        let result = self.perform_and_store(job);
        self.ended.notify_all();
        result
    }

    /// Describes the program for the recorder.
    fn label(&self) -> String {
        match &self.origin {
            ProgramOrigin::Source(source) => format!("{} bytes of source", source.len()),
            ProgramOrigin::Il { .. } => "SPIR-V".into(),
            ProgramOrigin::Binary => "binary".into(),
            ProgramOrigin::Linked => "linked program".into(),
        }
    }

    fn perform_and_store(&self, job: BuildJob) -> Result<()> {
        let indices: Vec<usize> = job.devices.iter().map(|d| d.index).collect();
        let (failure, notes) = (job.failure, job.notes);
        let devices = job.devices;
        let outcomes = catch_unwind(AssertUnwindSafe(|| self.work(devices, failure, &notes)));
        let mut state = self.state.lock();
        let Ok(outcomes) = outcomes else {
            for index in indices {
                state.records[index].status = BuildStatus::Error;
                state.records[index].log = "internal error of the runtime\n".into();
            }
            return Err(err!(failure, "internal error of the runtime"));
        };
        let mut first_error = None;
        for outcome in outcomes {
            let record = &mut state.records[outcome.index];
            record.log = outcome.log;
            record.options = outcome.options;
            record.specs = outcome.specs;
            record.headers = outcome.headers.unwrap_or_else(|| Arc::new([]));
            match outcome.result {
                Ok((kind, libraries, executable)) => {
                    record.status = BuildStatus::Success;
                    record.kind = Some(kind);
                    record.libraries = libraries;
                    record.executable = executable;
                }
                Err(error) => {
                    if matches!(self.origin, ProgramOrigin::Il { .. }) {
                        // Few SPIR-V producers show the log of a module that they expect to build.
                        let log = record.log.trim_end();
                        tracing::warn!(target: "pyroclast::program", "build of a SPIR-V module: {log}");
                    }
                    record.status = BuildStatus::Error;
                    first_error.get_or_insert(error);
                }
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Does the work of every device. Devices with the same work share its result.
    #[allow(clippy::type_complexity)] // local memo tables
    fn work(&self, devices: Vec<DeviceJob>, failure: cl_int, notes: &str) -> Vec<DeviceOutcome> {
        let mut front: Vec<(FrontConfig, std::result::Result<Arc<Library>, CompileError>)> = Vec::new();
        let mut back: Vec<(
            Kernels,
            Target,
            Vec<Arc<Library>>,
            std::result::Result<Arc<CompiledProgram>, CompileError>,
        )> = Vec::new();
        let mut outcomes = Vec::new();
        for DeviceJob { index, work, options, specs } in devices {
            let device = &self.devices[index];
            let mut log = notes.to_owned();
            let mut kept_headers = None;
            let attempt =
                || -> std::result::Result<(BinaryKind, Vec<Arc<Library>>, Option<Compiled>), CompileError> {
                    let uniform_work_group_size = options.has_uniform_groups(self.is_from_source());
                    let code_options = Options { uniform_work_group_size, ..options.clone() };
                    let libraries = match work {
                        DeviceWork::Collect(libraries, kind) => return Ok((kind, libraries, None)),
                        DeviceWork::Ready(libraries, code) => {
                            let compiled = Compiled {
                                code: vec![code],
                                kernels: ProgramKernels::new(libraries.clone(), code_options, specs.clone()),
                            };
                            return Ok((BinaryKind::Executable, libraries, Some(compiled)));
                        }
                        DeviceWork::Modules(libraries) => libraries,
                        DeviceWork::Refused(reason) => return Err(CompileError::Diagnostics(reason)),
                        DeviceWork::Source { headers, link } => {
                            let ProgramOrigin::Source(source) = &self.origin else {
                                return Err(CompileError::internal("no source"));
                            };
                            let config = device.front_config();
                            let known = front.iter().find(|(c, _)| *c == config).map(|(_, r)| r.clone());
                            let library = known.unwrap_or_else(|| {
                                let extent = if link { Extent::Program } else { Extent::Part };
                                let result = front_end(device, source, &headers, &options, extent);
                                if let Some(dump) = dump() {
                                    let text = self.state.lock().records[index].option_text.clone();
                                    dump.source(source, &headers, &text, result.as_deref().ok());
                                }
                                front.push((config, result.clone()));
                                result
                            })?;
                            log.push_str(&library.log);
                            kept_headers = Some(headers);
                            if !link {
                                return Ok((BinaryKind::CompiledObject, vec![library], None));
                            }
                            vec![library]
                        }
                    };
                    let same = |l: &[Arc<Library>]| {
                        l.len() == libraries.len() && l.iter().zip(&libraries).all(|(a, b)| Arc::ptr_eq(a, b))
                    };
                    let program = ProgramKernels::new(libraries.clone(), code_options, specs.clone());
                    let mut compile = |kernels: Kernels, target: &Target| {
                        let known = back.iter().find(|(k, t, l, _)| *k == kernels && t == target && same(l));
                        if let Some((.., known)) = known {
                            return known.clone();
                        }
                        let result = program.build(&kernels, target).map(|code| code.program);
                        let result = match (&self.origin, &kept_headers) {
                            (ProgramOrigin::Source(source), Some(headers)) => result.map_err(|error| {
                                let config = device.front_config();
                                let request = CompileRequest::new(source, &options, &config);
                                driver::add_positions(error, &CompileRequest { headers, ..request })
                            }),
                            _ => result,
                        };
                        if let Some(dump) = dump() {
                            let libraries: Vec<&Library> = libraries.iter().map(|l| &**l).collect();
                            dump.program(&libraries, &specs, result.as_deref().ok());
                        }
                        back.push((kernels, target.clone(), libraries.clone(), result.clone()));
                        result
                    };
                    let code = device.ops().compile(&mut compile, &mut log)?;
                    Ok((BinaryKind::Executable, libraries, Some(Compiled { code, kernels: program })))
                };
            let result = match attempt() {
                Ok((kind, libraries, None)) => Ok((kind, libraries, None)),
                Ok((kind, libraries, Some(compiled))) => match load(device, compiled) {
                    Ok(executable) => Ok((kind, libraries, Some(executable))),
                    Err(error) => {
                        add_line(&mut log, &format!("error: {error}"));
                        Err(match error {
                            // clBuildProgram: a lack of resources is not an error of the program.
                            DeviceError::OutOfHostMemory
                            | DeviceError::OutOfDeviceMemory
                            | DeviceError::Lost => error.into(),
                            error => err!(failure, "{error}"),
                        })
                    }
                },
                Err(error) => {
                    add_line(&mut log, &error.to_string());
                    Err(build_error(error, failure))
                }
            };
            outcomes.push(DeviceOutcome { index, log, options, specs, headers: kept_headers, result });
        }
        outcomes
    }
}

/// Posts the callback of a build. The program lives until the callback has run, even if the application has
/// released it.
fn post(notify: Callback, program: Arc<Program>) {
    callback::post(Box::new(move || {
        notify();
        drop(program);
    }));
}

fn load(device: &Device, compiled: Compiled) -> std::result::Result<Executable, DeviceError> {
    let Compiled { code, kernels } = compiled;
    let _stage = BuildStage::begin(stage::LOAD, String::new);
    let loaded = device.ops().load_all(&code)?;
    let kernels = Arc::new(kernels);
    loaded.offer_compiler(kernels.clone());
    Ok(Executable { code, loaded, kernels })
}

/// cl_khr_initialize_memory: adds the context's initialisation to the compiler options.
fn initialize(context: &Context, options: &mut Options) {
    (options.initialize_local, options.initialize_private) = context.initializes();
}

/// Whether a module compiled with these options has the initialisation that the context requires.
fn is_initialized(context: &Context, options: &Options) -> bool {
    let (local, private) = context.initializes();
    (options.initialize_local || !local) && (options.initialize_private || !private)
}

const NOT_INITIALIZED: &str =
    "error: the binary was made in a context that does not initialize memory as this one does\n";

/// The API error of a failed compilation.
fn build_error(error: CompileError, failure: cl_int) -> Error {
    match error {
        // Once the build has begun, malformed modules are build failures.
        CompileError::InvalidIl(text) => err!(failure, "{text}"),
        other => Error::for_build(other, failure),
    }
}

fn add_line(log: &mut String, line: &str) {
    if !log.is_empty() && !log.ends_with('\n') {
        log.push('\n');
    }
    log.push_str(line);
    if !line.ends_with('\n') {
        log.push('\n');
    }
}

fn notes(options: &BuildOptions) -> String {
    options.notes.iter().map(|n| format!("{n}\n")).collect()
}

/// Inputs of a device's link: modules, their common options, specialisation constants. `None` if no input has
/// code for the device.
type LinkInputs = (Vec<Arc<Library>>, Vec<Options>, Vec<(u32, Vec<u8>)>);

fn link_inputs(device: &Arc<Device>, inputs: &[Arc<Program>]) -> Result<Option<LinkInputs>> {
    let (mut libraries, mut options, mut specs) = (Vec::new(), Vec::new(), Vec::new());
    let mut missing = 0;
    for program in inputs {
        let index = program.device_index(device);
        // Operations in progress are waited for, so that every input is compiled.
        let state = program.settled(|i| Some(i) == index);
        match index.map(|i| &state.records[i]) {
            Some(r) if matches!(r.kind, Some(BinaryKind::CompiledObject | BinaryKind::Library)) => {
                libraries.extend(r.libraries.iter().cloned());
                options.push(r.options.clone());
                specs.extend(r.specs.iter().cloned());
            }
            _ => missing += 1,
        }
    }
    if missing == inputs.len() {
        return Ok(None);
    }
    if missing > 0 {
        return Err(err!(
            CL_INVALID_OPERATION,
            "some inputs have no compiled object or library for a device"
        ));
    }
    Ok(Some((libraries, options, specs)))
}

/// Options of a link: a relaxation holds if requested by the link or by all inputs; a restriction holds if
/// requested by any input.
fn combine(inputs: &[Options], link: &Options) -> Options {
    let all = |f: fn(&Options) -> bool| !inputs.is_empty() && inputs.iter().all(f);
    let any = |f: fn(&Options) -> bool| inputs.iter().any(f);
    Options {
        std: inputs.first().map(|o| o.std.clone()).unwrap_or_default(),
        preprocessor: Vec::new(),
        opt_disable: any(|o| o.opt_disable),
        mad_enable: link.mad_enable || all(|o| o.mad_enable),
        no_signed_zeros: link.no_signed_zeros || all(|o| o.no_signed_zeros),
        unsafe_math: link.unsafe_math || all(|o| o.unsafe_math),
        finite_math: link.finite_math || all(|o| o.finite_math),
        fast_relaxed_math: link.fast_relaxed_math || all(|o| o.fast_relaxed_math),
        denorms_are_zero: link.denorms_are_zero || all(|o| o.denorms_are_zero),
        single_precision_constant: all(|o| o.single_precision_constant),
        correctly_rounded_divide_sqrt: any(|o| o.correctly_rounded_divide_sqrt),
        uniform_work_group_size: all(|o| o.uniform_work_group_size),
        kernel_arg_info: any(|o| o.kernel_arg_info),
        warnings_off: all(|o| o.warnings_off),
        warnings_are_errors: false,
        warnings: Vec::new(),
        debug_info: any(|o| o.debug_info),
        initialize_local: false,
        initialize_private: false,
    }
}

/// The secret that proves code in binaries to be this user's; without a cache, this process's.
pub(super) fn secret() -> Option<[u8; 32]> {
    static SECRET: OnceLock<Option<[u8; 32]>> = OnceLock::new();
    *SECRET.get_or_init(|| cache().store().secret().or_else(store::random))
}

/// Compiles source to library SPIR-V, from the cache if possible.
fn front_end(
    device: &Device,
    source: &str,
    headers: &[Header],
    options: &Options,
    extent: Extent,
) -> std::result::Result<Arc<Library>, CompileError> {
    // -cl-std: compilation fails if CL_DEVICE_OPENCL_C_ALL_VERSIONS does not contain the version.
    if features::lacks_version(device.info(), &options.std) {
        let version = options.std.trim_start_matches("CL");
        return Err(CompileError::Diagnostics(format!(
            "error: OpenCL C {version} is not supported by this device\n"
        )));
    }
    let config = device.front_config();
    let base = cache::library_key(source, headers, options, &config, extent);
    let key = match base {
        LibraryKey::Known(key) => Some(key),
        LibraryKey::Manifest(base) => manifest::find(cache().store(), base),
        LibraryKey::None => None,
    };
    let mut stage = BuildStage::begin(stage::FRONT_END, String::new);
    if let Some(library) = cache().library(key) {
        record::note_cached(&mut stage);
        return Ok(Arc::new(library));
    }
    warm_up();
    let request = CompileRequest { headers, extent, ..CompileRequest::new(source, options, &config) };
    if let LibraryKey::Manifest(base) = base {
        let begin = SystemTime::now();
        let compiled = driver::compile(&CompileRequest { list_dependencies: true, ..request })?;
        let (library, files) = (compiled.library, compiled.dependencies);
        let key = files
            .and_then(|files| manifest::keep(cache().store(), base, &files, &options.preprocessor, begin));
        cache().store_library(key, &library);
        return Ok(Arc::new(library));
    }
    let library = driver::compile(&request)?.library;
    cache().store_library(key, &library);
    Ok(Arc::new(library))
}

/// Prepares the compiler while the front-end tool runs, once per process.
fn warm_up() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let builder =
            std::thread::Builder::new().name("pyroclast-compiler".into()).stack_size(COMPILER_STACK);
        // Without a thread, the compiler does this when it runs.
        let _ = builder.spawn(driver::warm_up);
    });
}

/// Permit for a build in the background; their number is limited.
struct BuildPermit;

static RUNNING: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

impl BuildPermit {
    fn take() -> BuildPermit {
        let limit = std::thread::available_parallelism().map_or(2, |n| n.get()).max(2);
        let mut running = RUNNING.lock();
        while *running >= limit {
            FREED.wait(&mut running);
        }
        *running += 1;
        BuildPermit
    }
}

impl Drop for BuildPermit {
    fn drop(&mut self) {
        *RUNNING.lock() -= 1;
        FREED.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relaxations_need_all_inputs_or_the_link() {
        let fast = Options { mad_enable: true, correctly_rounded_divide_sqrt: true, ..Options::default() };
        let plain = Options::default();
        assert!(combine(&[fast.clone(), fast.clone()], &plain).mad_enable);
        let mixed = combine(&[fast, plain.clone()], &plain);
        assert!(!mixed.mad_enable && mixed.correctly_rounded_divide_sqrt);
        let link = Options { denorms_are_zero: true, ..Options::default() };
        assert!(combine(&[plain], &link).denorms_are_zero);
    }

    #[test]
    fn log_lines_end() {
        let mut log = String::from("warning");
        add_line(&mut log, "error");
        assert_eq!(log, "warning\nerror\n");
    }
}
