//! Argument values of a kernel object, and the packed list that launches take.
//!
//! A kernel does not keep the memory objects alive that were set as its arguments (the specification forbids it): it
//! holds weak references. The packed list holds strong ones and is shared by launches; the kernel remembers it weakly
//! when memory objects are in it, so that a stream of launches shares one list and an idle kernel holds nothing.
//! Setting an argument to the value it has keeps the list.

use crate::cl::*;
use crate::context::Context;
use crate::device::features::VERSION;
use crate::err;
use crate::error::Result;
use crate::memory::MemObject;
use clspv_bridge::metadata::{ArgInfo, ArgKind};
use smallvec::SmallVec;
use std::sync::{Arc, Weak};

/// Value of an argument for a launch.
#[derive(Clone)]
pub enum ArgSnapshot {
    /// Exactly the argument's size.
    Bytes(SmallVec<[u8; 16]>),
    Mem(Option<Arc<MemObject>>),
    /// Bytes of local memory.
    Local(u64),
}

/// Value of an argument as it was set.
#[derive(Clone)]
enum Value {
    Unset,
    Bytes(SmallVec<[u8; 16]>),
    Null,
    Mem(Weak<MemObject>),
    Local(u64),
}

/// The last packed list.
#[derive(Clone, Default)]
enum Packed {
    #[default]
    None,
    Strong(Arc<[ArgSnapshot]>),
    Weak(Weak<[ArgSnapshot]>),
}

/// A value to set, with its handles already looked up.
pub enum ArgInput<'a> {
    /// `arg_value` with `arg_size`.
    Bytes(&'a [u8]),
    /// `arg_value` is NULL.
    Null { size: usize },
    /// A memory object, or the NULL one.
    Mem(Option<&'a Arc<MemObject>>),
}

/// All arguments of a kernel.
#[derive(Clone)]
pub struct Args {
    values: Vec<Value>,
    unset: usize,
    packed: Packed,
}

impl Args {
    /// `count` arguments without values.
    pub fn new(count: usize) -> Args {
        Args { values: vec![Value::Unset; count], unset: count, packed: Packed::None }
    }

    /// Sets an argument; on an error nothing changes.
    pub fn set(&mut self, index: usize, info: &ArgInfo, input: ArgInput, context: &Arc<Context>) -> Result<()> {
        let value = match (info.kind, input) {
            (ArgKind::Value, ArgInput::Bytes(bytes)) => {
                // The size must be that of the argument's type.
                if bytes.len() != info.size as usize {
                    return Err(err!(CL_INVALID_ARG_SIZE, "argument {index} has {} bytes, not {}", info.size, bytes.len()));
                }
                Value::Bytes(SmallVec::from_slice(bytes))
            }
            // A value is needed; first, though, the size must be right.
            (ArgKind::Value, ArgInput::Null { size }) if size != info.size as usize => {
                return Err(err!(CL_INVALID_ARG_SIZE, "argument {index} has {} bytes, not {size}", info.size));
            }
            (ArgKind::Value, _) => return Err(err!(CL_INVALID_ARG_VALUE, "argument {index} needs a value")),
            // A NULL value, or one that points to NULL, sets the argument to NULL.
            (ArgKind::GlobalPtr | ArgKind::ConstantPtr, ArgInput::Null { .. } | ArgInput::Mem(None)) => Value::Null,
            (ArgKind::GlobalPtr | ArgKind::ConstantPtr, ArgInput::Mem(Some(mem))) => {
                // The memory object must be of the kernel's context.
                if !Arc::ptr_eq(&mem.context, context) {
                    return Err(err!(CL_INVALID_CONTEXT, "argument {index} is of another context"));
                }
                Value::Mem(Arc::downgrade(mem))
            }
            (ArgKind::GlobalPtr | ArgKind::ConstantPtr, ArgInput::Bytes(_)) => {
                return Err(err!(CL_INVALID_ARG_SIZE, "argument {index} is a memory object"));
            }
            // A local pointer has a size only; before OpenCL 3.1 it may not be zero.
            (ArgKind::LocalPtr, ArgInput::Null { size: 0 }) if VERSION < (3, 1) => {
                return Err(err!(CL_INVALID_ARG_SIZE, "argument {index} is local memory of no size"));
            }
            (ArgKind::LocalPtr, ArgInput::Null { size }) => Value::Local(size as u64),
            (ArgKind::LocalPtr, _) => {
                return Err(err!(CL_INVALID_ARG_VALUE, "argument {index} is local memory and takes no value"));
            }
            // No device has images or samplers, so nothing valid can be given.
            (ArgKind::Image, _) => return Err(err!(CL_INVALID_MEM_OBJECT, "argument {index} needs an image")),
            (ArgKind::Sampler, _) => return Err(err!(CL_INVALID_SAMPLER, "argument {index} needs a sampler")),
        };
        let Some(old) = self.values.get_mut(index) else {
            return Err(err!(CL_INVALID_ARG_INDEX, "no argument {index}"));
        };
        if same(old, &value) {
            return Ok(());
        }
        if matches!(old, Value::Unset) {
            self.unset -= 1;
        }
        *old = value;
        self.packed = Packed::None;
        Ok(())
    }

    /// The packed list of the values.
    pub fn pack(&mut self) -> Result<Arc<[ArgSnapshot]>> {
        match &self.packed {
            Packed::Strong(list) => return Ok(list.clone()),
            Packed::Weak(list) => {
                if let Some(list) = list.upgrade() {
                    return Ok(list);
                }
            }
            Packed::None => {}
        }
        // Every argument must have been set.
        if self.unset > 0 {
            let first = self.values.iter().position(|v| matches!(v, Value::Unset)).unwrap_or_default();
            return Err(err!(CL_INVALID_KERNEL_ARGS, "argument {first} has not been set"));
        }
        let mut list: SmallVec<[ArgSnapshot; 16]> = SmallVec::with_capacity(self.values.len());
        let mut weak = false;
        for (index, value) in self.values.iter().enumerate() {
            list.push(match value {
                Value::Unset => return Err(err!(CL_INVALID_KERNEL_ARGS, "argument {index} has not been set")),
                Value::Bytes(bytes) => ArgSnapshot::Bytes(bytes.clone()),
                Value::Null => ArgSnapshot::Mem(None),
                Value::Local(size) => ArgSnapshot::Local(*size),
                Value::Mem(mem) => {
                    weak = true;
                    let mem = mem.upgrade();
                    let mem =
                        mem.ok_or_else(|| err!(CL_INVALID_KERNEL_ARGS, "the memory object of argument {index} was released"))?;
                    ArgSnapshot::Mem(Some(mem))
                }
            });
        }
        let list: Arc<[ArgSnapshot]> = list.into_iter().collect::<Vec<_>>().into();
        self.packed = if weak { Packed::Weak(Arc::downgrade(&list)) } else { Packed::Strong(list.clone()) };
        Ok(list)
    }

    /// Bytes of local memory that the arguments ask for; unset ones count as 0.
    pub fn local_bytes(&self) -> u64 {
        self.values.iter().map(|v| if let Value::Local(size) = v { *size } else { 0 }).fold(0, u64::saturating_add)
    }

    /// Whether every argument has a value.
    pub fn complete(&self) -> bool {
        self.unset == 0
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Null, Value::Null) => true,
        (Value::Mem(a), Value::Mem(b)) => Weak::ptr_eq(a, b) && a.strong_count() > 0,
        (Value::Local(a), Value::Local(b)) => a == b,
        _ => false,
    }
}
