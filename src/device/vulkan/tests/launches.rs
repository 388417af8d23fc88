//! Launches on a real Vulkan device.

use super::*;

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// scale(global uint *out, global const uint *in, uint scale), see testdata/*.spvasm.
pub(in crate::device::vulkan) fn scale_variant(
    mode: PointerMode,
    block_storage: BlockStorage,
) -> KernelVariant {
    let addresses = mode == PointerMode::Addresses;
    let in_buffer: &[u8] = include_bytes!("../testdata/scale_buffer.spv");
    KernelVariant {
        abi: LaunchAbi {
            mode,
            block_storage,
            implicit_args: vec![(ImplicitArg::GlobalIdBase(0), 0), (ImplicitArg::GroupBase(0), 8)],
            args_offset: 16,
            block_size: 40,
            bindings: if addresses { vec![] } else { vec![BindingSource::Arg(0), BindingSource::Arg(1)] },
            readonly: if addresses { vec![] } else { vec![false, true] },
            window_writes: vec![],
            local_specs: vec![],
            common_local_args: vec![],
            static_local_bytes: 0,
            private_bytes: 0,
            sub_group_size: 0,
            local_sizes: LocalSizes::Own,
        },
        spirv: words(if block_storage == BlockStorage::Buffer {
            in_buffer
        } else if addresses {
            include_bytes!("../testdata/scale_addresses.spv")
        } else {
            include_bytes!("../testdata/scale_bindings.spv")
        }),
    }
}

fn scale_program(modes: &[PointerMode], block_storage: BlockStorage) -> Arc<CompiledProgram> {
    let arg = |kind, size, offset| ArgInfo {
        kind,
        size,
        align: size,
        offset,
        name: String::new(),
        type_name: String::new(),
        address: AddressQualifier::Private,
        access: AccessQualifier::None,
        qualifiers: TypeQualifiers::default(),
        image: None,
    };
    Arc::new(CompiledProgram {
        code: ProgramCode::Vulkan(vec![CompiledKernel {
            info: KernelInfo {
                name: "scale".into(),
                args: vec![
                    arg(ArgKind::GlobalPtr, 8, 0),
                    arg(ArgKind::GlobalPtr, 8, 8),
                    arg(ArgKind::Value, 4, 16),
                ],
                args_size: 24,
                ..KernelInfo::default()
            },
            variants: modes.iter().map(|m| scale_variant(*m, block_storage)).collect(),
        }]),
        data: DataBlock { bytes: vec![0; 32], relocs: vec![(8, 16)], ..DataBlock::default() },
        absent: Vec::new(),
    })
}

fn launch(
    kernel: &Arc<dyn DeviceKernel>,
    (out, input, scale): (BufferRange, BufferRange, u32),
    offset: u64,
    global: u64,
    local: u32,
) -> DeviceCommand {
    DeviceCommand::Launch(Launch {
        kernel: kernel.clone(),
        args: Arc::new(vec![
            ArgValue::Buffer(out),
            ArgValue::Buffer(input),
            ArgValue::Bytes(SmallVec::from_slice(&scale.to_le_bytes())),
        ]),
        dims: 1,
        offset: [offset, 0, 0],
        global: [global, 1, 1],
        local: [local, 1, 1],
        indirect: IndirectAccesses::default(),
        default_queue: None,
    })
}

#[test]
fn kernels_run_in_both_pointer_modes() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let both = [PointerMode::Bindings, PointerMode::Addresses];
    // The arguments begin 20 bytes into their buffers, which descriptors cannot express, or 256.
    let cases = [
        (&both[1..], BlockStorage::Push, 20),
        (&both[..], BlockStorage::Push, 20),
        (&both[..], BlockStorage::Push, 256),
        (&both[..1], BlockStorage::Push, 256),
        (&both[1..], BlockStorage::Buffer, 20),
    ];
    for (modes, block_storage, skip) in cases {
        let program = device.load(scale_program(modes, block_storage)).unwrap();
        assert!(program.kernel("no such").is_err());
        let kernel = program.kernel("scale").unwrap();
        // 1003 = 15 * 64 + 43; items begin at 3.
        let (n, local) = (1003u64, 64u32);
        let (a, b) = (buffer(&device, n * 4 + 400), buffer(&device, n * 4 + 400));
        let input: Vec<u32> = (0..n as u32 + 3).collect();
        let zero = vec![0u8; n as usize * 4 + 400];
        let mut got = vec![0u8; n as usize * 4 + 12];
        let size = n * 4 + 12;
        let (ra, rb) = (range(&a, skip, size), range(&b, skip, size));
        let chain = launch(&kernel, (ra.clone(), rb.clone(), 2), 3, n, local);
        finish(
            &queue,
            vec![
                write(&zero, whole(&b)),
                write(bytemuck::cast_slice(&input), ra.clone()),
                launch(&kernel, (rb.clone(), ra.clone(), 7), 3, n, local),
                chain,
                launch(&kernel, (rb.clone(), ra.clone(), 1), 0, 0, local),
                read(ra, &mut got),
            ],
        );
        for (i, value) in words(&got).into_iter().enumerate() {
            let group = i.saturating_sub(3) as u32 / local;
            let once = i as u32 * 7 + 1000 * group;
            let want = if i < 3 { i as u32 } else { once * 2 + 1000 * group };
            assert_eq!(value, want, "item {i} with {modes:?} and {block_storage:?}");
        }
    }
    assert_eq!(validation_messages(), 0);
}

#[test]
fn a_launch_that_cannot_be_is_refused_whole() {
    let Some(device) = device() else { return };
    let (queue, log) = queue(&device, false);
    let program = device.load(scale_program(&[PointerMode::Bindings], BlockStorage::Push)).unwrap();
    let kernel = program.kernel("scale").unwrap();
    let memory = buffer(&device, 64);
    let args: Arc<Vec<ArgValue>> = Arc::new(vec![
        ArgValue::NullBuffer,
        ArgValue::Buffer(whole(&memory)),
        ArgValue::Bytes(smallvec![0; 4]),
    ]);
    let (ones, indirect) = ([1; 3], IndirectAccesses::default());
    let null = DeviceCommand::Launch(Launch {
        kernel: kernel.clone(),
        args,
        dims: 1,
        offset: [0; 3],
        global: [1; 3],
        local: ones,
        indirect,
        default_queue: None,
    });
    assert!(queue.submit(batch(vec![device_work(&memory), null])).is_err());
    assert!(log.tickets().is_empty());
    finish(&queue, vec![device_work(&memory)]);
    assert_eq!(log.tickets(), [1]);
    assert_eq!(validation_messages(), 0);
}

/// Prints latencies; run by hand with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn launch_and_finish_latency() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let program = device.load(scale_program(&[PointerMode::Addresses], BlockStorage::Push)).unwrap();
    let kernel = program.kernel("scale").unwrap();
    let (a, b) = (buffer(&device, 4096), buffer(&device, 4096));
    let mut times = Vec::new();
    let mut submits = Vec::new();
    for _ in 0..2000 {
        let start = std::time::Instant::now();
        let s = queue.submit(batch(vec![launch(&kernel, (whole(&a), whole(&b), 1), 0, 64, 64)])).unwrap();
        submits.push(start.elapsed());
        queue.wait(s, None).unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    submits.sort();
    eprintln!(
        "{}: submit {:?}, submit + wait {:?} p90 {:?}",
        device.info().name,
        submits[1000],
        times[1000],
        times[1800]
    );
}

#[test]
fn local_arguments_become_lengths_and_offsets() {
    let Some(device) = device() else { return };
    let mut program = (*scale_program(&[PointerMode::Addresses], BlockStorage::Push)).clone();
    let ProgramCode::Vulkan(kernels) = &mut program.code else { panic!("no SPIR-V") };
    let kernel = &mut kernels[0];
    let local = ArgInfo { kind: ArgKind::LocalPtr, size: 0, ..kernel.info.args[2].clone() };
    kernel.info.args.extend([local.clone(), local.clone(), local]);
    let abi = &mut kernel.variants[0].abi;
    abi.local_specs = vec![
        (3, LocalSpec::Arg { arg: 3, elem_bytes: 4 }),
        (4, LocalSpec::Common { fixed_bytes: 20, elem_bytes: 4 }),
    ];
    abi.common_local_args = vec![4, 5];
    abi.implicit_args = vec![
        (ImplicitArg::LocalArgOffset(4), 0),
        (ImplicitArg::LocalArgOffset(5), 4),
        (ImplicitArg::NumGroups(0), 8),
    ];
    let program = device.load(Arc::new(program)).unwrap();
    let kernel = program.kernel("scale").unwrap();
    let kernel_impl =
        kernel.as_any().downcast_ref::<crate::device::vulkan::program::kernel::VulkanKernel>().unwrap();
    let memory = buffer(&device, 64);
    let launch = |last| Launch {
        kernel: kernel.clone(),
        args: Arc::new(vec![
            ArgValue::NullBuffer,
            ArgValue::Buffer(whole(&memory)),
            ArgValue::Bytes(smallvec![0; 4]),
            ArgValue::Local(10),
            ArgValue::Local(33),
            ArgValue::Local(last),
        ]),
        dims: 1,
        offset: [0; 3],
        global: [10, 1, 1],
        local: [4, 1, 1],
        indirect: IndirectAccesses::default(),
        default_queue: None,
    };
    let first = launch(5);
    let plan = kernel_impl.plan(&first, None).unwrap();
    // 20 bytes of variables, then 33 at 32, then 5 at 80: 85 bytes in all.
    assert_eq!(plan.lengths.as_slice(), [3, 22]);
    assert_eq!(words(&plan.state.block[..12]), [32, 80, 3]);
    assert!(kernel_impl.plan(&launch(1 << 30), None).is_err());
}

#[test]
fn launches_that_differ_by_numbers_are_recent() {
    use crate::device::vulkan::program::kernel::VulkanKernel;
    use crate::device::vulkan::submit::recent_launches::RecentLaunches;
    let Some(device) = device() else { return };
    let gpu = opened(&device).gpu;
    let program = device.load(scale_program(&[PointerMode::Addresses], BlockStorage::Push)).unwrap();
    let kernel = program.kernel("scale").unwrap();
    let (a, b) = (buffer(&device, 4096), buffer(&device, 4096));
    let launch = |input, scale, global| {
        let DeviceCommand::Launch(launch) = launch(&kernel, (whole(&a), input, scale), 0, global, 64) else {
            unreachable!()
        };
        launch
    };
    let first = launch(whole(&b), 1, 128);
    let kernel_impl = kernel.as_any().downcast_ref::<VulkanKernel>().unwrap();
    let mut recent = RecentLaunches::default();
    recent.begin(gpu);
    let plan = kernel_impl.plan(&first, None).unwrap();
    assert_eq!(recent.add(&first, plan.accesses, plan.state), Some(0));
    for _ in 0..2 {
        assert!(recent.find(&first).is_some() && recent.find(&launch(whole(&b), 2, 128)).is_some());
        assert!(recent.find(&launch(whole(&b), 1, 64)).is_none());
        assert!(recent.find(&launch(whole(&a), 1, 128)).is_none());
        assert!(recent.find(&launch(range(&b, 16, 64), 1, 128)).is_none());
        // Recordings of the next batch find the launch as well, but it does not keep buffers alive.
        recent.end();
        assert_eq!(Arc::strong_count(&first.args), 1);
        recent.begin(gpu);
    }
    let (_, found) = recent.find(&launch(whole(&b), 5, 128)).unwrap();
    assert!(!found.has_arguments_of(&first));
    found.note_arguments_of(&first);
    assert!(found.has_arguments_of(&first));
    gpu.invalidate_recordings();
    recent.begin(gpu);
    assert!(recent.find(&first).is_none());
}

#[test]
fn a_command_buffer_is_ready_while_the_device_works() {
    let Some(device) = device() else { return };
    let (queue, _) = queue(&device, false);
    let memory = buffer(&device, 64);
    for _ in 0..5 {
        let submission = queue.submit(batch(vec![device_work(&memory)])).unwrap();
        // Other tests take command buffers of the same device at the same time.
        let is_ready = |_| {
            std::thread::sleep(Duration::from_millis(1));
            opened(&device).queues.pools.allocators.ready() > 0
        };
        assert!((0..5000).any(is_ready));
        queue.wait(submission, None).unwrap();
    }
}
