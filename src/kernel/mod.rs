//! Kernel objects: a kernel of a built program, on every device it was built for, with its argument values.
//!
//! A kernel holds the executables it was created from, so later changes of the program do not affect it.
//! Argument values and their packing are in [`args`]. Locks: one of rank KernelArgs around the argument
//! values.

pub(crate) mod arg_list;
pub mod args;
pub mod exec_info;

use crate::cl::ndrange::SubGroups;
use crate::cl::*;
use crate::device::Device;
use crate::device::info::AddressSharing;
use crate::device::traits::DeviceKernel;
use crate::err;
use crate::error::Result;
use crate::info::InfoValue;
use crate::memory::svm::SvmKind;
use crate::object::{ApiObject, ApiSlot, ObjectKind};
use crate::program::{Program, WorkEstimates};
use crate::sync::{Mutex, Rank};
use arg_list::ArgsInUse;
use args::{ArgInput, Args};
use clspv_bridge::metadata::{AccessQualifier, AddressQualifier, ArgInfo, ArgKind, KernelInfo};
use exec_info::ExecInfo;
use std::sync::{Arc, OnceLock};

/// A kernel object.
pub struct Kernel {
    slot: ApiSlot,
    pub program: Arc<Program>,
    pub info: Arc<KernelInfo>,
    /// In the order of the program's devices.
    per_device: Box<[Option<Arc<dyn DeviceKernel>>]>,
    estimates: Option<Arc<WorkEstimates>>,
    args: Arc<Mutex<Args>>,
    exec_info: Mutex<Arc<ExecInfo>>,
    arg_info: OnceLock<Option<Vec<ArgInfo>>>,
}

/// State of a kernel object for a launch; later changes of the object do not affect it.
pub struct KernelSnapshot {
    pub kernel: Arc<dyn DeviceKernel>,
    pub args: ArgsInUse,
}

impl ApiObject for Kernel {
    const KIND: ObjectKind = ObjectKind::Kernel;
    const INVALID: cl_int = CL_INVALID_KERNEL;
    fn api_slot(&self) -> &ApiSlot {
        &self.slot
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.detach();
    }
}

impl Kernel {
    /// clCreateKernel.
    pub fn create(program: &Arc<Program>, name: &str) -> Result<Arc<Kernel>> {
        let executables = program.attach()?;
        let parts = match program.kernel_parts(name, &executables) {
            Ok(parts) => parts,
            Err(error) => {
                program.detach();
                return Err(error);
            }
        };
        Ok(Arc::new(Kernel {
            slot: ApiSlot::new(),
            program: program.clone(),
            args: Arc::new(Mutex::new(Rank::KernelArgs, Args::new(parts.info.args.len()))),
            exec_info: Mutex::new(Rank::KernelArgs, Arc::default()),
            info: parts.info,
            per_device: parts.per_device,
            estimates: parts.estimates,
            arg_info: OnceLock::new(),
        }))
    }

    /// clCreateKernelsInProgram: creates the kernels that are the same on all devices.
    pub fn create_all(program: &Arc<Program>) -> Result<Vec<Arc<Kernel>>> {
        let mut out = Vec::new();
        for name in program.kernel_names()? {
            match Kernel::create(program, &name) {
                Ok(kernel) => out.push(kernel),
                Err(error) if error.code() == CL_INVALID_KERNEL_DEFINITION => {}
                Err(error) => return Err(error),
            }
        }
        Ok(out)
    }

    /// clCloneKernel: creates an independent copy with the same argument values.
    pub fn duplicate(&self) -> Result<Arc<Kernel>> {
        self.program.attach()?;
        let (args, exec_info) = self.values();
        Ok(Arc::new(Kernel {
            slot: ApiSlot::new(),
            program: self.program.clone(),
            info: self.info.clone(),
            per_device: self.per_device.clone(),
            estimates: self.estimates.clone(),
            args: Arc::new(Mutex::new(Rank::KernelArgs, args)),
            exec_info: Mutex::new(Rank::KernelArgs, exec_info),
            arg_info: OnceLock::new(),
        }))
    }

    /// Argument values and execution information; locked one after the other.
    fn values(&self) -> (Args, Arc<ExecInfo>) {
        let args = self.args.lock().duplicate();
        let exec_info = self.exec_info.lock().clone();
        (args, exec_info)
    }

    /// The description of an argument; CL_INVALID_ARG_INDEX if there is none.
    pub fn arg(&self, index: u32) -> Result<&ArgInfo> {
        self.info
            .args
            .get(index as usize)
            .ok_or_else(|| err!(CL_INVALID_ARG_INDEX, "{} has no argument {index}", self.info.name))
    }

    /// clSetKernelArg.
    pub fn set_arg(&self, index: u32, input: ArgInput) -> Result<()> {
        let info = self.arg(index)?;
        // CL_INVALID_ARG_VALUE: an immutable buffer requires a pointer to constants (images: see `args`).
        if let ArgInput::Mem(Some(mem)) = &input
            && info.kind == ArgKind::GlobalPtr
            && mem.flags.is_immutable()
            && self.arg_declaration(index).is_some_and(|arg| !arg.qualifiers.is_const)
        {
            return Err(err!(
                CL_INVALID_ARG_VALUE,
                "the buffer is immutable, argument {index} can be written through"
            ));
        }
        self.args.lock().set(index as usize, info, input, &self.program.context)
    }

    /// The kernel on a device.
    pub fn on_device(&self, device: &Device) -> Result<&Arc<dyn DeviceKernel>> {
        let found =
            self.program.device_index(device).and_then(|i| self.per_device.get(i)).and_then(Option::as_ref);
        found.ok_or_else(|| err!(CL_INVALID_PROGRAM_EXECUTABLE, "the kernel was not built for the device"))
    }

    /// The kernel's state for a launch on the device.
    pub fn snapshot(&self, device: &Device) -> Result<KernelSnapshot> {
        let kernel = self.on_device(device)?.clone();
        let args = self.args.lock().pack()?;
        Ok(KernelSnapshot { kernel, args: ArgsInUse::new(args, self.args.clone()) })
    }

    /// Estimates of the kernel's work; `None` if the recorder is off.
    pub(crate) fn estimates(&self) -> Option<&WorkEstimates> {
        self.estimates.as_deref()
    }

    /// The execution information set by clSetKernelExecInfo.
    pub fn exec_info(&self) -> Arc<ExecInfo> {
        self.exec_info.lock().clone()
    }

    /// clSetKernelArgSVMPointer.
    pub fn set_svm_pointer(&self, index: u32, address: u64) -> Result<()> {
        let context = &self.program.context;
        if !context.devices().iter().any(|d| SvmKind::Svm { fine: false }.works_on(d)) {
            return Err(err!(CL_INVALID_OPERATION, "no device supports shared virtual memory"));
        }
        self.arg(index)?;
        let any_address = context.devices().iter().any(|d| d.info().sharing == AddressSharing::Host);
        // CL_INVALID_ARG_VALUE: neither NULL nor an address in an allocation, unless a device can access all
        // host memory.
        if address != 0 && !any_address && context.allocations.find(address).is_none() {
            return Err(err!(CL_INVALID_ARG_VALUE, "{address:#x} is in no SVM allocation"));
        }
        self.set_pointer(index, address)
    }

    /// clSetKernelArgMemPointerINTEL: every pointer is valid, whether it may be dereferenced or not.
    pub fn set_usm_pointer(&self, index: u32, address: u64) -> Result<()> {
        self.arg(index)?;
        self.set_pointer(index, address)
    }

    /// clSetKernelArgDevicePointerEXT.
    pub fn set_device_pointer(&self, index: u32, address: u64) -> Result<()> {
        if !self.program.context.devices().iter().any(|d| d.info().buffer_addresses) {
            return Err(err!(CL_INVALID_OPERATION, "no device reports buffer addresses"));
        }
        if self.arg(index)?.kind != ArgKind::GlobalPtr || self.arg(index)?.qualifiers.is_pipe {
            return Err(err!(CL_INVALID_ARG_INDEX, "argument {index} is not a pointer to global memory"));
        }
        self.set_pointer(index, address)
    }

    fn set_pointer(&self, index: u32, address: u64) -> Result<()> {
        self.set_arg(index, ArgInput::Pointer(address))?;
        self.program.context.allocations.set_used();
        Ok(())
    }

    /// clSetKernelExecInfo.
    pub fn set_exec_info(&self, setting: exec_info::Setting) -> Result<()> {
        exec_info::validate(&setting, &self.program.context)?;
        let mut info = self.exec_info.lock();
        let mut changed = ExecInfo::clone(&info);
        changed.apply(setting);
        *info = Arc::new(changed);
        Ok(())
    }

    /// Index of the device of a query, or of the only one.
    fn query_device(&self, device: Option<&Device>) -> Result<usize> {
        match device {
            Some(device) => {
                let index = self.program.device_index(device);
                index.ok_or_else(|| err!(CL_INVALID_DEVICE, "the device is not of the kernel"))
            }
            None if self.program.devices.len() == 1 => Ok(0),
            None => Err(err!(CL_INVALID_DEVICE, "the kernel has several devices")),
        }
    }

    fn built_for(&self, index: usize) -> Result<&Arc<dyn DeviceKernel>> {
        let kernel = self.per_device.get(index).and_then(Option::as_ref);
        kernel.ok_or_else(|| err!(CL_INVALID_DEVICE, "the kernel was not built for the device"))
    }

    /// Answers clGetKernelInfo for parameters without handles; `None` for others.
    pub fn query(&self, param: cl_kernel_info) -> Option<InfoValue> {
        match param {
            CL_KERNEL_FUNCTION_NAME => Some(InfoValue::Str(self.info.name.clone())),
            CL_KERNEL_NUM_ARGS => Some(InfoValue::U32(self.info.args.len() as u32)),
            CL_KERNEL_ATTRIBUTES => Some(InfoValue::Str(self.info.attributes.clone())),
            _ => None,
        }
    }

    /// clGetKernelWorkGroupInfo.
    pub fn work_group_info(
        &self,
        device: Option<&Device>,
        param: cl_kernel_work_group_info,
    ) -> Result<InfoValue> {
        let index = self.query_device(device)?;
        let kernel = self.built_for(index)?;
        Ok(match param {
            CL_KERNEL_WORK_GROUP_SIZE => InfoValue::Size(kernel.reported_work_group_size()),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                let size = self.info.reqd_work_group_size.unwrap_or([0; 3]);
                InfoValue::Sizes(size.iter().map(|s| *s as usize).collect())
            }
            CL_KERNEL_LOCAL_MEM_SIZE => {
                InfoValue::U64(kernel.static_local_bytes().saturating_add(self.args.lock().local_bytes()))
            }
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => InfoValue::Size(kernel.preferred_multiple()),
            // cl_intel_required_subgroup_size: drivers do not report spill memory.
            CL_KERNEL_SPILL_MEM_SIZE_INTEL => InfoValue::U64(0),
            CL_KERNEL_PRIVATE_MEM_SIZE => InfoValue::U64(kernel.private_bytes()),
            CL_KERNEL_GLOBAL_WORK_SIZE => {
                return Err(err!(CL_INVALID_VALUE, "the kernel is not a built-in kernel"));
            }
            _ => return Err(err!(CL_INVALID_VALUE, "unknown parameter {param:#x}")),
        })
    }

    /// clGetKernelSubGroupInfo. `input` is the input value, `room` the size of the output buffer.
    pub fn sub_group_info(
        &self,
        device: Option<&Device>,
        param: cl_kernel_sub_group_info,
        input: Option<&[usize]>,
        room: usize,
    ) -> Result<InfoValue> {
        let index = self.query_device(device)?;
        let device = &self.program.devices[index];
        if matches!(device.query(CL_DEVICE_MAX_NUM_SUB_GROUPS), Ok(InfoValue::U32(0))) {
            return Err(err!(CL_INVALID_OPERATION, "the device has no sub-groups"));
        }
        let kernel = self.built_for(index)?;
        let facts = kernel.limits(device.info());
        let size = kernel.sub_group_size();
        let largest = kernel.reported_work_group_size();
        let most = largest.div_ceil(size);
        // The device's limit is that for sub-groups of its own size.
        let most = match self.info.reqd_sub_group_size {
            Some(_) => most,
            None => most.min(facts.max_num_sub_groups as usize),
        };
        // CL_INVALID_VALUE: not one to three sizes in the input.
        let local = || match input {
            Some(sizes) if (1..=3).contains(&sizes.len()) => {
                Ok(sizes.iter().fold(1usize, |a, b| a.saturating_mul(*b)))
            }
            _ => Err(err!(
                CL_INVALID_VALUE,
                "the local size has {} dimensions",
                input.map_or(0, <[usize]>::len)
            )),
        };
        Ok(match param {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => InfoValue::Size(size.min(local()?.max(1))),
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => InfoValue::Size(local()?.div_ceil(size)),
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let Some(&[count]) = input else {
                    return Err(err!(CL_INVALID_VALUE, "one sub-group count is needed"));
                };
                let dims = room / size_of::<usize>();
                // CL_INVALID_VALUE: not one to three sizes are written.
                if room != 0 && !(1..=3).contains(&dims) {
                    return Err(err!(CL_INVALID_VALUE, "room for {dims} sizes"));
                }
                let total = count.saturating_mul(size);
                let fits = count > 0 && count <= most && total <= largest;
                let mut sizes = vec![if fits { 1 } else { 0 }; dims.max(1)];
                if fits {
                    sizes[0] = total;
                }
                InfoValue::Sizes(sizes)
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => InfoValue::Size(most),
            // OpenCL C cannot require a number of sub-groups, but SPIR-V can.
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => {
                InfoValue::Size(self.info.reqd_sub_groups.unwrap_or(0) as usize)
            }
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => {
                InfoValue::Size(self.info.reqd_sub_group_size.unwrap_or(0) as usize)
            }
            _ => return Err(err!(CL_INVALID_VALUE, "unknown parameter {param:#x}")),
        })
    }

    /// Declaration of an argument in the source; `None` without source.
    fn arg_declaration(&self, index: u32) -> Option<&ArgInfo> {
        let table = self.arg_info.get_or_init(|| self.program.arg_info(&self.info));
        table.as_ref()?.get(index as usize)
    }

    /// clGetKernelArgInfo.
    pub fn arg_info(&self, index: u32, param: cl_kernel_arg_info) -> Result<InfoValue> {
        self.arg(index)?;
        // CL_INVALID_VALUE: an unknown parameter, whether there is information or not.
        if !(CL_KERNEL_ARG_ADDRESS_QUALIFIER..=CL_KERNEL_ARG_NAME).contains(&param) {
            return Err(err!(CL_INVALID_VALUE, "unknown parameter {param:#x}"));
        }
        // CL_KERNEL_ARG_INFO_NOT_AVAILABLE: the program was not created from source.
        let arg = self.arg_declaration(index);
        let arg = arg.ok_or_else(|| {
            err!(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "no argument information for {}", self.info.name)
        })?;
        Ok(match param {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => InfoValue::U32(match arg.address {
                AddressQualifier::Private => CL_KERNEL_ARG_ADDRESS_PRIVATE,
                AddressQualifier::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
                AddressQualifier::Global => CL_KERNEL_ARG_ADDRESS_GLOBAL,
                AddressQualifier::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
            }),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => InfoValue::U32(match arg.access {
                AccessQualifier::None => CL_KERNEL_ARG_ACCESS_NONE,
                AccessQualifier::ReadOnly => CL_KERNEL_ARG_ACCESS_READ_ONLY,
                AccessQualifier::WriteOnly => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                AccessQualifier::ReadWrite => CL_KERNEL_ARG_ACCESS_READ_WRITE,
            }),
            CL_KERNEL_ARG_TYPE_NAME => InfoValue::Str(arg.type_name.clone()),
            CL_KERNEL_ARG_TYPE_QUALIFIER => {
                let q = arg.qualifiers;
                let flag = |set: bool, bit: cl_bitfield| if set { bit } else { 0 };
                InfoValue::U64(
                    flag(q.is_const, CL_KERNEL_ARG_TYPE_CONST)
                        | flag(q.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT)
                        | flag(q.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE)
                        | flag(q.is_pipe, CL_KERNEL_ARG_TYPE_PIPE),
                )
            }
            CL_KERNEL_ARG_NAME => InfoValue::Str(arg.name.clone()),
            _ => return Err(err!(CL_INVALID_VALUE, "unknown parameter {param:#x}")),
        })
    }

    /// clGetKernelSuggestedLocalWorkSize: the local size of a launch that specifies none. The global size is
    /// valid.
    pub fn suggested_local_size(&self, device: &Device, global: [u64; 3], dims: u32) -> Result<[u32; 3]> {
        let kernel = self.on_device(device)?;
        if !self.args.lock().complete() {
            return Err(err!(CL_INVALID_KERNEL_ARGS, "not every argument has been set"));
        }
        Ok(match (self.info.reqd_work_group_size, self.sub_groups(&**kernel)) {
            (Some(size), _) => size,
            (None, Some(required)) => required.local_size(global).map(|n| n as u32),
            (None, None) => kernel.suggest_local_size(global, dims),
        })
    }

    /// The sub-groups that each work-group must have.
    pub fn sub_groups(&self, on_device: &dyn DeviceKernel) -> Option<SubGroups> {
        let count = u64::from(self.info.reqd_sub_groups?);
        Some(SubGroups { count, size: on_device.sub_group_size() as u64 })
    }
}
