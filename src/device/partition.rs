//! Sub-devices: validation of the arguments of clCreateSubDevices, and creation of the sub-devices.
//!
//! A sub-device behaves like any other device; it keeps its parent alive.

use super::Device;
use super::info::AFFINITY_DOMAINS;
use super::traits::{DeviceError, Division};
use crate::cl::*;
use crate::err;
use crate::error::Result;
use std::sync::Arc;

const EQUALLY: cl_device_partition_property = CL_DEVICE_PARTITION_EQUALLY as cl_device_partition_property;
const BY_COUNTS: cl_device_partition_property = CL_DEVICE_PARTITION_BY_COUNTS as cl_device_partition_property;
const BY_DOMAIN: cl_device_partition_property =
    CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as cl_device_partition_property;

impl Device {
    /// CL_DEVICE_PARTITION_PROPERTIES: a single 0 means that the device cannot be partitioned.
    pub fn partition_properties(&self) -> Vec<cl_device_partition_property> {
        let d = self.info();
        if !d.divisible || d.compute_units < 2 {
            return vec![0];
        }
        let mut list = vec![EQUALLY, BY_COUNTS];
        if d.affinity_domains != 0 {
            list.push(BY_DOMAIN);
        }
        list
    }

    /// CL_DEVICE_PARTITION_AFFINITY_DOMAIN
    pub fn affinity_domains(&self) -> cl_device_affinity_domain {
        match self.info().affinity_domains {
            0 => 0,
            some => some | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
        }
    }

    /// Parses a list of partition properties. Also returns the list that CL_DEVICE_PARTITION_TYPE reports.
    fn division(
        &self,
        list: &[cl_device_partition_property],
    ) -> Result<(Division, Vec<cl_device_partition_property>)> {
        let units = self.info().compute_units;
        let (name, values) =
            list.split_first().ok_or_else(|| err!(CL_INVALID_VALUE, "no partition properties"))?;
        if *name == 0 || !self.partition_properties().contains(name) {
            return Err(err!(CL_INVALID_VALUE, "the device cannot be partitioned in the way {name:#x}"));
        }
        let value = values.first().copied().unwrap_or(0);
        match *name {
            EQUALLY => {
                let each = u32::try_from(value).ok().filter(|n| *n > 0);
                // CL_INVALID_VALUE: a sub-device has no compute units.
                let each = each.ok_or_else(|| err!(CL_INVALID_VALUE, "{value} compute units each"))?;
                // A sub-device has more compute units than the device. The specification defines no error for
                // this; OpenCL-CTS expects CL_INVALID_DEVICE_PARTITION_COUNT.
                if each > units {
                    return Err(err!(CL_INVALID_DEVICE_PARTITION_COUNT, "{each} of {units} compute units"));
                }
                // CL_DEVICE_PARTITION_FAILED: the sub-device would be the whole device.
                if each == units {
                    return Err(err!(CL_DEVICE_PARTITION_FAILED, "the device has {units} compute units"));
                }
                let counts = vec![each; (units / each) as usize];
                Ok((Division::Counts(counts), vec![EQUALLY, value, 0]))
            }
            BY_COUNTS => {
                let given: Vec<_> = values.iter().copied().take_while(|n| *n != 0).collect();
                let counts: Option<Vec<u32>> = given.iter().map(|n| u32::try_from(*n).ok()).collect();
                let total = |counts: &Vec<u32>| counts.iter().map(|n| u64::from(*n)).sum::<u64>();
                // CL_INVALID_DEVICE_PARTITION_COUNT: no counts, a count that is not positive, or a sum above
                // the number of compute units.
                let counts = counts.filter(|c| !c.is_empty() && total(c) <= u64::from(units));
                let counts = counts.ok_or_else(|| {
                    err!(CL_INVALID_DEVICE_PARTITION_COUNT, "{given:?} of {units} compute units")
                })?;
                let end = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END as cl_device_partition_property;
                let reported = std::iter::once(BY_COUNTS).chain(given).chain([end, 0]).collect();
                Ok((Division::Counts(counts), reported))
            }
            _ => {
                let wanted = value as cl_device_affinity_domain;
                // CL_INVALID_VALUE: not exactly one domain, or one that the device does not support.
                if !wanted.is_power_of_two() || self.affinity_domains() & wanted == 0 {
                    return Err(err!(CL_INVALID_VALUE, "affinity domain {wanted:#x}"));
                }
                let next = || AFFINITY_DOMAINS.into_iter().find(|d| self.info().affinity_domains & d != 0);
                let domain = if wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE {
                    next()
                } else {
                    Some(wanted)
                };
                let domain = domain.ok_or_else(|| err!(CL_DEVICE_PARTITION_FAILED, "no domain is left"))?;
                Ok((Division::Domain(domain), vec![BY_DOMAIN, domain as cl_device_partition_property, 0]))
            }
        }
    }

    /// clCreateSubDevices. The list of properties ends at its first 0.
    pub fn partition(self: &Arc<Device>, list: &[cl_device_partition_property]) -> Result<Vec<Arc<Device>>> {
        let (division, reported) = self.division(list)?;
        let parts = self.ops().divide(&division).map_err(|e| match e {
            DeviceError::Unsupported(why) => err!(CL_DEVICE_PARTITION_FAILED, "{why}"),
            other => other.into(),
        })?;
        Ok(parts.into_iter().map(|ops| Device::part(self, ops, reported.clone())).collect())
    }

    /// Whether the device is `other` or a descendant of it.
    pub fn is_within(&self, other: &Device) -> bool {
        std::ptr::eq(self, other) || self.parent().is_some_and(|p| p.is_within(other))
    }
}
