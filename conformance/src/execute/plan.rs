//! Arguments of each kernel of a file: derived from the kinds, types and names of its parameters, corrected
//! by settings.
//!
//! Sizes and counts are small and buffers large, so that indices computed from them stay in bounds. An offset
//! is 0, an increment 1, a row longer than the number of columns. Both platforms run the same plan, passed as
//! text.

use super::super::manifest::CorpusEntry;
use super::data::{Contents, Element, Fill, Memory};
use super::image::{PlannedImage, PlannedSampler, SIDE, parse_size, seen_as_float};
use super::settings::Settings;
use clspv_bridge::driver;
use clspv_bridge::ir::{FuncRef, Module, Op, Value, WorkItemQuery};
use clspv_bridge::metadata::{ArgInfo, ArgKind, KernelArgInfo, KernelInfo};
use clspv_bridge::options::{CompileRequest, Extent, Library, Options};
use clspv_bridge::passes::PassContext;
use clspv_bridge::passes::opt::{dce::Dce, simplify::Simplify};
use clspv_bridge::pipeline;
use clspv_bridge::target::Target;
use pyroclast_runtime::program::offline::generic_front_config;
use pyroclast_runtime::program::options::{self, Stage};
use pyroclast_runtime::program::stack::with_large_stack;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Default size of a buffer in bytes.
const BUFFER_BYTES: usize = 1 << 20;
/// Size of every local argument in bytes.
const LOCAL_BYTES: usize = 4096;
/// Default tolerance of floating-point results in units in the last place.
const ULPS: u64 = 16;
/// Default tolerance of texels, in units of the stored format.
const TEXEL_ULPS: u64 = 1;

/// A kernel argument with its data.
#[derive(Clone, PartialEq, Debug)]
pub enum PlannedArg {
    Buffer(Contents),
    Value(Vec<u8>),
    Local(usize),
    Image(PlannedImage),
    Sampler(PlannedSampler),
}

/// A launch of one kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelPlan {
    pub name: String,
    pub global: Vec<usize>,
    pub local: Option<Vec<usize>>,
    /// Tolerances of results in buffers and in images, in units in the last place.
    pub ulps: u64,
    pub texel_ulps: u64,
    pub args: Vec<PlannedArg>,
}

impl KernelPlan {
    /// The buffers and images in the order of the arguments.
    pub fn memories(&self) -> impl Iterator<Item = Memory> {
        self.args.iter().filter_map(|a| match a {
            PlannedArg::Buffer(c) => {
                Some(Memory { contents: *c, ulps: if c.element.is_float() { self.ulps } else { 0 } })
            }
            PlannedArg::Image(i) => Some(Memory {
                contents: i.contents(),
                ulps: if i.is_rounded() { self.texel_ulps } else { 0 },
            }),
            _ => None,
        })
    }
    /// Contents of all buffers and images before the launch.
    pub fn initial(&self) -> Vec<u8> {
        let one = |(seed, arg): (usize, &PlannedArg)| match arg {
            PlannedArg::Buffer(contents) => contents.generate(seed as u32),
            PlannedArg::Image(image) => image.contents().generate(seed as u32),
            _ => Vec::new(),
        };
        self.args.iter().enumerate().flat_map(one).collect()
    }
}

/// The launches of one source file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExecutionPlan {
    pub source: String,
    pub options: String,
    /// Whether mathematical functions are computed in double precision and rounded.
    pub rounded: bool,
    pub kernels: Vec<KernelPlan>,
}

fn join(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn sizes(text: &str) -> Result<Vec<usize>, String> {
    let list: Result<Vec<usize>, _> = text.split(',').map(str::parse).collect();
    list.ok().filter(|l| (1..=3).contains(&l.len())).ok_or_else(|| format!("not a size: {text}"))
}

impl fmt::Display for ExecutionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "source {}\noptions {}\nrounded {}", self.source, self.options, self.rounded)?;
        for k in &self.kernels {
            let local = k.local.as_deref().map_or("-".into(), join);
            writeln!(f, "kernel {} {} {local} {} {}", k.name, join(&k.global), k.ulps, k.texel_ulps)?;
            for arg in &k.args {
                match arg {
                    PlannedArg::Buffer(c) => writeln!(f, "buffer {c}")?,
                    PlannedArg::Value(bytes) => {
                        writeln!(
                            f,
                            "value {}",
                            bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()
                        )?;
                    }
                    PlannedArg::Local(bytes) => writeln!(f, "local {bytes}")?,
                    PlannedArg::Image(image) => writeln!(f, "image {image}")?,
                    PlannedArg::Sampler(sampler) => writeln!(f, "sampler {sampler}")?,
                }
            }
        }
        Ok(())
    }
}

impl ExecutionPlan {
    /// Parses the output of `Display`.
    pub fn parse(text: &str) -> Result<ExecutionPlan, String> {
        let mut plan = ExecutionPlan::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let bad = || format!("bad line in a plan: {line}");
            if word == "kernel" {
                let [name, global, local, ulps, texel_ulps] = rest.split(' ').collect::<Vec<_>>()[..] else {
                    return Err(bad());
                };
                plan.kernels.push(KernelPlan {
                    name: name.into(),
                    global: sizes(global)?,
                    local: if local == "-" { None } else { Some(sizes(local)?) },
                    ulps: ulps.parse().map_err(|_| bad())?,
                    texel_ulps: texel_ulps.parse().map_err(|_| bad())?,
                    args: vec![],
                });
                continue;
            }
            let mut arg = |arg| plan.kernels.last_mut().map(|k| k.args.push(arg)).ok_or_else(bad);
            match word {
                "source" => plan.source = rest.into(),
                "options" => plan.options = rest.into(),
                "rounded" => plan.rounded = rest.parse().map_err(|_| bad())?,
                "buffer" => arg(PlannedArg::Buffer(Contents::parse(rest).ok_or_else(bad)?))?,
                "value" => {
                    let byte = |i: usize| {
                        rest.get(i..i + 2).and_then(|d| u8::from_str_radix(d, 16).ok()).ok_or_else(bad)
                    };
                    arg(PlannedArg::Value(
                        (0..rest.len() / 2).map(|i| byte(2 * i)).collect::<Result<_, _>>()?,
                    ))?;
                }
                "image" => {
                    arg(PlannedArg::Image(PlannedImage::parse(rest, ' ', [SIDE; 2]).ok_or_else(bad)?))?
                }
                "sampler" => arg(PlannedArg::Sampler(PlannedSampler::parse(rest).ok_or_else(bad)?))?,
                "local" => arg(PlannedArg::Local(rest.parse().map_err(|_| bad())?))?,
                _ => return Err(bad()),
            }
        }
        Ok(plan)
    }
}

/// A compiled source of a manifest, from which plans follow.
pub struct CompiledEntry<'a> {
    entry: &'a CorpusEntry,
    path: PathBuf,
    /// It has the names and types of arguments.
    pub library: Library,
    pub options: Options,
}

impl<'a> CompiledEntry<'a> {
    pub fn new(entry: &'a CorpusEntry, dir: &Path) -> Result<CompiledEntry<'a>, String> {
        let path = dir.join(&entry.path);
        let source = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let source = String::from_utf8_lossy(&source);
        let parsed = options::parse(&entry.options, Stage::Build).map_err(|e| e.to_string())?;
        let options = Options { kernel_arg_info: true, ..parsed.compiler };
        let config = generic_front_config();
        let compile = || driver::compile(&CompileRequest::new(&source, &options, &config));
        let compiled = with_large_stack(compile).ok_or("the compiler panicked")?;
        let library = compiled.map_err(|e| e.to_string())?.library;
        Ok(CompiledEntry { entry, path, library, options })
    }

    /// The plan, and the kernels that cannot run, each with the reason.
    pub fn plan(&self, settings: &Settings) -> Result<(ExecutionPlan, Vec<(String, String)>), String> {
        let read = with_large_stack(|| -> Result<_, clspv_bridge::CompileError> {
            let mut module = self.library.module(&[], Extent::Program)?;
            // Dead code must not influence the derived types.
            let target = Target::generic();
            let mut cx = PassContext::new(&target, &self.options);
            pipeline::run(&mut module, &[&Simplify, &Dce], &mut cx)?;
            Ok(module)
        });
        let module = read.ok_or("the compiler panicked")?.map_err(|e| e.to_string())?;
        let mut plan = ExecutionPlan {
            source: self.path.to_string_lossy().into_owned(),
            options: precise(&self.entry.options),
            rounded: false,
            kernels: Vec::new(),
        };
        let mut unable = Vec::new();
        for info in &module.kernels {
            let names = self.library.arg_info.iter().find(|k| k.kernel == info.name);
            match kernel(info, names, &module, &self.entry.path, settings) {
                Ok(kernel) => plan.kernels.push(kernel),
                Err(why) => unable.push((info.name.clone(), why)),
            }
        }
        Ok((plan, unable))
    }
}

/// The plan of a manifest's entry, and the kernels that cannot run, each with the reason.
pub fn derive(
    entry: &CorpusEntry,
    dir: &Path,
    settings: &Settings,
) -> Result<(ExecutionPlan, Vec<(String, String)>), String> {
    CompiledEntry::new(entry, dir)?.plan(settings)
}

/// Build options without those that allow inexact results, which implementations interpret differently.
fn precise(options: &str) -> String {
    const INEXACT: [&str; 3] = ["-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations", "-cl-mad-enable"];
    options.split(' ').filter(|o| !INEXACT.contains(o)).collect::<Vec<_>>().join(" ")
}

fn kernel(
    info: &KernelInfo,
    source: Option<&KernelArgInfo>,
    module: &Module,
    path: &str,
    settings: &Settings,
) -> Result<KernelPlan, String> {
    let setting = |key: &str| settings.get(path, &info.name, key);
    if let Some(why) = setting("skip") {
        return Err(why.replace('_', " "));
    }
    let required =
        info.reqd_work_group_size.map_or(1, |size| size.iter().rposition(|s| *s > 1).map_or(1, |at| at + 1));
    let dims = dimensions(module, &info.name).max(required);
    let local = match setting("local") {
        Some("-") => None,
        Some(text) => Some(sizes(text)?),
        None => Some(match info.reqd_work_group_size {
            Some(size) => size.iter().take(dims).map(|s| *s as usize).collect(),
            None => [vec![64], vec![8, 8], vec![8, 8, 1]][dims - 1].clone(),
        }),
    };
    let global = match setting("global") {
        Some(text) => sizes(text)?,
        None => match info.reqd_work_group_size {
            Some(size) => size.iter().take(dims).map(|s| 2 * *s as usize).collect(),
            None => [vec![256], vec![32, 32], vec![32, 32, 2]][dims - 1].clone(),
        },
    };
    let ulps = setting("ulp").map_or(Ok(ULPS), str::parse).map_err(|e| format!("ulp: {e}"))?;
    let texel_ulps =
        setting("texel_ulp").map_or(Ok(TEXEL_ULPS), str::parse).map_err(|e| format!("texel_ulp: {e}"))?;
    let (accessed, seen) = (accessed(module, &info.name), seen_as_float(module, &info.name));
    let base = |i: usize| source.and_then(|s| s.base_types.get(i)).map_or("", String::as_str);
    let element = |i: usize| match (Element::of_type(base(i)), accessed.get(i).copied().flatten()) {
        // Byte pointers to data of another type.
        (Some(Element::I8 | Element::U8) | None, Some(accessed)) => Some(accessed),
        (named, _) => named,
    };
    // Structures of numbers have the element type of the buffers' contents.
    let common = (0..info.args.len()).filter(|i| info.args[*i].kind != ArgKind::Value).find_map(element);
    let mut args = Vec::new();
    for (i, arg) in info.args.iter().enumerate() {
        let name = source.and_then(|s| s.args.get(i)).map_or("", |a| a.name.as_str());
        let ty = source.and_then(|s| s.args.get(i)).map_or("", |a| a.type_name.as_str());
        // Vectors have no base type of their own.
        let element =
            element(i).or_else(|| Element::of_type(ty).or(common).filter(|_| arg.kind == ArgKind::Value));
        args.push(match arg.kind {
            ArgKind::Image => {
                let float = seen.get(i).copied().flatten().unwrap_or(true);
                let size = image_size(setting("image_size"))?;
                image(name, ty, float, size, setting(name).or(setting("texels").filter(|_| float)))?
            }
            ArgKind::GlobalPtr | ArgKind::ConstantPtr => {
                let constant = setting("constant_bytes").filter(|_| arg.kind == ArgKind::ConstantPtr);
                let bytes = setting(&format!("{name}.bytes")).or(constant).or(setting("buffer_bytes"));
                PlannedArg::Buffer(buffer(name, element, bytes, setting(name))?)
            }
            _ => argument(arg, name, element, setting(name))?,
        });
    }
    Ok(KernelPlan { name: info.name.clone(), global, local, ulps, texel_ulps, args })
}

fn buffer(
    name: &str,
    element: Option<Element>,
    bytes: Option<&str>,
    setting: Option<&str>,
) -> Result<Contents, String> {
    let wrong = || format!("argument {name}: {} is not a setting for it", setting.unwrap_or_default());
    let mut contents = Contents {
        element: element.unwrap_or(Element::U32),
        fill: element.map_or(Fill::Zero, Element::usual),
        bytes: bytes
            .map_or(Ok(BUFFER_BYTES), str::parse)
            .map_err(|e| format!("argument {name}: size: {e}"))?,
    };
    if let Some(text) = setting {
        let (ty, fill) = match text.split_once(':') {
            Some((ty, fill)) if ty != "small" => (Some(ty), fill),
            _ => (None, text),
        };
        if let Some(ty) = ty {
            contents.element = Element::of_type(ty).ok_or_else(wrong)?;
        }
        contents.fill = Fill::parse(fill).ok_or_else(wrong)?;
    }
    Ok(contents)
}

fn argument(
    arg: &ArgInfo,
    name: &str,
    element: Option<Element>,
    setting: Option<&str>,
) -> Result<PlannedArg, String> {
    let wrong = || format!("argument {name}: {} is not a setting for it", setting.unwrap_or_default());
    Ok(match arg.kind {
        ArgKind::LocalPtr => {
            PlannedArg::Local(setting.map_or(Ok(LOCAL_BYTES), str::parse).map_err(|_| wrong())?)
        }
        ArgKind::Value => {
            let (element, setting) = match setting.and_then(|text| text.split_once(':')) {
                Some((ty, numbers)) => (Some(Element::of_type(ty).ok_or_else(wrong)?), Some(numbers)),
                None => (element, setting),
            };
            let numbers: Vec<f64> = match setting {
                Some(text) => {
                    text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?
                }
                None if element.is_some_and(Element::is_float) => vec![0.5],
                None if element.is_some() => vec![usual_integer(name)],
                None => vec![0.0],
            };
            let lanes = numbers.iter().flat_map(|x| element.unwrap_or(Element::U8).encode(*x));
            PlannedArg::Value(
                lanes.collect::<Vec<u8>>().into_iter().cycle().take(arg.size as usize).collect(),
            )
        }
        ArgKind::Sampler => {
            let sampler = setting.map_or(Some(PlannedSampler::default()), PlannedSampler::parse);
            PlannedArg::Sampler(sampler.ok_or_else(wrong)?)
        }
        ArgKind::Queue => return Err(format!("argument {name} is a queue")),
        ArgKind::GlobalPtr | ArgKind::ConstantPtr | ArgKind::Image => {
            return Err(format!("argument {name} is a memory object"));
        }
    })
}

/// Size of a kernel's images, by default of [`PlannedImage::usual`].
fn image_size(setting: Option<&str>) -> Result<[usize; 2], String> {
    let Some(text) = setting else { return Ok([SIDE; 2]) };
    parse_size(text).ok_or_else(|| format!("not the size of an image: {text}"))
}

/// An image argument; `float` if the kernel accesses its texels as floating-point numbers.
fn image(
    name: &str,
    ty: &str,
    float: bool,
    size: [usize; 2],
    setting: Option<&str>,
) -> Result<PlannedArg, String> {
    if ty.trim_end() != "image2d_t" {
        return Err(format!("argument {name} is an {ty}"));
    }
    let planned = match setting {
        Some(text) => PlannedImage::parse(text, ':', size)
            .ok_or_else(|| format!("argument {name}: {text} is not a setting for it"))?,
        None => PlannedImage { size, ..PlannedImage::usual(float) },
    };
    Ok(PlannedArg::Image(planned))
}

/// For each argument that is a pointer or a structure: the element type that all accesses share, as far as it
/// is easily found.
fn accessed(module: &Module, kernel: &str) -> Vec<Option<Element>> {
    let Some(func) = module.functions.values().find(|f| f.kernel.is_some() && f.name == kernel) else {
        return vec![];
    };
    let Some(entry) = func.entry() else { return vec![] };
    let params = &func.blocks[entry].params;
    let mut root: HashMap<Value, usize> = params.iter().copied().enumerate().map(|(i, p)| (p, i)).collect();
    let mut found: Vec<Vec<Element>> = vec![vec![]; params.len()];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(|i| &func.insts[*i]) {
        if inst.op == Op::PtrAdd
            && let Some(&r) = root.get(&inst.args[0])
        {
            root.insert(inst.results[0], r);
        }
        let value = if matches!(inst.op, Op::Store(_)) { inst.args.first() } else { inst.results.first() };
        if inst.op.access().is_some()
            && let Some(r) = inst.op.address_arg().and_then(|k| root.get(&inst.args[k]))
            && let Some(element) = value.and_then(|v| func.ty(*v).scalar()).and_then(Element::of_scalar)
        {
            found[*r].push(element);
        }
    }
    let all_equal = |l: &Vec<Element>| l.first().copied().filter(|first| l.iter().all(|e| e == first));
    found.iter().map(all_equal).collect()
}

/// Default value of an integer parameter with this name.
fn usual_integer(name: &str) -> f64 {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    if has(&["offset", "pad", "border", "shift"]) || name.starts_with("off") {
        0.0
    } else if has(&["step", "pitch"]) {
        512.0
    } else if name.ends_with("_ld") || name.starts_with("ld") {
        64.0
    } else if has(&["inc", "stride", "dilation", "channels", "scale"]) {
        1.0
    } else if has(&["cols", "rows", "width", "height"]) || name == "w" || name == "h" {
        16.0
    } else if has(&["size", "total", "count", "num", "len"])
        || ["n", "m", "k"].contains(&name.trim_start_matches('k'))
        || name == "k"
    {
        64.0
    } else {
        1.0
    }
}

/// Number of dimensions that a kernel, or a function it calls, queries.
fn dimensions(module: &Module, kernel: &str) -> usize {
    let mut functions: Vec<FuncRef> =
        module.functions.keys().filter(|f| module.functions[*f].name == kernel).collect();
    let mut dims = 1;
    let mut next = 0;
    while let Some(func) = functions.get(next).map(|f| &module.functions[*f]) {
        next += 1;
        for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
            match &func.insts[*inst].op {
                Op::WorkItem {
                    query: WorkItemQuery::GlobalId | WorkItemQuery::LocalId | WorkItemQuery::GroupId,
                    dim,
                } => {
                    dims = dims.max(*dim as usize + 1);
                }
                Op::Call(callee) if !functions.contains(callee) => functions.push(*callee),
                _ => {}
            }
        }
    }
    dims.min(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_the_dimensions_that_the_kernel_itself_looks_at() {
        let source = "size_t column(void) { return get_global_id(1); }
            kernel void line(global int *a) { a[get_global_id(0)] = 1; }
            kernel void plane(global int *a) { a[column() * 64 + get_global_id(0)] = 1; }
            kernel __attribute__((reqd_work_group_size(4, 4, 1))) void square(global int *a) { a[get_global_id(0)] = 1; }";
        let folder = std::env::temp_dir().join(format!("pyroclast-plan-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("k.cl"), source).unwrap();
        let entry = CorpusEntry { path: "k.cl".into(), options: String::new() };
        let (plan, _) = derive(&entry, &folder, &Settings::default()).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        let globals: Vec<&[usize]> = plan.kernels.iter().map(|k| &k.global[..]).collect();
        assert_eq!(globals, [&[256][..], &[32, 32], &[8, 8]]);
    }

    #[test]
    fn plans_survive_their_text() {
        let contents = Contents { element: Element::F32, fill: Fill::Any, bytes: 64 };
        let small = Contents { element: Element::I32, fill: Fill::Small(7), bytes: 8 };
        let args = vec![
            PlannedArg::Buffer(contents),
            PlannedArg::Value(vec![1, 0, 255]),
            PlannedArg::Local(9),
            PlannedArg::Buffer(small),
            PlannedArg::Image(PlannedImage::usual(false)),
            PlannedArg::Sampler(PlannedSampler { normalized: true, linear: true }),
        ];
        let kernel =
            KernelPlan { name: "k".into(), global: vec![4, 2], local: None, ulps: 3, texel_ulps: 1, args };
        let other = KernelPlan {
            name: "l".into(),
            global: vec![8],
            local: Some(vec![4]),
            ulps: 0,
            texel_ulps: 0,
            args: vec![],
        };
        let plan = ExecutionPlan {
            source: "/a b/c.cl".into(),
            options: "-DX=1 -I/a".into(),
            rounded: true,
            kernels: vec![kernel, other],
        };
        assert_eq!(ExecutionPlan::parse(&plan.to_string()).as_ref(), Ok(&plan));
        assert!(ExecutionPlan::parse("buffer f32").is_err());
    }

    #[test]
    fn inexact_options_are_left_out() {
        assert_eq!(precise("-DA=1 -cl-mad-enable -cl-fast-relaxed-math -I/x"), "-DA=1 -I/x");
    }

    #[test]
    fn texels_are_for_images_without_a_setting() {
        let mut s = Settings::parse("a.cl k i=bytes").unwrap_or_default();
        assert!(s.set_texels("half").is_ok() && s.set_texels("other").is_err());
        let of = |name: &str, float| {
            image(
                name,
                "image2d_t",
                float,
                [SIDE; 2],
                s.get("a.cl", "k", name).or(s.get("a.cl", "k", "texels")),
            )
        };
        assert_eq!(
            of("i", true),
            Ok(PlannedArg::Image(
                PlannedImage::parse("bytes", ':', [SIDE; 2]).unwrap_or(PlannedImage::usual(true))
            ))
        );
        assert_eq!(
            of("j", true),
            Ok(PlannedArg::Image(
                PlannedImage::parse("half", ':', [SIDE; 2]).unwrap_or(PlannedImage::usual(true))
            ))
        );
    }

    /// clang reports no base type of vectors; structures of the program take the type from the buffers'
    /// contents.
    #[test]
    fn vectors_by_value_are_of_their_type() -> Result<(), String> {
        let file = std::env::temp_dir().join(format!("pyroclast-vectors-{}.cl", std::process::id()));
        let source = "kernel void k(global uchar *out, int2 cols, float4 f) { out[cols.x + get_global_id(0)] = cols.y + f.w; }";
        std::fs::write(&file, source).map_err(|e| e.to_string())?;
        let entry = CorpusEntry { path: file.to_string_lossy().into_owned(), options: String::new() };
        let plan = derive(&entry, Path::new("/"), &Settings::default());
        let _ = std::fs::remove_file(&file);
        let args = &plan?.0.kernels[0].args;
        assert_eq!(args[1], PlannedArg::Value([16i32, 16].iter().flat_map(|n| n.to_ne_bytes()).collect()));
        assert_eq!(args[2], PlannedArg::Value([0.5f32; 4].iter().flat_map(|n| n.to_ne_bytes()).collect()));
        Ok(())
    }

    #[test]
    fn names_suggest_values() {
        for (name, value) in [
            ("x_offset", 0.0),
            ("x_inc", 1.0),
            ("a_ld", 64.0),
            ("dst_step", 512.0),
            ("cols", 16.0),
            ("n", 64.0),
            ("kSizeM", 64.0),
        ] {
            assert_eq!(usual_integer(name), value, "{name}");
        }
    }
}
