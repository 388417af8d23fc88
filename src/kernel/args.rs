//! Argument values of a kernel object, and their list for launches (`arg_list`).
//!
//! A kernel does not keep memory objects that are set as its arguments alive (the specification forbids it):
//! it holds weak references. The list holds strong references and is shared by launches; the kernel refers to
//! it as long as launches do, so that a stream of launches shares one list and an idle kernel holds nothing.
//! Setting an argument to its current value keeps the list.

use super::arg_list::ArgList;
use crate::cl::image::ImageKind;
use crate::cl::*;
use crate::context::{Context, DeviceQueueObject};
use crate::device::features::VERSION;
use crate::device::traits::OnDeviceQueue;
use crate::err;
use crate::error::Result;
use crate::memory::MemObject;
use crate::queue::device_command_queue::DeviceCommandQueue;
use crate::sampler::Sampler;
use clspv_bridge::ir::ImageDim;
use clspv_bridge::metadata::{AccessQualifier, ArgInfo, ArgKind};
use smallvec::SmallVec;
use std::sync::{Arc, Weak};

/// Argument value of a launch.
#[derive(Clone)]
pub enum ArgSnapshot {
    /// Bytes of the argument's size.
    Bytes(SmallVec<[u8; 16]>),
    Mem(Option<Arc<MemObject>>),
    /// Size of local memory, in bytes.
    Local(u64),
    /// An address that is passed unchanged.
    Pointer(u64),
    Queue(Arc<dyn OnDeviceQueue>),
}

/// Argument value of a kernel object.
#[derive(Clone)]
enum Value {
    Unset,
    Bytes(SmallVec<[u8; 16]>),
    Null,
    Mem(Weak<MemObject>),
    Local(u64),
    Pointer(u64),
    Queue(Weak<DeviceCommandQueue>),
}

/// A value to set, with its handles resolved.
pub enum ArgInput<'a> {
    /// `arg_value` with `arg_size`.
    Bytes(&'a [u8]),
    /// `arg_value` is NULL.
    Null {
        size: usize,
    },
    /// A memory object, or NULL.
    Mem(Option<&'a Arc<MemObject>>),
    /// An address: of shared memory, or on the device; 0 is NULL.
    Pointer(u64),
    Sampler(&'a Sampler),
    /// An on-device queue.
    Queue(&'a Arc<DeviceCommandQueue>),
}

/// All arguments of a kernel.
pub struct Args {
    values: Vec<Value>,
    unset: usize,
    /// The current list, while launches use it.
    current: Option<Arc<ArgList>>,
}

impl Args {
    /// Creates `count` unset arguments.
    pub fn new(count: usize) -> Args {
        Args { values: vec![Value::Unset; count], unset: count, current: None }
    }

    /// Independent copy of the values.
    pub fn duplicate(&self) -> Args {
        Args { values: self.values.clone(), unset: self.unset, current: None }
    }

    /// Sets an argument; on an error nothing changes.
    pub fn set(
        &mut self,
        index: usize,
        info: &ArgInfo,
        input: ArgInput,
        context: &Arc<Context>,
    ) -> Result<()> {
        let Some(old) = self.values.get_mut(index) else {
            return Err(err!(CL_INVALID_ARG_INDEX, "no argument {index}"));
        };
        // The usual inputs, without a temporary value. The current one was checked against the declaration.
        match (&mut *old, &input) {
            (Value::Bytes(bytes), ArgInput::Bytes(new))
                if info.kind == ArgKind::Value && bytes.len() == new.len() =>
            {
                if bytes[..] != **new {
                    bytes.copy_from_slice(new);
                    self.current = None;
                }
                return Ok(());
            }
            (Value::Mem(mem), ArgInput::Mem(Some(new))) => {
                if Weak::as_ptr(mem) == Arc::as_ptr(new) {
                    return Ok(());
                }
                if matches!(info.kind, ArgKind::GlobalPtr | ArgKind::ConstantPtr) {
                    validate_buffer(index, info, new, context)?;
                    *mem = Arc::downgrade(new);
                    self.current = None;
                    return Ok(());
                }
            }
            _ => {}
        }
        let value = resolve(index, info, input, context)?;
        if same(old, &value) {
            return Ok(());
        }
        if matches!(old, Value::Unset) {
            self.unset -= 1;
        }
        *old = value;
        self.current = None;
        Ok(())
    }

    /// The list of the values; CL_INVALID_KERNEL_ARGS if one is missing.
    pub fn pack(&mut self) -> Result<Arc<ArgList>> {
        if let Some(list) = &self.current {
            return Ok(list.clone());
        }
        if self.unset > 0 {
            let first = self.values.iter().position(|v| matches!(v, Value::Unset)).unwrap_or_default();
            return Err(err!(CL_INVALID_KERNEL_ARGS, "argument {first} has not been set"));
        }
        let mut released = None;
        let values = self.values.iter().enumerate().map(|(index, value)| match value {
            Value::Bytes(bytes) => ArgSnapshot::Bytes(bytes.clone()),
            Value::Null | Value::Unset => ArgSnapshot::Mem(None),
            Value::Local(size) => ArgSnapshot::Local(*size),
            Value::Pointer(address) => ArgSnapshot::Pointer(*address),
            Value::Queue(queue) => match queue.upgrade() {
                Some(queue) => ArgSnapshot::Queue(queue.on_device_queue().clone()),
                None => {
                    released = Some(index);
                    ArgSnapshot::Mem(None)
                }
            },
            Value::Mem(mem) => {
                let mem = mem.upgrade();
                if mem.is_none() {
                    released = Some(index);
                }
                ArgSnapshot::Mem(mem)
            }
        });
        let mut list = ArgList::empty();
        if let Some(list) = Arc::get_mut(&mut list) {
            list.room().extend(values);
        }
        if let Some(index) = released {
            return Err(err!(CL_INVALID_KERNEL_ARGS, "the object of argument {index} was released"));
        }
        self.current = Some(list.clone());
        Ok(list)
    }

    /// Releases a launch's reference to its list. Returns the list unless other launches of these values use
    /// it.
    pub(super) fn leave(&mut self, list: Arc<ArgList>) -> Option<Arc<ArgList>> {
        if !self.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, &list)) {
            return Some(list);
        }
        drop(list);
        // Other references are only taken under this lock.
        self.current.take_if(|current| Arc::strong_count(current) == 1)
    }

    /// Bytes of local memory that the arguments require; unset ones count as 0.
    pub(crate) fn local_bytes(&self) -> u64 {
        self.values
            .iter()
            .map(|v| if let Value::Local(size) = v { *size } else { 0 })
            .fold(0, u64::saturating_add)
    }

    /// Whether every argument is set.
    pub fn complete(&self) -> bool {
        self.unset == 0
    }
}

/// The value to store for an input, if it fits the argument's declaration.
fn resolve(index: usize, info: &ArgInfo, input: ArgInput, context: &Arc<Context>) -> Result<Value> {
    match info.kind {
        ArgKind::GlobalPtr | ArgKind::ConstantPtr => resolve_pointer(index, info, input, context),
        _ if matches!(input, ArgInput::Pointer(_)) => {
            Err(err!(CL_INVALID_ARG_VALUE, "argument {index} is not a pointer to global memory"))
        }
        ArgKind::Value => resolve_bytes(index, info, input),
        ArgKind::LocalPtr => resolve_local(index, input),
        ArgKind::Image | ArgKind::Sampler | ArgKind::Queue => resolve_object(index, info, input, context),
    }
}

fn resolve_bytes(index: usize, info: &ArgInfo, input: ArgInput) -> Result<Value> {
    // CL_INVALID_ARG_SIZE is checked before CL_INVALID_ARG_VALUE.
    let size = match input {
        ArgInput::Bytes(bytes) => bytes.len(),
        ArgInput::Null { size } => size,
        _ => info.size as usize,
    };
    match input {
        _ if size != info.size as usize => {
            Err(err!(CL_INVALID_ARG_SIZE, "argument {index} has {} bytes, not {size}", info.size))
        }
        ArgInput::Bytes(bytes) => Ok(Value::Bytes(SmallVec::from_slice(bytes))),
        _ => Err(err!(CL_INVALID_ARG_VALUE, "argument {index} needs a value")),
    }
}

fn resolve_local(index: usize, input: ArgInput) -> Result<Value> {
    match input {
        // CL_INVALID_ARG_SIZE: a local pointer of size zero, before OpenCL 3.1.
        ArgInput::Null { size: 0 } if VERSION < (3, 1) => {
            Err(err!(CL_INVALID_ARG_SIZE, "argument {index} is local memory of no size"))
        }
        ArgInput::Null { size } => Ok(Value::Local(size as u64)),
        _ => Err(err!(CL_INVALID_ARG_VALUE, "argument {index} is local memory and takes no value")),
    }
}

/// Pointers to global and constant memory, and pipes.
fn resolve_pointer(index: usize, info: &ArgInfo, input: ArgInput, context: &Arc<Context>) -> Result<Value> {
    let is_pipe = info.qualifiers.is_pipe;
    match input {
        // Pipe arguments take pipe objects only, not NULL.
        ArgInput::Pointer(_) if is_pipe => Err(err!(CL_INVALID_ARG_VALUE, "argument {index} is a pipe")),
        ArgInput::Null { .. } | ArgInput::Mem(None) if is_pipe => {
            Err(err!(CL_INVALID_MEM_OBJECT, "argument {index} needs a pipe"))
        }
        // NULL, or a pointer to NULL, sets the argument to NULL.
        ArgInput::Pointer(0) | ArgInput::Null { .. } | ArgInput::Mem(None) => Ok(Value::Null),
        ArgInput::Pointer(address) => Ok(Value::Pointer(address)),
        ArgInput::Mem(Some(mem)) => {
            validate_buffer(index, info, mem, context)?;
            Ok(Value::Mem(Arc::downgrade(mem)))
        }
        ArgInput::Bytes(_) => Err(err!(CL_INVALID_ARG_SIZE, "argument {index} is a memory object")),
        ArgInput::Sampler(_) | ArgInput::Queue(_) => {
            Err(err!(CL_INVALID_MEM_OBJECT, "argument {index} is a memory object"))
        }
    }
}

/// Images, samplers and queues on the device.
fn resolve_object(index: usize, info: &ArgInfo, input: ArgInput, context: &Arc<Context>) -> Result<Value> {
    match (info.kind, input) {
        (ArgKind::Image, ArgInput::Mem(Some(mem))) => {
            validate_image(index, info, mem)?;
            validate_context(index, &mem.context, context)?;
            Ok(Value::Mem(Arc::downgrade(mem)))
        }
        (ArgKind::Sampler, ArgInput::Sampler(sampler)) => {
            validate_context(index, &sampler.context, context)?;
            Ok(Value::Bytes(SmallVec::from_slice(&sampler.word().to_le_bytes())))
        }
        (ArgKind::Queue, ArgInput::Queue(queue)) => {
            validate_context(index, queue.context(), context)?;
            Ok(Value::Queue(Arc::downgrade(queue)))
        }
        (ArgKind::Sampler, _) => Err(err!(CL_INVALID_SAMPLER, "argument {index} needs a sampler")),
        (ArgKind::Queue, _) => {
            Err(err!(CL_INVALID_DEVICE_QUEUE, "argument {index} needs a queue on a device"))
        }
        _ => Err(err!(CL_INVALID_MEM_OBJECT, "argument {index} needs an image")),
    }
}

/// Checks a memory object against the declaration of a pointer or pipe.
fn validate_buffer(index: usize, info: &ArgInfo, mem: &MemObject, context: &Arc<Context>) -> Result<()> {
    validate_context(index, &mem.context, context)?;
    let is_pipe = info.qualifiers.is_pipe;
    // CL_INVALID_MEM_OBJECT: an image for a buffer argument, or a pipe and an argument that is not one, or
    // the reverse.
    if mem.image().is_some() || mem.pipe.is_some() != is_pipe {
        let wanted = if is_pipe { "pipe" } else { "buffer" };
        return Err(err!(CL_INVALID_MEM_OBJECT, "argument {index} needs a {wanted}"));
    }
    Ok(())
}

fn validate_context(index: usize, of: &Arc<Context>, context: &Arc<Context>) -> Result<()> {
    if !Arc::ptr_eq(of, context) {
        return Err(err!(CL_INVALID_CONTEXT, "argument {index} is of another context"));
    }
    Ok(())
}

/// Checks an image against the argument's declaration.
fn validate_image(index: usize, info: &ArgInfo, mem: &MemObject) -> Result<()> {
    // CL_INVALID_MEM_OBJECT: not an image.
    let Some(image) = mem.image() else {
        return Err(err!(CL_INVALID_MEM_OBJECT, "argument {index} needs an image"));
    };
    // CL_INVALID_ARG_VALUE: another kind of image than declared.
    if info.image.is_some_and(|dim| dim != dim_of(image.shape.kind)) {
        return Err(err!(CL_INVALID_ARG_VALUE, "argument {index} is an image of another kind"));
    }
    let (reads, writes) =
        (info.access != AccessQualifier::WriteOnly, info.access != AccessQualifier::ReadOnly);
    // CL_INVALID_ARG_VALUE: flags that forbid an access which the declaration allows.
    if reads && mem.flags.has(CL_MEM_WRITE_ONLY) || writes && !mem.flags.kernel_writable() {
        return Err(err!(
            CL_INVALID_ARG_VALUE,
            "the image's flags forbid what argument {index} is declared for"
        ));
    }
    Ok(())
}

fn dim_of(kind: ImageKind) -> ImageDim {
    match kind {
        ImageKind::D1 => ImageDim::D1,
        ImageKind::Buffer => ImageDim::Buffer,
        ImageKind::D1Array => ImageDim::D1Array,
        ImageKind::D2 => ImageDim::D2,
        ImageKind::D2Array => ImageDim::D2Array,
        ImageKind::D3 => ImageDim::D3,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Null, Value::Null) => true,
        (Value::Mem(a), Value::Mem(b)) => Weak::ptr_eq(a, b) && a.strong_count() > 0,
        (Value::Queue(a), Value::Queue(b)) => Weak::ptr_eq(a, b) && a.strong_count() > 0,
        (Value::Local(a), Value::Local(b)) | (Value::Pointer(a), Value::Pointer(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::batch::ArgValue;
    use crate::device::mock::{MockDevice, Mode};
    use crate::kernel::arg_list::ArgsInUse;
    use crate::memory::buffer;
    use crate::sync::{Mutex, Rank};
    use std::time::Instant;

    fn arg(kind: ArgKind, size: u32) -> ArgInfo {
        let (address, access, qualifiers) = Default::default();
        let (name, type_name) = (String::new(), String::new());
        ArgInfo { kind, size, align: 1, offset: 0, name, type_name, address, access, qualifiers, image: None }
    }

    fn context() -> Arc<Context> {
        let device = Device::new("mock", MockDevice::new(Mode::OnWait, true, true));
        Context::new([device], Vec::new(), None, Default::default()).unwrap()
    }

    fn mem(context: &Arc<Context>) -> Arc<MemObject> {
        buffer::create(context, None, CL_MEM_READ_WRITE, 64, None).unwrap()
    }

    /// Takes the list for a launch.
    fn launch(args: &Arc<Mutex<Args>>) -> Result<ArgsInUse> {
        Ok(ArgsInUse::new(args.lock().pack()?, args.clone()))
    }

    fn kernel(count: usize) -> Arc<Mutex<Args>> {
        Arc::new(Mutex::new(Rank::KernelArgs, Args::new(count)))
    }

    #[test]
    fn lists_are_shared_until_an_argument_changes() {
        let (c, int, ptr) = (context(), arg(ArgKind::Value, 4), arg(ArgKind::GlobalPtr, 8));
        let m = mem(&c);
        let args = kernel(2);
        assert_eq!(launch(&args).map(|_| ()).map_err(|e| e.code()), Err(CL_INVALID_KERNEL_ARGS));
        let set = |index, input: ArgInput| args.lock().set(index, [&int, &ptr][index], input, &c).unwrap();
        set(0, ArgInput::Bytes(&[1, 2, 3, 4]));
        set(1, ArgInput::Mem(Some(&m)));
        let first = launch(&args).unwrap();
        set(0, ArgInput::Bytes(&[1, 2, 3, 4]));
        set(1, ArgInput::Mem(Some(&m)));
        assert!(std::ptr::eq(&*first, &*launch(&args).unwrap()));
        set(0, ArgInput::Bytes(&[1, 2, 3, 5]));
        let second = launch(&args).unwrap();
        assert!(!std::ptr::eq(&*first, &*second));
        // A launch keeps its values.
        assert!(matches!(&first[0], ArgSnapshot::Bytes(b) if b[..] == [1, 2, 3, 4]));
        assert!(matches!(&second[0], ArgSnapshot::Bytes(b) if b[..] == [1, 2, 3, 5]));
    }

    #[test]
    fn kernels_do_not_keep_memory_alive() {
        let (c, ptr) = (context(), arg(ArgKind::ConstantPtr, 8));
        let m = mem(&c);
        let args = kernel(1);
        args.lock().set(0, &ptr, ArgInput::Mem(Some(&m)), &c).unwrap();
        let launches = [launch(&args).unwrap(), launch(&args).unwrap()];
        let seen = Arc::downgrade(&m);
        drop(m);
        let [first, last] = launches;
        drop(first);
        assert!(seen.upgrade().is_some(), "launches keep it");
        drop(last);
        assert!(seen.upgrade().is_none());
        assert_eq!(launch(&args).map(|_| ()).map_err(|e| e.code()), Err(CL_INVALID_KERNEL_ARGS));
        args.lock().set(0, &ptr, ArgInput::Mem(None), &c).unwrap();
        assert!(matches!(launch(&args).unwrap()[0], ArgSnapshot::Mem(None)));
    }

    #[test]
    fn launches_of_older_values_keep_no_memory_alive_either() {
        let (c, ptr) = (context(), arg(ArgKind::GlobalPtr, 8));
        let (old, new) = (mem(&c), mem(&c));
        let args = kernel(1);
        args.lock().set(0, &ptr, ArgInput::Mem(Some(&old)), &c).unwrap();
        let first = launch(&args).unwrap();
        args.lock().set(0, &ptr, ArgInput::Mem(Some(&new)), &c).unwrap();
        let second = launch(&args).unwrap();
        let seen = Arc::downgrade(&old);
        drop(old);
        drop(first);
        assert!(seen.upgrade().is_none());
        assert!(matches!(&second[0], ArgSnapshot::Mem(Some(m)) if Arc::ptr_eq(m, &new)));
    }

    #[test]
    fn lowered_arguments_are_known_until_the_launches_are_over() {
        let (c, int) = (context(), arg(ArgKind::Value, 4));
        let args = kernel(1);
        args.lock().set(0, &int, ArgInput::Bytes(&[1, 2, 3, 4]), &c).unwrap();
        let made = |launch: &ArgsInUse, device, stay| {
            let mut asked = false;
            let list = launch.lower(device, |list| {
                asked = true;
                list.push(ArgValue::Local(device as u64));
                Ok::<_, ()>(stay)
            });
            assert!(matches!(list.unwrap()[..], [ArgValue::Local(n)] if n == device as u64));
            asked
        };
        let (first, second) = (launch(&args).unwrap(), launch(&args).unwrap());
        assert!(made(&first, 0, false) && made(&first, 0, true) && !made(&second, 0, true));
        // Another device has its own values.
        assert!(made(&second, 1, true) && !made(&first, 0, true));
        drop((first, second));
        assert!(made(&launch(&args).unwrap(), 0, true));
    }

    #[test]
    fn errors_change_nothing() {
        let (c, int, local) = (context(), arg(ArgKind::Value, 4), arg(ArgKind::LocalPtr, 0));
        let mut args = Args::new(2);
        let code = |r: Result<()>| r.map_or_else(|e| e.code(), |()| CL_SUCCESS);
        assert_eq!(code(args.set(0, &int, ArgInput::Bytes(&[1, 2]), &c)), CL_INVALID_ARG_SIZE);
        assert_eq!(code(args.set(0, &int, ArgInput::Null { size: 4 }, &c)), CL_INVALID_ARG_VALUE);
        assert_eq!(code(args.set(1, &local, ArgInput::Bytes(&[]), &c)), CL_INVALID_ARG_VALUE);
        assert_eq!(code(args.set(2, &int, ArgInput::Bytes(&[0; 4]), &c)), CL_INVALID_ARG_INDEX);
        assert!(!args.complete());
        let other = context();
        let foreign = mem(&other);
        let ptr = arg(ArgKind::GlobalPtr, 8);
        assert_eq!(code(args.set(0, &ptr, ArgInput::Mem(Some(&foreign)), &c)), CL_INVALID_CONTEXT);
        assert_eq!(code(args.set(0, &int, ArgInput::Bytes(&[0; 4]), &c)), CL_SUCCESS);
        assert_eq!(code(args.set(1, &local, ArgInput::Null { size: 64 }, &c)), CL_SUCCESS);
        assert!(args.complete());
        assert_eq!(args.local_bytes(), 64);
    }

    /// A benchmark: `cargo test --release -p pyroclast --lib packing_cost -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement"]
    fn packing_cost() {
        let (c, int, ptr) = (context(), arg(ArgKind::Value, 4), arg(ArgKind::GlobalPtr, 8));
        let mems: Vec<_> = (0..4).map(|_| mem(&c)).collect();
        let args = kernel(5);
        for (i, m) in mems.iter().enumerate() {
            args.lock().set(i, &ptr, ArgInput::Mem(Some(m)), &c).unwrap();
        }
        let n = 1_000_000u32;
        for (name, keep, change) in [
            ("unchanged, in flight", true, false),
            ("unchanged, idle", false, false),
            ("changed", true, true),
        ] {
            args.lock().set(4, &int, ArgInput::Bytes(&[0; 4]), &c).unwrap();
            let kept = keep.then(|| launch(&args).unwrap());
            let start = Instant::now();
            for i in 0..n {
                if change {
                    args.lock().set(4, &int, ArgInput::Bytes(&i.to_le_bytes()), &c).unwrap();
                }
                std::hint::black_box(launch(&args).unwrap());
            }
            eprintln!("{name}: {:.1} ns", start.elapsed().as_nanos() as f64 / f64::from(n));
            drop(kept);
        }
    }
}
