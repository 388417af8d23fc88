//! A small host-side binding for the demo programs: libOpenCL.so.1 opened at run time, and only the calls
//! they use.
//!
//! Demo programs are independent of the driver: they use whatever devices the loader offers. Images and
//! samplers are in `image.rs`, command buffers in `replay.rs`, launches of unknown kernels in `generic.rs`.

#![allow(clippy::print_stdout)] // demo programs print

mod generic;
mod image;
mod replay;

pub use generic::{GenericArguments, GenericLaunch};
pub use image::*;
/// The progress line of programs that measure.
pub use progress_line::Progress;
use pyroclast_runtime::cl::*;
use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::time::Instant;

macro_rules! api {
    ($($name:ident : fn($($arg:ty),*) -> $ret:ty;)*) => {
        /// The entry points, resolved from the loader.
        #[allow(non_snake_case)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($arg),*) -> $ret,)*
            _library: libloading::Library,
        }
        impl Api {
            /// Opens the loader.
            pub fn load() -> Result<Api, String> {
                // SAFETY: the system's OpenCL loader has no unsound initialisers.
                let library = unsafe { libloading::Library::new("libOpenCL.so.1") }.map_err(|e| format!("no OpenCL loader: {e}"))?;
                Ok(Api {
                    $($name: {
                        // SAFETY: the symbol has the type that the OpenCL specification gives it.
                        *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                            .map_err(|e| e.to_string())?
                    },)*
                    _library: library,
                })
            }
        }
    };
}

api! {
    clGetPlatformIDs: fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    clGetDeviceIDs: fn(cl_platform_id, cl_device_type, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
    clGetPlatformInfo: fn(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetDeviceInfo: fn(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clCreateContext: fn(*const cl_context_properties, cl_uint, *const cl_device_id, *const c_void,
        *mut c_void, *mut cl_int) -> cl_context;
    clCreateCommandQueue: fn(cl_context, cl_device_id, cl_command_queue_properties,
        *mut cl_int) -> cl_command_queue;
    clCreateBuffer: fn(cl_context, cl_mem_flags, usize, *mut c_void, *mut cl_int) -> cl_mem;
    clCreateProgramWithSource: fn(cl_context, cl_uint, *const *const c_char, *const usize,
        *mut cl_int) -> cl_program;
    clCreateProgramWithIL: fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
    clBuildProgram: fn(cl_program, cl_uint, *const cl_device_id, *const c_char, *const c_void,
        *mut c_void) -> cl_int;
    clGetProgramBuildInfo: fn(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetProgramInfo: fn(cl_program, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clCreateKernel: fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
    clSetKernelArg: fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
    clGetKernelInfo: fn(cl_kernel, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetKernelArgInfo: fn(cl_kernel, cl_uint, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clGetKernelWorkGroupInfo: fn(cl_kernel, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clEnqueueNDRangeKernel: fn(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize,
        cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueReadBuffer: fn(cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint,
        *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteBuffer: fn(cl_command_queue, cl_mem, cl_bool, usize, usize, *const c_void, cl_uint,
        *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyBuffer: fn(cl_command_queue, cl_mem, cl_mem, usize, usize, usize, cl_uint, *const cl_event,
        *mut cl_event) -> cl_int;
    clEnqueueFillBuffer: fn(cl_command_queue, cl_mem, *const c_void, usize, usize, usize, cl_uint,
        *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMapBuffer: fn(cl_command_queue, cl_mem, cl_bool, cl_map_flags, usize, usize, cl_uint,
        *const cl_event, *mut cl_event, *mut cl_int) -> *mut c_void;
    clEnqueueUnmapMemObject: fn(cl_command_queue, cl_mem, *mut c_void, cl_uint, *const cl_event,
        *mut cl_event) -> cl_int;
    clEnqueueMarkerWithWaitList: fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clWaitForEvents: fn(cl_uint, *const cl_event) -> cl_int;
    clGetEventProfilingInfo: fn(cl_event, cl_profiling_info, usize, *mut c_void, *mut usize) -> cl_int;
    clReleaseEvent: fn(cl_event) -> cl_int;
    clFlush: fn(cl_command_queue) -> cl_int;
    clGetExtensionFunctionAddressForPlatform: fn(cl_platform_id, *const c_char) -> *mut c_void;
    clFinish: fn(cl_command_queue) -> cl_int;
    clGetSupportedImageFormats: fn(cl_context, cl_mem_flags, cl_mem_object_type, cl_uint,
        *mut cl_image_format, *mut cl_uint) -> cl_int;
    clCreateImage: fn(cl_context, cl_mem_flags, *const cl_image_format, *const cl_image_desc, *mut c_void,
        *mut cl_int) -> cl_mem;
    clCreateSamplerWithProperties: fn(cl_context, *const cl_sampler_properties, *mut cl_int) -> cl_sampler;
    clCreateSampler: fn(cl_context, cl_bool, cl_uint, cl_uint, *mut cl_int) -> cl_sampler;
    clEnqueueReadImage: fn(cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, usize, usize,
        *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteImage: fn(cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, usize, usize,
        *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyImage: fn(cl_command_queue, cl_mem, cl_mem, *const usize, *const usize, *const usize,
        cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueFillImage: fn(cl_command_queue, cl_mem, *const c_void, *const usize, *const usize, cl_uint,
        *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyImageToBuffer: fn(cl_command_queue, cl_mem, cl_mem, *const usize, *const usize, usize,
        cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyBufferToImage: fn(cl_command_queue, cl_mem, cl_mem, usize, *const usize, *const usize,
        cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMapImage: fn(cl_command_queue, cl_mem, cl_bool, cl_map_flags, *const usize, *const usize,
        *mut usize, *mut usize, cl_uint, *const cl_event, *mut cl_event, *mut cl_int) -> *mut c_void;
    clReleaseSampler: fn(cl_sampler) -> cl_int;
    clReleaseMemObject: fn(cl_mem) -> cl_int;
    clReleaseKernel: fn(cl_kernel) -> cl_int;
    clReleaseProgram: fn(cl_program) -> cl_int;
    clReleaseCommandQueue: fn(cl_command_queue) -> cl_int;
    clReleaseContext: fn(cl_context) -> cl_int;
}

pub fn check(what: &str, code: cl_int) -> Result<(), String> {
    if code == CL_SUCCESS { Ok(()) } else { Err(format!("{what}: error {code}")) }
}

/// A device with its platform's name.
#[derive(Clone)]
pub struct Device {
    pub id: cl_device_id,
    pub platform: String,
    pub name: String,
}

impl Api {
    fn text(&self, query: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> String {
        let mut size = 0usize;
        if query(0, null_mut(), &mut size) != CL_SUCCESS {
            return String::new();
        }
        let mut bytes = vec![0u8; size];
        query(size, bytes.as_mut_ptr().cast(), null_mut());
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
    }

    /// Every device of every platform.
    pub fn devices(&self) -> Result<Vec<Device>, String> {
        let mut count = 0;
        // SAFETY: the count is written to a live variable.
        check("clGetPlatformIDs", unsafe { (self.clGetPlatformIDs)(0, null_mut(), &mut count) })?;
        let mut platforms = vec![null_mut(); count as usize];
        // SAFETY: the array has room for `count` handles.
        check("clGetPlatformIDs", unsafe {
            (self.clGetPlatformIDs)(count, platforms.as_mut_ptr(), null_mut())
        })?;
        let mut all = Vec::new();
        for platform in platforms {
            let mut n = 0;
            // SAFETY: as above.
            if unsafe { (self.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut n) }
                != CL_SUCCESS
            {
                continue;
            }
            let mut ids = vec![null_mut(); n as usize];
            // SAFETY: the array has room for `n` handles.
            check("clGetDeviceIDs", unsafe {
                (self.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, n, ids.as_mut_ptr(), null_mut())
            })?;
            // SAFETY: the query writes at most `size` bytes.
            let platform_name =
                self.text(|s, p, r| unsafe { (self.clGetPlatformInfo)(platform, CL_PLATFORM_NAME, s, p, r) });
            for id in ids {
                // SAFETY: as above.
                let name =
                    self.text(|s, p, r| unsafe { (self.clGetDeviceInfo)(id, CL_DEVICE_NAME, s, p, r) });
                all.push(Device { id, platform: platform_name.clone(), name });
            }
        }
        if all.is_empty() { Err("no OpenCL device found".into()) } else { Ok(all) }
    }
}

// SAFETY: OpenCL handles may be used from any thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// Features, extensions and limits of a device that tests depend on.
#[derive(Default)]
pub struct Offers {
    pub names: Vec<String>,
    pub work_group_size: usize,
}

impl Offers {
    /// Whether the device has a feature of OpenCL C or an extension.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|o| o == name)
    }
}

/// A context with one device and one in-order queue.
pub struct Session<'a> {
    pub api: &'a Api,
    pub device: Device,
    pub context: cl_context,
    pub queue: cl_command_queue,
}

/// An argument of a kernel.
pub enum Arg<'a> {
    Buffer(&'a Buffer<'a>),
    Image(&'a Image<'a>),
    Sampler(&'a Sampler<'a>),
    U32(u32),
    F32(f32),
    /// By value.
    Bytes(&'a [u8]),
    /// A NULL buffer.
    Null,
    /// Bytes of local memory.
    Local(usize),
}

impl<'a> Session<'a> {
    pub fn new(api: &'a Api, device: &Device) -> Result<Session<'a>, String> {
        let mut err = 0;
        // SAFETY: one live device handle is passed, no callback.
        let context = unsafe { (api.clCreateContext)(null(), 1, &device.id, null(), null_mut(), &mut err) };
        check("clCreateContext", err)?;
        // SAFETY: context and device are live.
        let queue = unsafe { (api.clCreateCommandQueue)(context, device.id, 0, &mut err) };
        check("clCreateCommandQueue", err)?;
        Ok(Session { api, device: device.clone(), context, queue })
    }

    /// CL_DEVICE_EXTENSIONS.
    pub fn extensions(&self) -> String {
        // SAFETY: the query writes at most `s` bytes.
        self.api.text(|s, p, r| unsafe {
            (self.api.clGetDeviceInfo)(self.device.id, CL_DEVICE_EXTENSIONS, s, p, r)
        })
    }

    /// The names in CL_DEVICE_OPENCL_C_FEATURES.
    pub fn c_features(&self) -> Vec<String> {
        let mut size = 0;
        let query = self.api.clGetDeviceInfo;
        // SAFETY: a query of the size.
        unsafe { query(self.device.id, CL_DEVICE_OPENCL_C_FEATURES, 0, null_mut(), &mut size) };
        let mut bytes = vec![0u8; size];
        // SAFETY: room for as many bytes.
        unsafe {
            query(self.device.id, CL_DEVICE_OPENCL_C_FEATURES, size, bytes.as_mut_ptr().cast(), null_mut())
        };
        // An entry is a version and a terminated name.
        let name = |e: &[u8]| {
            String::from_utf8_lossy(e[4..].split(|b| *b == 0).next().unwrap_or_default()).into_owned()
        };
        bytes.chunks_exact(size_of::<cl_name_version>()).map(name).collect()
    }

    /// Features, extensions and limits of the device.
    pub fn offers(&self) -> Offers {
        let mut names = self.c_features();
        names.extend(self.extensions().split_whitespace().map(str::to_owned));
        let number = |name, size: usize| {
            let mut value = 0u64;
            // SAFETY: room for the value, which has at most eight bytes, the first of them the lowest.
            let code = unsafe {
                (self.api.clGetDeviceInfo)(self.device.id, name, size, (&raw mut value).cast(), null_mut())
            };
            if code == CL_SUCCESS { value as usize } else { 0 }
        };
        if number(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, size_of::<cl_bool>()) != 0 {
            names.push("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT".into());
        }
        Offers { names, work_group_size: number(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_of::<usize>()) }
    }

    /// Whether single-precision denormals are kept.
    pub fn keeps_denormals(&self) -> bool {
        let mut config: u64 = 0;
        let (size, value) = (size_of::<u64>(), (&raw mut config).cast());
        // SAFETY: the value is a cl_device_fp_config.
        let code = unsafe {
            (self.api.clGetDeviceInfo)(
                self.device.id,
                CL_DEVICE_SINGLE_FP_CONFIG,
                size,
                value,
                std::ptr::null_mut(),
            )
        };
        code == CL_SUCCESS && config & CL_FP_DENORM != 0
    }

    pub fn build(&self, source: &str, options: &str) -> Result<Program<'_>, String> {
        let mut err = 0;
        let text = source.as_ptr().cast::<c_char>();
        let len = source.len();
        // SAFETY: one string of `len` bytes.
        let program = unsafe { (self.api.clCreateProgramWithSource)(self.context, 1, &text, &len, &mut err) };
        check("clCreateProgramWithSource", err)?;
        self.build_program(program, options)
    }

    /// A program from SPIR-V.
    pub fn build_il(&self, words: &[u32]) -> Result<Program<'_>, String> {
        let mut err = 0;
        let (il, size) = (words.as_ptr().cast(), size_of_val(words));
        // SAFETY: a block with its size.
        let program = unsafe { (self.api.clCreateProgramWithIL)(self.context, il, size, &mut err) };
        check("clCreateProgramWithIL", err)?;
        self.build_program(program, "")
    }

    fn build_program(&self, program: cl_program, options: &str) -> Result<Program<'_>, String> {
        let options = CString::new(options).map_err(|e| e.to_string())?;
        // SAFETY: a terminated string and no callback.
        let code = unsafe {
            (self.api.clBuildProgram)(program, 1, &self.device.id, options.as_ptr(), null(), null_mut())
        };
        if code != CL_SUCCESS {
            // SAFETY: the query writes at most `s` bytes.
            let log = self.api.text(|s, p, r| unsafe {
                (self.api.clGetProgramBuildInfo)(program, self.device.id, CL_PROGRAM_BUILD_LOG, s, p, r)
            });
            return Err(format!("clBuildProgram: error {code}\n{log}"));
        }
        Ok(Program { session: self, program })
    }

    pub fn buffer(&'a self, bytes: usize) -> Result<Buffer<'a>, String> {
        let mut err = 0;
        // SAFETY: no host pointer.
        let mem = unsafe {
            (self.api.clCreateBuffer)(self.context, CL_MEM_READ_WRITE, bytes, null_mut(), &mut err)
        };
        check("clCreateBuffer", err)?;
        Ok(Buffer { session: self, mem })
    }

    pub fn write<T: Copy>(&self, buffer: &Buffer<'_>, data: &[T]) -> Result<(), String> {
        // SAFETY: blocking, so the slice outlives the transfer.
        check("clEnqueueWriteBuffer", unsafe {
            (self.api.clEnqueueWriteBuffer)(
                self.queue,
                buffer.mem,
                1,
                0,
                size_of_val(data),
                data.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    /// The first `n` values of a buffer.
    pub fn content<T: Copy + Default>(&self, buffer: &Buffer<'_>, n: usize) -> Result<Vec<T>, String> {
        let mut data = vec![T::default(); n];
        self.read(buffer, &mut data)?;
        Ok(data)
    }

    pub fn read<T: Copy>(&self, buffer: &Buffer<'_>, data: &mut [T]) -> Result<(), String> {
        // SAFETY: blocking, so the slice outlives the transfer.
        check("clEnqueueReadBuffer", unsafe {
            (self.api.clEnqueueReadBuffer)(
                self.queue,
                buffer.mem,
                1,
                0,
                size_of_val(data),
                data.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    pub fn flush(&self) -> Result<(), String> {
        // SAFETY: the queue is live.
        check("clFlush", unsafe { (self.api.clFlush)(self.queue) })
    }

    pub fn finish(&self) -> Result<(), String> {
        // SAFETY: the queue is live.
        check("clFinish", unsafe { (self.api.clFinish)(self.queue) })
    }

    /// Best time in seconds of a few runs of `body`, each ended by clFinish, after a warm-up run.
    pub fn best_time(
        &self,
        seconds: f64,
        mut body: impl FnMut() -> Result<(), String>,
    ) -> Result<f64, String> {
        body()?;
        self.finish()?;
        let begin = Instant::now();
        let mut best = f64::INFINITY;
        while best.is_infinite() || begin.elapsed().as_secs_f64() < seconds {
            let start = Instant::now();
            body()?;
            self.finish()?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}

// SAFETY: OpenCL calls may be made from any thread; those that are not atomic (setting arguments) belong to a
// `Kernel`.
unsafe impl Sync for Session<'_> {}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // SAFETY: both handles are ours and released once.
        unsafe {
            (self.api.clReleaseCommandQueue)(self.queue);
            (self.api.clReleaseContext)(self.context);
        }
    }
}

pub struct Buffer<'a> {
    session: &'a Session<'a>,
    pub mem: cl_mem,
}

// SAFETY: as for `Session`.
unsafe impl Send for Buffer<'_> {}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        unsafe { (self.session.api.clReleaseMemObject)(self.mem) };
    }
}

pub struct Program<'a> {
    session: &'a Session<'a>,
    program: cl_program,
}

impl<'a> Program<'a> {
    pub fn kernel(&self, name: &str) -> Result<Kernel<'a>, String> {
        let mut err = 0;
        let text = CString::new(name).map_err(|e| e.to_string())?;
        // SAFETY: a terminated string.
        let kernel = unsafe { (self.session.api.clCreateKernel)(self.program, text.as_ptr(), &mut err) };
        check("clCreateKernel", err)?;
        Ok(Kernel { session: self.session, kernel })
    }
}

// SAFETY: as for `Session`.
unsafe impl Sync for Program<'_> {}

// SAFETY: as for `Session`.
unsafe impl Send for Program<'_> {}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        unsafe { (self.session.api.clReleaseProgram)(self.program) };
    }
}

pub struct Kernel<'a> {
    session: &'a Session<'a>,
    pub kernel: cl_kernel,
}

impl Kernel<'_> {
    pub fn set(&self, args: &[Arg<'_>]) -> Result<(), String> {
        for (i, arg) in args.iter().enumerate() {
            let (size, ptr): (usize, *const c_void) = match arg {
                Arg::Buffer(b) => (size_of::<cl_mem>(), (&raw const b.mem).cast()),
                Arg::Image(i) => (size_of::<cl_mem>(), i.handle()),
                Arg::Sampler(s) => (size_of::<cl_sampler>(), s.handle()),
                Arg::U32(x) => (4, (x as *const u32).cast()),
                Arg::F32(x) => (4, (x as *const f32).cast()),
                Arg::Bytes(b) => (b.len(), b.as_ptr().cast()),
                Arg::Null => (size_of::<cl_mem>(), null()),
                Arg::Local(n) => (*n, null()),
            };
            // SAFETY: the pointer is valid for `size` bytes, or NULL for local memory.
            let code = unsafe { (self.session.api.clSetKernelArg)(self.kernel, i as cl_uint, size, ptr) };
            check("clSetKernelArg", code).map_err(|error| format!("argument {i}: {error}"))?;
        }
        Ok(())
    }

    pub fn launch(&self, global: &[usize], local: Option<&[usize]>) -> Result<(), String> {
        self.launch_at(None, global, local)
    }

    pub fn launch_at(
        &self,
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<(), String> {
        // SAFETY: the arrays have as many elements as there are dimensions.
        check("clEnqueueNDRangeKernel", unsafe {
            (self.session.api.clEnqueueNDRangeKernel)(
                self.session.queue,
                self.kernel,
                global.len() as cl_uint,
                offset.map_or(null(), |o| o.as_ptr()),
                global.as_ptr(),
                local.map_or(null(), |l| l.as_ptr()),
                0,
                null(),
                null_mut(),
            )
        })
    }
}

// SAFETY: as for `Session`.
unsafe impl Send for Kernel<'_> {}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        unsafe { (self.session.api.clReleaseKernel)(self.kernel) };
    }
}

/// Folder of the loader's ICD files: OCL_ICD_VENDORS, or the system's.
pub fn vendors() -> PathBuf {
    std::env::var_os("OCL_ICD_VENDORS").map_or_else(|| "/etc/OpenCL/vendors".into(), PathBuf::from)
}

/// Makes the loader offer the library that `--driver` names beside those it has. Returns the folder to remove
/// at the end.
pub fn offer_driver() -> Result<Option<PathBuf>, String> {
    let args: Vec<String> = std::env::args().collect();
    let Some(library) = args.iter().position(|a| a == "--driver").and_then(|i| args.get(i + 1)) else {
        return Ok(None);
    };
    let folder = std::env::temp_dir().join(format!("pyroclast-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for entry in std::fs::read_dir(vendors()).into_iter().flatten().flatten() {
        let _ = std::fs::copy(entry.path(), folder.join(entry.file_name()));
    }
    let library = std::fs::canonicalize(library).map_err(|e| format!("{library}: {e}"))?;
    std::fs::write(folder.join("00-pyroclast.icd"), format!("{}\n", library.display()))
        .map_err(|e| e.to_string())?;
    // SAFETY: the caller has no other threads yet.
    unsafe { std::env::set_var("OCL_ICD_VENDORS", &folder) };
    Ok(Some(folder))
}

/// Labels and figures.
pub type Rows = Vec<(&'static str, f64)>;

/// Adds the figure of a row, or NaN and a line for a measurement that the device cannot run.
pub fn add_row(session: &Session<'_>, rows: &mut Rows, label: &'static str, figure: Result<f64, String>) {
    let figure = figure.unwrap_or_else(|error| {
        println!("{} [{}]: {label}: FAILED: {error}", session.device.name, session.device.platform);
        f64::NAN
    });
    rows.push((label, figure));
}

/// The positional argument of the command line: a substring of the labels of the rows to measure.
pub fn wanted_part() -> String {
    let mut args = std::env::args().skip(1);
    let mut wanted = String::new();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--driver" => drop(args.next()),
            _ => wanted = arg,
        }
    }
    wanted
}

/// Measures every device and prints a table: a row for each label, a column for each device.
pub fn compare(measure: impl Fn(&Session<'_>) -> Result<Rows, String>) -> Result<(), String> {
    let folder = offer_driver()?;
    let api = Api::load()?;
    let mut columns = Vec::new();
    let devices = api.devices()?;
    let label = |device: &Device| format!("{} [{}]", device.name, device.platform);
    let progress = Progress::new(false, "devices", 1, devices.iter().map(|device| (label(device), None)));
    for device in devices {
        let (label, start) = (label(&device), Instant::now());
        progress.begins(&label);
        let result = Session::new(&api, &device).and_then(|s| measure(&s));
        progress.done(&label, start.elapsed().as_secs_f64(), result.is_err());
        match result {
            Ok(rows) => columns.push((device, rows)),
            Err(error) => {
                progress.clear();
                println!("{label}: FAILED: {error}");
            }
        }
    }
    progress.clear();
    for (i, (device, _)) in columns.iter().enumerate() {
        println!("({}) {} [{}]", i + 1, device.name, device.platform);
    }
    let Some((_, first)) = columns.first() else { return Err("nothing could be measured".into()) };
    for (label, _) in first {
        let cell = |rows: &Rows| rows.iter().find(|r| r.0 == *label).map_or(f64::NAN, |r| r.1);
        let cells: Vec<String> = columns.iter().map(|(_, rows)| format!("{:>12.3}", cell(rows))).collect();
        println!("{label:<48}{}", cells.join(""));
    }
    if let Some(folder) = folder {
        let _ = std::fs::remove_dir_all(folder);
    }
    Ok(())
}

/// Prefix of the message of a demo that cannot run on a device.
pub const SKIPPED: &str = "skipped";

/// Runs a demo on every device and prints a line for each. Fails if any result is wrong. A demo may report
/// that the device lacks a feature.
pub fn on_every_device(
    title: &str,
    demo: impl Fn(&Session<'_>) -> Result<String, String>,
) -> std::process::ExitCode {
    let run = || -> Result<bool, String> {
        let api = Api::load()?;
        let mut good = true;
        for device in api.devices()? {
            let outcome = Session::new(&api, &device).and_then(|s| demo(&s));
            match outcome {
                Ok(line) if line.starts_with(SKIPPED) => {
                    println!("{title:<11} {} [{}]: {line}", device.name, device.platform)
                }
                Ok(line) => println!("{title:<11} {} [{}]: {line}, verified", device.name, device.platform),
                Err(error) => {
                    good = false;
                    println!("{title:<11} {} [{}]: FAILED: {error}", device.name, device.platform);
                }
            }
        }
        Ok(good)
    };
    match run() {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{title}: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
