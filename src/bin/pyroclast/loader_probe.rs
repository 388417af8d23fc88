//! `pyroclast loader-probe`, a child process of `pyroclast info`: the OpenCL loader of the system, and the
//! platforms that it lists.
//!
//! It runs every driver that is installed; one that crashes or hangs must not take `info` with it.

use libloading::{Library, Symbol};
use pyroclast_runtime::cl::*;
use serde::{Deserialize, Serialize};
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Name of the hidden subcommand.
const SUBCOMMAND: &str = "loader-probe";
/// Time after which the child process is ended.
const LIMIT: Duration = Duration::from_secs(20);

/// The loader and its platforms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoaderReport {
    pub path: String,
    /// The loader's name and version, if it tells.
    pub name: String,
    pub platforms: Vec<PlatformReport>,
    /// Why the platforms are not complete, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A platform as the loader lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformReport {
    pub name: String,
    pub version: String,
    pub devices: u32,
}

type GetPlatforms = unsafe extern "C" fn(cl_uint, *mut *mut c_void, *mut cl_uint) -> cl_int;
type GetInfo = unsafe extern "C" fn(*mut c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
type GetDevices =
    unsafe extern "C" fn(*mut c_void, cl_ulong, cl_uint, *mut *mut c_void, *mut cl_uint) -> cl_int;
type GetLoaderInfo = unsafe extern "C" fn(cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
type GetFunction = unsafe extern "C" fn(*const c_char) -> Option<GetLoaderInfo>;

/// Runs the child process. `None` if the system has no loader.
pub fn probe(loader: &str) -> Option<LoaderReport> {
    let own = std::env::current_exe().ok()?;
    let mut command = Command::new(own);
    command.args([SUBCOMMAND, loader]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let begin = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(_)) => break true,
            Ok(None) if begin.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(5)),
            _ => break false,
        }
    };
    if !ended {
        let _ = child.kill();
    }
    let output = child.wait_with_output().ok()?;
    // The last complete line: the child writes what it knows before it calls the drivers.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut report: LoaderReport = text.lines().rev().find_map(|l| serde_json::from_str(l).ok())?;
    if !ended {
        report.problem = Some(format!("a driver did not answer within {} s", LIMIT.as_secs()));
    } else if !output.status.success() {
        report.problem = Some(format!("a driver ended the process that asked it ({})", output.status));
    }
    Some(report)
}

/// The child process: prints a [`LoaderReport`] before and after the drivers are loaded. Prints nothing if
/// there is no loader.
pub fn run(loader: &str) -> Result<std::process::ExitCode, String> {
    // SAFETY: loading a library runs its initialisers; the system's OpenCL loader is as trusted as in any
    // OpenCL program.
    let library = unsafe { Library::new(loader) }.map_err(|e| e.to_string())?;
    let mut report = LoaderReport { path: mapped_path(loader), ..LoaderReport::default() };
    print_line(&report)?;
    report.name = loader_name(&library);
    report.platforms = platforms(&library).unwrap_or_default();
    print_line(&report)?;
    Ok(std::process::ExitCode::SUCCESS)
}

fn print_line(report: &LoaderReport) -> Result<(), String> {
    let text = serde_json::to_string(report).map_err(|e| e.to_string())?;
    super::info::print(&format!("{text}\n"))
}

/// The file from which a library was loaded.
fn mapped_path(name: &str) -> String {
    let stem = name.split(".so").next().unwrap_or(name);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|l| l.find('/').map(|at| &l[at..]));
    let is_it = |p: &&str| Path::new(p).file_name().is_some_and(|f| f.to_string_lossy().starts_with(stem));
    paths.into_iter().find(is_it).unwrap_or(name).to_string()
}

/// Name and version by cl_loader_info, an extension function of both loaders.
fn loader_name(library: &Library) -> String {
    // SAFETY: the types are those of the specification, the name ends with a zero byte.
    let info = unsafe {
        let function = library.get::<GetFunction>(b"clGetExtensionFunctionAddress\0");
        function.ok().and_then(|f| f(c"clGetICDLoaderInfoOCLICD".as_ptr()))
    };
    let Some(info) = info else { return String::new() };
    // CL_ICDL_NAME and CL_ICDL_VERSION.
    let text = |param: cl_uint| {
        // SAFETY: `buffer` has the size that is passed.
        text_of(|buffer| unsafe {
            info(param, buffer.len(), buffer.as_mut_ptr().cast(), std::ptr::null_mut())
        })
    };
    format!("{} {}", text(3), text(2)).trim().to_string()
}

fn platforms(library: &Library) -> Option<Vec<PlatformReport>> {
    // SAFETY: the types are those of the specification.
    let (ids, info, devices): (Symbol<GetPlatforms>, Symbol<GetInfo>, Symbol<GetDevices>) = unsafe {
        let ids = library.get(b"clGetPlatformIDs\0").ok()?;
        (ids, library.get(b"clGetPlatformInfo\0").ok()?, library.get(b"clGetDeviceIDs\0").ok()?)
    };
    let mut handles = [std::ptr::null_mut(); 64];
    let mut count = 0;
    // SAFETY: `handles` has room for as many entries as are passed.
    let result = unsafe { ids(handles.len() as cl_uint, handles.as_mut_ptr(), &raw mut count) };
    if result != CL_SUCCESS {
        return None;
    }
    let report = |platform: &*mut c_void| {
        let text = |param: cl_uint| {
            text_of(|buffer| {
                let at = buffer.as_mut_ptr().cast();
                // SAFETY: the platform is one that the loader returned, `buffer` has the size that is passed.
                unsafe { info(*platform, param, buffer.len(), at, std::ptr::null_mut()) }
            })
        };
        let mut count = 0;
        // SAFETY: the platform is one that the loader returned; no devices are written.
        unsafe { devices(*platform, CL_DEVICE_TYPE_ALL, 0, std::ptr::null_mut(), &raw mut count) };
        let (name, version) = (text(CL_PLATFORM_NAME), text(CL_PLATFORM_VERSION));
        PlatformReport { name, version, devices: count }
    };
    Some(handles.iter().take(count as usize).map(report).collect())
}

/// The text that `query` writes; empty if it fails.
fn text_of(query: impl FnOnce(&mut [c_char]) -> cl_int) -> String {
    let mut buffer = [0; 1024];
    if query(&mut buffer) != CL_SUCCESS {
        return String::new();
    }
    let bytes: Vec<u8> = buffer.iter().map(|c| c.to_ne_bytes()[0]).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
