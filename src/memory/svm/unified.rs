//! cl_khr_unified_svm: allocations by the index of their type, with properties.

use super::{allocate, validate_alignment};
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::svm_types::{SvmType, TYPES, common, listed};
use crate::error::{Error, Result};
use crate::host_ptr::HostPtr;
use crate::info::InfoValue;
use crate::memory::allocations::{Allocation, SvmKind};
use std::sync::Arc;

/// Requested properties of an allocation.
#[derive(Clone, Default)]
pub struct Request<'a> {
    pub device: Option<&'a Device>,
    pub access: cl_svm_alloc_access_flags_khr,
    pub alignment: cl_uint,
    /// The list as passed, with its terminator; empty for NULL.
    pub list: Vec<cl_svm_alloc_properties_khr>,
}

impl SvmKind {
    /// The type in cl_khr_unified_svm.
    pub(crate) fn svm_type(self) -> SvmType {
        match self {
            SvmKind::Svm { fine: false } => SvmType::Coarse,
            SvmKind::Svm { fine: true } => SvmType::Fine,
            SvmKind::Host => SvmType::Host,
            SvmKind::Device => SvmType::Device,
            SvmKind::Shared => SvmType::Shared,
        }
    }

    /// The kind of allocations of a type; `None` for types that cannot be allocated.
    fn of(svm_type: SvmType) -> Option<SvmKind> {
        Some(match svm_type {
            SvmType::Coarse => SvmKind::Svm { fine: false },
            SvmType::Fine => SvmKind::Svm { fine: true },
            SvmType::Host => SvmKind::Host,
            SvmType::Device => SvmKind::Device,
            SvmType::Shared => SvmKind::Shared,
            SvmType::System => return None,
        })
    }
}

/// Parses properties. `device_of` returns the device of a handle.
pub fn request<'a>(
    pairs: &[(cl_svm_alloc_properties_khr, cl_svm_alloc_properties_khr)],
    list: Vec<cl_svm_alloc_properties_khr>,
    device_of: impl Fn(usize) -> Result<&'a Device>,
) -> Result<Request<'a>> {
    const ACCESS: cl_svm_alloc_access_flags_khr = CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR
        | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR
        | CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR
        | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
    let invalid = |why: &str| Error::with(CL_INVALID_PROPERTY, why.to_string());
    let mut request = Request { list, ..Request::default() };
    for (i, (name, value)) in pairs.iter().enumerate() {
        // CL_INVALID_PROPERTY: a property is given twice.
        if pairs[..i].iter().any(|(earlier, _)| earlier == name) {
            return Err(invalid("a property is given twice"));
        }
        match u32::try_from(*name) {
            Ok(CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR) => {
                request.device = Some(device_of(*value as usize)?)
            }
            // CL_INVALID_PROPERTY: undefined flags.
            Ok(CL_SVM_ALLOC_ACCESS_FLAGS_KHR) if value & !ACCESS == 0 => request.access = *value,
            // CL_INVALID_PROPERTY: the alignment is not a power of two that every device supports.
            Ok(CL_SVM_ALLOC_ALIGNMENT_KHR)
                if validate_alignment(u32::try_from(*value).unwrap_or(3)).is_ok() =>
            {
                request.alignment = *value as cl_uint;
            }
            _ => return Err(invalid("an unknown property, or a value that is not valid")),
        }
    }
    Ok(request)
}

/// The devices of the context that a request concerns.
fn users<'a>(context: &'a Context, request: &'a Request<'_>) -> impl Iterator<Item = &'a Arc<Device>> {
    context.devices().iter().filter(|d| request.device.is_none_or(|one| std::ptr::eq(&***d, one)))
}

/// clSVMAllocWithPropertiesKHR. `platform` are the platform's devices.
pub fn alloc(
    context: &Context,
    platform: &[Arc<Device>],
    index: cl_uint,
    size: usize,
    request: Request<'_>,
) -> Result<HostPtr> {
    // CL_INVALID_VALUE: an unknown type, or one that cannot be allocated.
    let mut types = listed(platform.iter().map(|d| d.info().sharing));
    let kind = types.find(|t| t.index() == index).and_then(SvmKind::of);
    let kind = kind.ok_or_else(|| {
        Error::with(CL_INVALID_VALUE, format!("nothing of SVM type {index} can be allocated"))
    })?;
    // CL_INVALID_DEVICE: the associated device is not of the context.
    if let Some(device) = request.device {
        context.device(device)?;
    }
    if !users(context, &request).any(|d| kind.works_on(d)) {
        return Err(Error::with(CL_INVALID_OPERATION, "the devices do not support this type"));
    }
    // CL_INVALID_PROPERTY: a device-specific type requires an associated device.
    let unassociated =
        kind.svm_type().capabilities(kind.needs()) & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
    if request.device.is_none() && !unassociated {
        return Err(Error::with(CL_INVALID_PROPERTY, "the type needs an associated device"));
    }
    // CL_INVALID_BUFFER_SIZE: zero, or more than a device that is to use it can allocate.
    if size == 0
        || users(context, &request).any(|d| kind.works_on(d) && size as u64 > d.info().max_alloc_size)
    {
        return Err(Error::with(CL_INVALID_BUFFER_SIZE, format!("{size} bytes")));
    }
    let device =
        request.device.and_then(|one| context.devices().iter().position(|d| std::ptr::eq(&**d, one)));
    // Memory that belongs to the context is for all its devices, whichever it is associated with.
    let only = device.filter(|_| !unassociated);
    let made = allocate(context, kind, only, 0, size as u64, (device, request.access, request.list))?;
    Ok(made.ptr())
}

/// clGetSVMSuggestedTypeIndexKHR: of the types with all required capabilities, the one with most of the
/// desired ones.
pub fn suggest(
    context: &Context,
    required: cl_svm_capabilities_khr,
    desired: cl_svm_capabilities_khr,
    size: usize,
    request: &Request<'_>,
) -> Result<cl_uint> {
    // CL_INVALID_DEVICE: the associated device is not of the context.
    if let Some(device) = request.device {
        context.device(device)?;
    }
    if users(context, request).any(|d| size as u64 > d.info().max_alloc_size) {
        return Ok(cl_uint::MAX);
    }
    let has = |t: SvmType| common(t, users(context, request).map(|d| d.info().sharing));
    let fitting = TYPES.into_iter().filter(|t| has(*t) != 0 && has(*t) & required == required);
    // The first of equals.
    let best = fitting.rev().max_by_key(|t| (has(*t) & desired).count_ones());
    Ok(best.map_or(cl_uint::MAX, SvmType::index))
}

/// clGetSVMPointerInfoKHR, except for the associated device.
pub fn query(
    context: &Context,
    device: Option<&Device>,
    found: Option<&Allocation>,
    name: cl_svm_pointer_info_khr,
) -> Option<InfoValue> {
    let sharing = context.devices().iter().filter(|d| device.is_none_or(|one| std::ptr::eq(&***d, one)));
    Some(match name {
        CL_SVM_INFO_TYPE_INDEX_KHR => found.map_or(cl_uint::MAX, |a| a.kind.svm_type().index()).into(),
        CL_SVM_INFO_CAPABILITIES_KHR => {
            found.map_or(0, |a| common(a.kind.svm_type(), sharing.map(|d| d.info().sharing))).into()
        }
        CL_SVM_INFO_PROPERTIES_KHR => match found {
            Some(a) if !a.properties.is_empty() => a.properties.clone().into(),
            _ => InfoValue::Empty,
        },
        CL_SVM_INFO_ACCESS_FLAGS_KHR => found.map_or(0, |a| a.access).into(),
        CL_SVM_INFO_BASE_PTR_KHR => InfoValue::Handle(found.map_or(0, |a| a.address as usize)),
        CL_SVM_INFO_SIZE_KHR => found.map_or(0, |a| a.size as usize).into(),
        _ => return None,
    })
}
