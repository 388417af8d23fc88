//! Facts that Vulkan does not report, from the operating system: processor cores, clocks and caches.
//!
//! Every function returns 0 for unknown values; nothing here fails.

use std::fs;

/// Number of processors that this process may use (a software rasteriser spreads its work over them).
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// Ids of the processors that this process may use; [`cores`] is their number.
pub fn processors() -> Vec<usize> {
    // SAFETY: a set of bits; zeros are an empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set has that size.
    let known = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } == 0;
    // SAFETY: numbers below the set's size.
    let has = |n: &usize| !known || unsafe { libc::CPU_ISSET(*n, &set) };
    (0..libc::CPU_SETSIZE as usize).filter(has).take(cores() as usize).collect()
}

/// A unit of the machine that groups processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shares {
    Memory,
    /// A data cache of this level.
    Cache(u32),
}

/// Groups the processors by the unit that they share; one group if the system does not report it.
pub fn divided(processors: &[usize], by: Shares) -> Vec<Vec<usize>> {
    let mut parts: Vec<(String, Vec<usize>)> = Vec::new();
    for &n in processors {
        let key = match by {
            Shares::Memory => node_of(n),
            Shares::Cache(level) => cache_of(n, level),
        };
        let key = key.unwrap_or_default();
        match parts.iter_mut().find(|(k, _)| *k == key) {
            Some((_, part)) => part.push(n),
            None => parts.push((key, vec![n])),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

fn node_of(processor: usize) -> Option<String> {
    let entries = fs::read_dir(format!("/sys/devices/system/cpu/cpu{processor}")).ok()?;
    let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    names.filter(|n| n.strip_prefix("node").is_some_and(|d| d.parse::<u32>().is_ok())).min()
}

fn cache_of(processor: usize, level: u32) -> Option<String> {
    let read = |index: u32, what: &str| {
        let path = format!("/sys/devices/system/cpu/cpu{processor}/cache/index{index}/{what}");
        fs::read_to_string(path).map(|t| t.trim().to_owned()).unwrap_or_default()
    };
    let fits =
        |index: &u32| read(*index, "level") == level.to_string() && read(*index, "type") != "Instruction";
    (0..8).find(fits).map(|index| read(index, "shared_cpu_list"))
}

/// Facts about the processor from /proc/cpuinfo. Its features are those that this process can use, which an
/// emulator restricts.
pub struct Processor {
    /// Marketing name.
    pub name: String,
    vendor: String,
    features: String,
}

impl Processor {
    /// Reads /proc/cpuinfo. Fields are empty where the system does not report them.
    pub fn read() -> Processor {
        Processor::parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()).with(&detected())
    }
    /// The processor with and without features: those that this process has detected.
    fn with(mut self, detected: &[(&str, bool)]) -> Processor {
        let present = |feature: &str| detected.iter().find(|(name, _)| *name == feature).map(|(_, on)| *on);
        let has_wide = present("avx512f") != Some(false);
        let reported = self.features.split_whitespace();
        let mut kept: Vec<&str> =
            reported.filter(|f| present(f).unwrap_or(has_wide || !f.starts_with("avx512"))).collect();
        for (name, _) in detected.iter().filter(|(_, on)| *on) {
            if !kept.contains(name) {
                kept.push(name);
            }
        }
        self.features = kept.join(" ");
        self
    }
    fn parse(text: &str) -> Processor {
        let field = |names: &[&str]| {
            let line = text
                .lines()
                .find(|l| names.iter().any(|n| l.split(':').next().is_some_and(|k| k.trim() == *n)));
            line.and_then(|l| l.split_once(':')).map(|(_, v)| v.trim().to_owned()).unwrap_or_default()
        };
        let name = field(&["model name", "Model", "Hardware"]);
        Processor {
            name: if name.is_empty() { format!("{} processor", std::env::consts::ARCH) } else { name },
            vendor: field(&["vendor_id", "CPU implementer"]),
            features: field(&["flags", "Features"]),
        }
    }
    /// The processor as if it lacked the `hidden` features.
    pub fn without(mut self, hidden: &[String]) -> Processor {
        let kept = self.features.split_whitespace().filter(|f| !hidden.iter().any(|h| h == f));
        self.features = kept.collect::<Vec<_>>().join(" ");
        self
    }
    /// Whether the processor has a feature, by the kernel's name for it.
    pub fn has(&self, feature: &str) -> bool {
        self.features.split_whitespace().any(|f| f == feature)
    }
    /// Identity string: two processors differ in it if code for one may not run on the other.
    pub fn identity(&self) -> String {
        format!("{} {} {} {}", std::env::consts::ARCH, self.vendor, self.name, self.features)
    }
    /// Name and PCI id of the vendor (0 if unknown).
    pub fn vendor(&self) -> (&str, u32) {
        match self.vendor.as_str() {
            "GenuineIntel" => ("Intel", 0x8086),
            "AuthenticAMD" => ("AMD", 0x1022),
            "0x41" => ("ARM", 0x13b5),
            "" => ("unknown", 0),
            other => (other, 0),
        }
    }
}

/// Features of x86-64 that code generators use, by the kernel's names, and whether this process can use them.
#[cfg(target_arch = "x86_64")]
fn detected() -> Vec<(&'static str, bool)> {
    macro_rules! features {
        ($($name:literal $detected:tt),* $(,)?) => {
            vec![$(($name, std::arch::is_x86_feature_detected!($detected))),*]
        };
    }
    features![
        "pni" "sse3", "ssse3" "ssse3", "sse4_1" "sse4.1", "sse4_2" "sse4.2", "sse4a" "sse4a",
        "popcnt" "popcnt", "abm" "lzcnt", "movbe" "movbe", "bmi1" "bmi1", "bmi2" "bmi2", "tbm" "tbm",
        "avx" "avx", "avx2" "avx2", "fma" "fma", "f16c" "f16c", "gfni" "gfni",
        "avx512f" "avx512f", "avx512bw" "avx512bw", "avx512cd" "avx512cd", "avx512dq" "avx512dq",
        "avx512vl" "avx512vl", "avx512ifma" "avx512ifma", "avx512vbmi" "avx512vbmi",
        "avx512_vbmi2" "avx512vbmi2", "avx512_vnni" "avx512vnni", "avx512_bitalg" "avx512bitalg",
        "avx512_vpopcntdq" "avx512vpopcntdq", "avx512_bf16" "avx512bf16",
    ]
}

/// Other processors' features are those of /proc/cpuinfo.
#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Vec<(&'static str, bool)> {
    Vec::new()
}

/// Bytes of main memory.
pub fn memory_bytes() -> u64 {
    fs::read_to_string("/proc/meminfo").ok().and_then(|t| total_memory(&t)).unwrap_or(0)
}

fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// Highest frequency of processor 0 in MHz: cpufreq's, or else the current one of /proc/cpuinfo.
pub fn cpu_mhz() -> u32 {
    let sysfs = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok();
    if let Some(khz) = sysfs.and_then(|t| t.trim().parse::<u32>().ok()) {
        return khz / 1000;
    }
    fs::read_to_string("/proc/cpuinfo").ok().and_then(|t| cpuinfo_mhz(&t)).unwrap_or(0)
}

fn cpuinfo_mhz(text: &str) -> Option<u32> {
    let line = text.lines().find(|l| l.starts_with("cpu MHz"))?;
    line.split(':').nth(1)?.trim().parse::<f64>().ok().map(|mhz| mhz.round() as u32)
}

/// Size of the last-level cache and its line size.
pub fn cpu_cache() -> (u64, u32) {
    let read = |index: u32, what: &str| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}"))
            .unwrap_or_default()
    };
    let size = (0..6).map(|i| cache_bytes(&read(i, "size"))).max().unwrap_or(0);
    let line = read(0, "coherency_line_size").trim().parse().unwrap_or(64);
    (size, line)
}

fn cache_bytes(text: &str) -> u64 {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix('K') {
        Some(d) => (d, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |d| (d, 1 << 20)),
    };
    digits.parse::<u64>().unwrap_or(0) * unit
}

/// Highest core clock of an AMD or Intel GPU in MHz, from sysfs.
pub fn gpu_mhz(vendor: u32, pci: Option<[u32; 4]>) -> u32 {
    let Some([domain, bus, device, function]) = pci else { return 0 };
    let address = format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}");
    let dir = format!("/sys/bus/pci/devices/{address}");
    match vendor {
        0x1002 => fs::read_to_string(format!("{dir}/pp_dpm_sclk")).map_or(0, |t| dpm_mhz(&t)),
        0x8086 => {
            let cards = fs::read_dir(format!("{dir}/drm")).into_iter().flatten().flatten();
            let clock = |p: std::path::PathBuf| {
                fs::read_to_string(p.join("gt_max_freq_mhz")).ok()?.trim().parse().ok()
            };
            cards.filter_map(|c| clock(c.path())).max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// The highest level of a `pp_dpm_sclk` table ("1: 2100Mhz *").
fn dpm_mhz(text: &str) -> u32 {
    let level =
        |l: &str| l.split(':').nth(1)?.trim().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    text.lines().filter_map(level).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_processor_is_in_one_part() {
        let all = processors();
        assert_eq!(all.len(), cores() as usize);
        for by in [Shares::Memory, Shares::Cache(1), Shares::Cache(2), Shares::Cache(3), Shares::Cache(9)] {
            let mut seen = divided(&all, by).concat();
            seen.sort_unstable();
            assert_eq!(seen, all, "{by:?}");
        }
        assert_eq!(divided(&all, Shares::Cache(9)).len(), 1);
    }

    #[test]
    fn features_are_those_that_are_detected() {
        let real = || Processor::parse("flags\t\t: fpu avx2 avx512f avx512_new fma\n");
        let emulated = real().with(&[("avx2", false), ("avx512f", false), ("fma", true), ("pni", true)]);
        assert_eq!(emulated.features, "fpu fma pni");
        assert_eq!(real().with(&[]).features, "fpu avx2 avx512f avx512_new fma");
    }

    #[test]
    fn system_files_are_understood() {
        assert_eq!(cpuinfo_mhz("model name\t: x\ncpu MHz\t\t: 2599.998\n"), Some(2600));
        assert_eq!(cpuinfo_mhz(""), None);
        assert_eq!(total_memory("MemTotal:       24523928 kB\nMemFree: 1 kB\n"), Some(24_523_928 << 10));
        let amd = Processor::parse(
            "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nflags\t\t: fpu avx2 fma\n",
        );
        assert_eq!((amd.name.as_str(), amd.vendor()), ("AMD EPYC", ("AMD", 0x1022)));
        assert!(amd.has("fma") && !amd.has("avx"));
        assert!(!Processor::parse("").name.is_empty());
        assert_eq!(cache_bytes("512K\n"), 512 << 10);
        assert_eq!(cache_bytes("32M"), 32 << 20);
        assert_eq!(cache_bytes("junk"), 0);
        assert_eq!(dpm_mhz("0: 500Mhz\n1: 2100Mhz *\n"), 2100);
    }
}
