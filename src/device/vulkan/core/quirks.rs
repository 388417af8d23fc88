//! Quirks of drivers: faults to work around and strengths to use that Vulkan does not report.
//!
//! One table by driver. Other code queries the quirk it is about, never the driver. An entry has a name
//! that `PYROCLAST_FEATURES=-name` hides: the device is then treated like one of an unknown driver.

use ash::vk;
use vk::DriverId as D;

/// PCI id of NVIDIA.
const NVIDIA: u32 = 0x10de;

/// Drivers whose `Fma`, `Exp2` and `Log2` are the hardware's instructions.
const HARDWARE_MATH: &[D] = &[
    D::NVIDIA_PROPRIETARY,
    D::AMD_PROPRIETARY,
    D::AMD_OPEN_SOURCE,
    D::MESA_RADV,
    D::INTEL_PROPRIETARY_WINDOWS,
    D::INTEL_OPEN_SOURCE_MESA,
];

/// The identity of a driver.
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    pub id: D,
    /// PCI or Khronos id of the device's vendor.
    pub vendor: u32,
    /// Version of a Mesa driver, major and minor; of others nothing meaningful.
    pub version: (u32, u32),
    /// Major version of the LLVM that generates code; 0 if there is none.
    pub llvm: u32,
}

impl Driver {
    /// From the version number and the device's name, "llvmpipe (LLVM 19.1.7, 256 bits)" with Mesa's. Without
    /// VK_KHR_driver_properties there is no `id`, and the name shows the driver.
    pub fn new(id: D, vendor: u32, version: u32, device: &str) -> Driver {
        let unnamed = id == D::default() && device.starts_with("llvmpipe ");
        let id = if unnamed { D::MESA_LLVMPIPE } else { id };
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
        let llvm = device.split_once("(LLVM ").and_then(|(_, rest)| digits(rest).parse().ok()).unwrap_or(0);
        let version = (vk::api_version_major(version), vk::api_version_minor(version));
        Driver { id, vendor, version, llvm }
    }

    fn is(&self, ids: &[D]) -> bool {
        ids.contains(&self.id)
    }

    fn is_nvidia(&self) -> bool {
        self.is(&[D::NVIDIA_PROPRIETARY])
    }

    fn is_llvmpipe(&self) -> bool {
        self.is(&[D::MESA_LLVMPIPE])
    }
}

macro_rules! quirks {
    ($($(#[$doc:meta])* $name:ident: $holds:expr;)*) => {
        /// The quirks of a device's driver.
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        pub struct Quirks {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Quirks {
            /// The quirks of a driver, without hidden ones (`-name` or `name`).
            pub fn of(driver: Driver, hidden: &[String]) -> Quirks {
                let shown = |name: &str| !hidden.iter().any(|h| h.trim_start_matches('-') == name);
                $(let $name: fn(&Driver) -> bool = $holds;)*
                Quirks { $($name: $name(&driver) && shown(stringify!($name)),)* }
            }

            /// Names of the quirks that hold.
            #[cfg(test)]
            fn names(&self) -> Vec<&'static str> {
                let all = [$((self.$name, stringify!($name))),*];
                all.into_iter().filter(|(holds, _)| *holds).map(|(_, name)| name).collect()
            }
        }
    };
}

quirks! {
    /// Submissions to several VkQueues must not be made at the same time: if they are, VkQueues of the family
    /// without graphics may not see a new view or new code for up to 0.2 ms. Kernels read through what was
    /// at the view's place before, execute what was at the code's place before, and may never end (Xid
    /// 109).
    ///
    /// Seen in plain Vulkan (580, H200), by `tests/late_uploads`: threads with a VkQueue each that create,
    /// use and destroy views get wrong results (302 of 48,000 with eight VkQueues), none if a lock keeps the
    /// calls of vkQueueSubmit apart.
    serial_submissions: Driver::is_nvidia;

    /// Even with one VkQueue, new views and code, and what the driver makes for its own copies of images, may
    /// be seen late: a submission must begin and complete between the creation and the first use. Without
    /// that, the execution tests hung in half of all runs with one VkQueue and fences (580, H200).
    ///
    /// For code this is not enough if other submissions are made while a pipeline is created: in 9 of 1,028
    /// such runs beside other processes the device was lost, and in plain Vulkan 6 of 418,000 new pipelines
    /// gave wrong results (`late_uploads --pipelines --serial --queues 1 --before empty`). There were no
    /// wrong results among 579,000 pipelines if another pipeline was created immediately before the
    /// submission (`--before code`), and among 648,000 created while nothing was submitted (`--before lock`).
    late_uploads: Driver::is_nvidia;

    /// At times, for seconds, submissions that signal a semaphore take 20 to 35 us more in vkQueueSubmit2 or
    /// until the host sees the signal (580, H200).
    ///
    /// Events, which are used instead, do not wait for transfers that the dependency of vkCmdSetEvent2 names,
    /// so a barrier precedes them (`short_writes_are_complete_when_the_host_follows` in tests/stress.rs).
    ///
    /// llvmpipe's rasteriser threads take part in signals, but not in compute work (22.3 to 26.2): an empty
    /// launch takes 60 to 68 us with signals and 11 to 66 with events (medians of eight processes each).
    slow_signals: |d| d.is_nvidia() || d.is_llvmpipe();

    /// `GLSL.std.450 Fma` rounds once. Vulkan requires only the precision of a multiply and an add; these
    /// drivers are known to use the hardware's fused instruction. llvmpipe lowers it to two operations.
    fused_fma: |d| d.is(HARDWARE_MATH);

    /// `Exp2` and `Log2` are within 2 ulp over the whole range, denormals flushed or exact: hardware
    /// instructions of these vendors. Vulkan allows more.
    close_exp2_log2: |d| d.is(HARDWARE_MATH);

    /// Single-precision division and square root are correctly rounded: they are the processor's
    /// instructions. Vulkan guarantees 2.5 ulp for division, and for sqrt the precision of inversesqrt.
    /// Measured by `conformance precision`.
    exact_div_sqrt32: Driver::is_llvmpipe;

    /// Double-precision division and square root are correctly rounded: the processor's instructions, or
    /// (NVIDIA) the results of CUDA. Measured by `conformance precision`.
    exact_div_sqrt64: |d| d.is_llvmpipe() || d.is_nvidia();

    /// Single-precision instructions flush denormals, although the driver offers controls that preserve them.
    /// llvmpipe has no such controls: it flushes in 26.1 and 26.2, but not in 22.3 and 25.0.
    flushed_denorms32: |d| d.is_nvidia() || d.is_llvmpipe() && d.version > (25, 0);

    /// The mode "round to nearest" is not requested for single precision: the compiler rounds so anyway, and
    /// if the mode is requested it preserves denormals in some operations and not in others.
    unrequested_rte32: Driver::is_nvidia;

    /// Denormals of half and single precision are kept, although the driver offers no control that requests
    /// it: compute shaders run with the processor's default (it flushes them for draws only). Until Mesa
    /// 25.0.
    kept_denorms: |d| d.is_llvmpipe() && d.version <= (25, 0);

    /// Denormals of double precision are kept, although the driver offers no control that requests it: the
    /// double-precision units have no flushing mode.
    kept_denorms64: Driver::is_nvidia;

    /// Fences and ordered atomics of work-group or device scope are executed as execution
    /// barriers.
    fences_block: Driver::is_llvmpipe;

    /// The compiler honours `Aliased`. With NVIDIA's compiler, tests fail that read through a descriptor what
    /// they just wrote with another type.
    aliased_views: Driver::is_llvmpipe;

    /// The compiler moves the parts of loads wider than 16 bytes far apart, unless a dependency prevents it
    /// (see the compiler's pass `wide_loads`).
    scattered_wide_loads: Driver::is_nvidia;

    /// Rotations of 64-bit integers become two shifts of 64 bits and take twice the instructions of shifts of
    /// words (see the compiler's pass `expand_rotations`).
    shifted_rotations64: Driver::is_nvidia;

    /// Each component of a buffer access becomes a loop over the SIMD lanes, with a branch for each lane.
    scalar_accesses: Driver::is_llvmpipe;

    /// A loop whose last test is in its continue block, as in GLSL's `do ... while`, gets worse code than one
    /// that tests in its body.
    slow_tests_in_continue: Driver::is_llvmpipe;

    /// Lanes that left a loop go on computing, which changes values used after it unless they are phis (see
    /// the compiler's pass `lcssa`). Seen with Mesa 22.3; newer versions do not promise otherwise.
    needs_lcssa: Driver::is_llvmpipe;

    /// Each branch out of a loop updates the mask of the lanes that are left: loops with one such branch are
    /// faster (see the compiler's pass `rotate_loops`). On NVIDIA, rotated loops are no faster.
    masked_loop_exits: Driver::is_llvmpipe;

    /// The driver ends loops, as if they were done, after [`MAX_TRIP_COUNT`] iterations
    /// (LP_MAX_TGSI_LOOP_ITERATIONS in all versions of Mesa).
    limited_loops: Driver::is_llvmpipe;

    /// `(x & 0x7fffffff) | (y & 0x80000000)` in divergent control flow has a wrong exponent (LLVM 19 and 22
    /// on processors with AVX-512; LLVM 15 is right): see the compiler's pass `expand_copysign`.
    wrong_copysign: |d| d.is_llvmpipe() && d.llvm > 15;

    /// `Trunc` and `RoundEven` of doubles leave numbers from 2^24 on as they are, and truncate others (Mesa
    /// 22.3 on processors without AVX-512; newer versions were only tried with it): see the compiler's pass
    /// `expand_rounding`.
    wrong_rounding64: Driver::is_llvmpipe;

    /// Loads from a device address that all lanes share are also executed where control flow has ended every
    /// lane, so that a test for a null pointer protects nothing (see the compiler's pass `guard_loads`). Seen
    /// with Mesa 26.1 and 26.2, not with 25.0.
    unmasked_loads: |d| d.is_llvmpipe() && d.version > (25, 0);

    /// 64-bit integer division damages other values of the kernel, or cannot be compiled (580): see the
    /// compiler's pass `expand_division`.
    wrong_division64: Driver::is_nvidia;

    /// Reads of images with five- and six-bit channels return the nearest of 256 values, which is not as
    /// exact as OpenCL requires. A property of the hardware.
    coarse_packed_reads: Driver::is_nvidia;

    /// Reads with a linear filter by the driver's sampler are no faster than those that kernels compute from
    /// texels, and less exact.
    slow_filters: |d| d.is(&[D::MESA_LLVMPIPE, D::GOOGLE_SWIFTSHADER]);

    /// The creation of a device takes 20 ms more for each VkQueue, and its end 6 ms (580 on an H200; 64 ms
    /// with one). Priorities have no effect: work of high priority starts no earlier beside a long kernel.
    costly_queues: Driver::is_nvidia;

    /// Only dedicated allocations have large pages. Random accesses to more than 8 MiB of other memory take
    /// twice as long, and from 1 MiB on their allocation takes longer too: 64 MiB 1.4 ms, dedicated 0.15 (580
    /// on an H200).
    small_shared_pages: Driver::is_nvidia;

    /// The driver's version number has four parts, of 10, 8, 8 and 6 bits.
    four_part_version: |d| d.vendor == NVIDIA;

    /// The GPU has CUDA's attributes, which `cl_nv_device_attribute_query` reports.
    cuda_attributes: |d| d.vendor == NVIDIA;
}

/// See [`Quirks::limited_loops`].
pub const MAX_TRIP_COUNT: u32 = 65_535;

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: Driver = Driver { id: D::SAMSUNG_PROPRIETARY, vendor: 0x144d, version: (1, 0), llvm: 0 };
    const H200: Driver = Driver { id: D::NVIDIA_PROPRIETARY, vendor: NVIDIA, version: (580, 0), llvm: 0 };
    const LLVMPIPE: Driver = Driver { id: D::MESA_LLVMPIPE, vendor: 0x10005, version: (22, 3), llvm: 15 };

    fn names(driver: Driver) -> Vec<&'static str> {
        Quirks::of(driver, &[]).names()
    }

    #[test]
    fn versions_are_read() {
        let version = vk::make_api_version(0, 25, 0, 7);
        let driver = Driver::new(D::MESA_LLVMPIPE, 0x10005, version, "llvmpipe (LLVM 19.1.7, 256 bits)");
        assert_eq!((driver.version, driver.llvm), ((25, 0), 19));
        assert_eq!(Driver::new(D::MESA_V3DV, 0x14e4, version, "V3D 7.1.10.2").llvm, 0);
    }

    #[test]
    fn each_driver_has_its_quirks() {
        assert_eq!(names(UNKNOWN), [""; 0]);
        assert_eq!(
            names(H200),
            [
                "serial_submissions",
                "late_uploads",
                "slow_signals",
                "fused_fma",
                "close_exp2_log2",
                "exact_div_sqrt64",
                "flushed_denorms32",
                "unrequested_rte32",
                "kept_denorms64",
                "scattered_wide_loads",
                "shifted_rotations64",
                "wrong_division64",
                "coarse_packed_reads",
                "costly_queues",
                "small_shared_pages",
                "four_part_version",
                "cuda_attributes",
            ]
        );
        assert_eq!(
            names(LLVMPIPE),
            [
                "slow_signals",
                "exact_div_sqrt32",
                "exact_div_sqrt64",
                "kept_denorms",
                "fences_block",
                "aliased_views",
                "scalar_accesses",
                "slow_tests_in_continue",
                "needs_lcssa",
                "masked_loop_exits",
                "limited_loops",
                "wrong_rounding64",
                "slow_filters",
            ]
        );
        assert_eq!(
            names(Driver { id: D::MESA_RADV, vendor: 0x1002, ..LLVMPIPE }),
            ["fused_fma", "close_exp2_log2"]
        );
        let newer = Driver { version: (26, 2), llvm: 22, ..LLVMPIPE };
        let (old, new) = (names(LLVMPIPE), names(newer));
        assert!(old.contains(&"kept_denorms") && !old.contains(&"wrong_copysign"));
        assert!(
            ["flushed_denorms32", "wrong_copysign", "unmasked_loads"].iter().all(|name| new.contains(name))
        );
        assert!(!new.contains(&"kept_denorms"));
        // Mesa's driver for the same GPUs has the hardware's attributes only.
        assert_eq!(names(Driver { id: D::MESA_NVK, ..H200 }), ["four_part_version", "cuda_attributes"]);
    }

    #[test]
    fn the_documentation_names_every_quirk() {
        let text = include_str!("../../../../docs/architecture.md");
        for driver in [H200, LLVMPIPE] {
            let missing: Vec<_> =
                names(driver).into_iter().filter(|n| !text.contains(&format!("`{n}`"))).collect();
            assert_eq!(missing, [""; 0]);
        }
    }

    #[test]
    fn quirks_can_be_hidden() {
        let hidden = ["-serial_submissions".to_string(), "fused_fma".into(), "-int8".into()];
        let quirks = Quirks::of(H200, &hidden);
        assert!(!quirks.serial_submissions && !quirks.fused_fma && quirks.close_exp2_log2);
        let all: Vec<String> = names(LLVMPIPE).iter().map(|name| format!("-{name}")).collect();
        assert_eq!(Quirks::of(LLVMPIPE, &all), Quirks::default());
    }
}
