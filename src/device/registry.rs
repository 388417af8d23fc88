//! Registry of the device kinds, and the selection among the devices they find.

use super::Device;
use super::info::DeviceKind;
use super::paired::PairedDevice;
use super::traits::{DeviceDriver, DeviceOps};
use super::{cpu, vulkan};
use crate::config::Config;
use std::sync::Arc;

/// Every kind of device.
pub const DRIVERS: &[&dyn DeviceDriver] = &[&vulkan::DRIVER, &cpu::DRIVER];

/// Finds the devices of this process, in the order that PYROCLAST_DEVICES specifies. By default GPUs come
/// first, then the CPU device. Software Vulkan devices are listed only where the CPU device cannot be used:
/// they are the same processor, slower (docs/performance.md), and programs that use every device would pay
/// twice.
pub fn probe(config: &Config) -> Vec<Arc<Device>> {
    crate::fork::watch();
    let mut found: Vec<(&'static str, Vec<Arc<dyn DeviceOps>>)> = Vec::new();
    for driver in DRIVERS {
        if config.devices.is_empty() || config.devices.iter().any(|d| kind_of(d) == driver.name()) {
            found.push((driver.name(), driver.probe(config)));
        }
    }
    let fallback_ops = fallback_ops(config, &found);
    let ranks = |(name, list): &(&'static str, Vec<Arc<dyn DeviceOps>>)| {
        (*name, list.iter().map(|ops| rank(name, ops.info().kind)).collect::<Vec<_>>())
    };
    let ranked: Vec<(&str, Vec<Rank>)> = found.iter().map(ranks).collect();
    let chosen = choose(&config.devices, &ranked);
    let device = |(kind, index): (usize, usize)| {
        let (driver, list) = found.get(kind)?;
        let ops = list.get(index)?.clone();
        let secondary = fallback_ops.as_ref().filter(|_| *driver != cpu::DRIVER.name());
        let ops = match secondary {
            Some(secondary) => Arc::new(PairedDevice::new(ops, secondary.clone())),
            None => ops,
        };
        Some(Device::new(driver, ops))
    };
    chosen.into_iter().filter_map(device).collect()
}

/// The fallback device, if PYROCLAST_FALLBACK names one: the listed device of that name, if there is one.
fn fallback_ops(
    config: &Config,
    found: &[(&'static str, Vec<Arc<dyn DeviceOps>>)],
) -> Option<Arc<dyn DeviceOps>> {
    let wanted = config.fallback.as_deref()?;
    if wanted != cpu::DRIVER.name() {
        tracing::warn!("PYROCLAST_FALLBACK: there is no device '{wanted}' to fall back to");
        return None;
    }
    let listed = found.iter().find(|(name, _)| *name == wanted).and_then(|(_, list)| list.first().cloned());
    let fallback_ops = listed.or_else(|| cpu::DRIVER.probe(config).into_iter().next());
    if fallback_ops.is_none() {
        tracing::warn!("PYROCLAST_FALLBACK: the CPU device cannot be used");
    }
    fallback_ops
}

fn kind_of(selector: &str) -> &str {
    selector.split_once(':').map_or(selector, |(kind, _)| kind)
}

/// Rank of a device in the default order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Hardware,
    Processor,
    Software,
}

fn rank(driver: &str, kind: DeviceKind) -> Rank {
    match kind {
        DeviceKind::Cpu if driver == cpu::DRIVER.name() => Rank::Processor,
        DeviceKind::Cpu => Rank::Software,
        DeviceKind::Gpu | DeviceKind::Accelerator => Rank::Hardware,
    }
}

/// Positions (kind, index) of the chosen devices: by rank, or as the selectors ("vulkan", "vulkan:1")
/// specify.
fn choose(selectors: &[String], found: &[(&str, Vec<Rank>)]) -> Vec<(usize, usize)> {
    let all = |kind: usize, count: usize| (0..count).map(move |index| (kind, index));
    if selectors.is_empty() {
        let mut list: Vec<_> =
            found.iter().enumerate().flat_map(|(kind, (_, ranks))| all(kind, ranks.len())).collect();
        let rank = |(kind, index): &(usize, usize)| found[*kind].1[*index];
        if list.iter().any(|d| rank(d) == Rank::Processor) {
            list.retain(|d| rank(d) != Rank::Software);
        }
        list.sort_by_key(rank);
        return list;
    }
    let mut chosen = Vec::new();
    for selector in selectors {
        let position = found.iter().position(|(name, _)| *name == kind_of(selector));
        let Some((kind, count)) = position.and_then(|kind| Some((kind, found.get(kind)?.1.len()))) else {
            tracing::warn!("PYROCLAST_DEVICES: there is no device '{selector}'");
            continue;
        };
        let mut add = |device| {
            if !chosen.contains(&device) {
                chosen.push(device);
            }
        };
        match selector.split_once(':').map(|(_, index)| index.parse::<usize>()) {
            None => all(kind, count).for_each(add),
            Some(Ok(index)) if index < count => add((kind, index)),
            Some(_) => tracing::warn!("PYROCLAST_DEVICES: there is no device '{selector}'"),
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(selectors: &str) -> Vec<(usize, usize)> {
        let list: Vec<String> = selectors.split(',').filter(|s| !s.is_empty()).map(str::to_string).collect();
        choose(
            &list,
            &[
                ("vulkan", vec![Rank::Software, Rank::Hardware, Rank::Hardware]),
                ("cpu", vec![Rank::Processor]),
            ],
        )
    }

    #[test]
    fn selectors_choose_and_order() {
        // Hardware in Vulkan's order, then the processor, which is not listed again as a Vulkan device...
        assert_eq!(pick(""), [(0, 1), (0, 2), (1, 0)]);
        // ...unless only Vulkan can use it.
        let without_cpu = [("vulkan", vec![Rank::Software, Rank::Hardware]), ("cpu", vec![])];
        assert_eq!(choose(&[], &without_cpu), [(0, 1), (0, 0)]);
        assert_eq!(pick("cpu,vulkan:1"), [(1, 0), (0, 1)]);
        assert_eq!(pick("vulkan:2,vulkan"), [(0, 2), (0, 0), (0, 1)]);
        assert_eq!(pick("vulkan:7,tpu,vulkan:x"), []);
    }
}
