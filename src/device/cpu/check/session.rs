//! Sanitizer session of one launch: the functions that instrumented code calls.
//!
//! A session belongs to the thread that runs the launch. The functions called by generated code cannot panic.

use super::memory::{AllocationKind, Range};
use super::race::{CheckedAccess, Item, Races, Space};
use super::report::{Fault, Finding, NULL};
use super::{Checker, Checks, pattern};
use clspv_bridge::native::{VariableLocations, check};
use std::collections::HashMap;
use std::ffi::c_void;

/// Maximum number of sites per launch; more are not reported.
const MAX_SITES: usize = 1000;
/// Maximum distance from a range at which an access counts as outside of that range.
const NEAR: u64 = 64 << 10;
/// Maximum bytes of an access.
const LARGEST: usize = 128;

/// A named range of memory that a launch may access.
struct Region {
    range: Range,
    name: String,
    space: Space,
}

/// The properties of a launch that its session needs.
pub struct LaunchShape<'a> {
    pub variables: &'a VariableLocations,
    pub width: u32,
    pub linear: bool,
    pub has_barriers: bool,
    /// Local memory is zero-initialised when a group starts.
    pub zero_local: bool,
    /// Bytes of a frame in scratch memory.
    pub frame_bytes: u64,
    pub offset: [u64; 3],
    pub enqueued_local: [u64; 3],
    /// Global memory of arguments: name, start, size.
    pub args: Vec<(String, u64, u64)>,
    /// Local arguments: name, offset in local memory, size.
    pub local_args: Vec<(String, u64, u64)>,
    /// Other accessible memory: images, and memory shared by the runtime and the code.
    pub others: Vec<Range>,
    /// Address of the program's data block.
    pub data: u64,
}

/// The checks of one launch.
pub struct Session<'a> {
    checks: Checks,
    shape: LaunchShape<'a>,
    /// Sorted by start.
    regions: Vec<Region>,
    /// Index of the region found last.
    last: usize,
    /// Local and scratch memory of the group.
    local: Range,
    scratch: Range,
    local_regions: Vec<Region>,
    group_id: [u64; 3],
    local_size: [u64; 3],
    races: Races,
    /// Number of groups that ran, and their ids.
    groups: u32,
    group_ids: Vec<[u64; 3]>,
    found: HashMap<(Fault, u32, u32), Finding>,
    /// Target of accesses that are not allowed.
    sink: Box<[u64; LARGEST / 8]>,
}

impl<'a> Session<'a> {
    pub fn new(checker: &Checker, shape: LaunchShape<'a>) -> Session<'a> {
        let checks = checker.checks;
        let mut regions: Vec<Region> = Vec::new();
        let mut add = |range: Range, name: String| regions.push(Region { range, name, space: Space::Global });
        for range in checker.memory.lock().ranges().into_iter().chain(shape.others.iter().copied()) {
            let arg = shape
                .args
                .iter()
                .find(|(_, start, size)| *start >= range.start && start.saturating_add(*size) <= range.end);
            let name = match (arg, range.kind) {
                (Some((name, ..)), _) => name.clone(),
                (None, AllocationKind::Shared { .. }) => "shared virtual memory".into(),
                (None, AllocationKind::Image) => "an image".into(),
                (None, _) => "a buffer".into(),
            };
            add(range, name);
        }
        for p in &shape.variables.program {
            let start = shape.data + u64::from(p.offset);
            let range =
                Range { start, end: start + u64::from(p.size), kind: AllocationKind::Buffer { new: false } };
            add(range, format!("variable '{}'", p.name));
        }
        regions.sort_by_key(|r| r.range.start);
        let none = Range { start: 0, end: 0, kind: AllocationKind::Internal };
        Session {
            checks,
            shape,
            regions,
            last: 0,
            local: none,
            scratch: none,
            local_regions: Vec::new(),
            group_id: [0; 3],
            local_size: [0; 3],
            races: Races::default(),
            groups: 0,
            group_ids: Vec::new(),
            found: HashMap::new(),
            sink: Box::new([0; LARGEST / 8]),
        }
    }

    /// Starts a group: `id` is its group id, `local` and `scratch` are its memory.
    ///
    /// # Safety
    /// Local and scratch memory are valid, and nothing else uses them.
    pub unsafe fn start(&mut self, id: [u64; 3], size: [u64; 3], local: (u64, u64), scratch: (u64, u64)) {
        self.groups = self.groups.saturating_add(1);
        if self.checks.race {
            self.group_ids.push(id);
        }
        (self.group_id, self.local_size) = (id, size);
        self.races.start(self.groups - 1);
        let range =
            |(start, size): (u64, u64)| Range { start, end: start + size, kind: AllocationKind::Internal };
        if self.local.start != local.0 || self.local_regions.is_empty() {
            (self.local, self.scratch) = (range(local), range(scratch));
            let local_region = |name: String, offset: u64, size: u64| {
                let start = local.0 + offset;
                let range = Range {
                    start,
                    end: start + size,
                    kind: AllocationKind::Buffer { new: !self.shape.zero_local },
                };
                Region { range, name, space: Space::Local }
            };
            let own = self.shape.variables.local.iter();
            let own = own.map(|p| {
                local_region(format!("local variable '{}'", p.name), p.offset.into(), p.size.into())
            });
            let args = self
                .shape
                .local_args
                .iter()
                .map(|(name, offset, size)| local_region(name.clone(), *offset, *size));
            self.local_regions = own.chain(args).collect();
        }
        (self.local, self.scratch) = (range(local), range(scratch));
        if self.checks.uninit {
            for r in self.local_regions.iter().filter(|_| !self.shape.zero_local) {
                // SAFETY: the region is in local memory.
                unsafe { fill(r.range.start, r.range.end - r.range.start) };
            }
            if self.shape.has_barriers {
                let frames = scratch.1.checked_div(self.shape.frame_bytes).unwrap_or(0);
                for n in 0..frames {
                    // SAFETY: the frame is in scratch memory.
                    unsafe { self.start_frame(scratch.0 + n * self.shape.frame_bytes, 0..u32::MAX) };
                }
            }
        }
    }

    /// Makes the private variables of a vector in a part of its frame uninitialised.
    ///
    /// # Safety
    /// A frame is at the address.
    unsafe fn start_frame(&self, record: u64, part: std::ops::Range<u32>) {
        let all = &self.shape.variables.private;
        let before = all.partition_point(|p| p.offset < part.start);
        for p in all.iter().skip(before).take_while(|p| p.offset < part.end) {
            for lane in 0..self.shape.width {
                let at = record + u64::from(p.offset) + u64::from(p.stride) * u64::from(lane);
                // SAFETY: the variable's copies are in the frame.
                unsafe { fill(at, p.size.into()) };
            }
        }
    }

    /// The findings, by line.
    pub fn findings(self) -> Vec<Finding> {
        let mut all: Vec<Finding> = self.found.into_values().collect();
        all.sort_by_key(|f| (f.line, f.fault, f.other_line));
        all
    }

    /// Local id of a lane.
    fn local_id(&self, position: &[u64; 4], lane: u32) -> [u64; 3] {
        let x = position[check::VECTOR].wrapping_mul(self.shape.width.into()).wrapping_add(lane.into());
        if !self.shape.linear {
            return [x, position[check::Y], position[check::Z]];
        }
        let [w, h, _] = self.local_size.map(|n| n.max(1));
        [x % w, x / w % h, x / w / h]
    }

    fn item(&self, position: &[u64; 4], lane: u32) -> Item {
        let ([x, y, z], [w, h, _]) = (self.local_id(position, lane), self.local_size);
        let item = x.wrapping_add(w.wrapping_mul(y.wrapping_add(h.wrapping_mul(z)))) as u16;
        let sub_group = if self.shape.linear { position[check::VECTOR] as u16 } else { item };
        Item { group: self.groups.saturating_sub(1), item, sub_group }
    }

    fn global_id(&self, group: [u64; 3], local: [u64; 3]) -> [u64; 3] {
        let s = &self.shape;
        let of = |d: usize| {
            s.offset[d].wrapping_add(group[d].wrapping_mul(s.enqueued_local[d])).wrapping_add(local[d])
        };
        [of(0), of(1), of(2)]
    }

    /// The region that contains an access. `own` is the lane whose private memory is accessible.
    fn region(&mut self, address: u64, size: u64, position: &[u64; 4], own: u32) -> Option<Target> {
        let found = |r: &Region| Target { range: r.range, space: r.space, private: false };
        if let Some(r) = self.regions.get(self.last).filter(|r| r.range.holds(address, size)) {
            return Some(found(r));
        }
        if address >= self.scratch.start && address < self.scratch.end {
            let offset = address.checked_sub(position[check::FRAME])?;
            let places = &self.shape.variables.private;
            let p = places.get(places.partition_point(|p| u64::from(p.offset) <= offset).checked_sub(1)?)?;
            let start = u64::from(p.offset) + u64::from(p.stride) * u64::from(own);
            let range = Range {
                start: position[check::FRAME] + start,
                end: position[check::FRAME] + start + u64::from(p.size),
                kind: AllocationKind::Buffer { new: true },
            };
            return range.holds(address, size).then_some(Target {
                range,
                space: Space::Local,
                private: true,
            });
        }
        if address >= self.local.start && address < self.local.end {
            return self.local_regions.iter().find(|r| r.range.holds(address, size)).map(found);
        }
        let next = self.regions.partition_point(|r| r.range.start <= address);
        // Views may be in several regions.
        let number =
            (next.saturating_sub(16)..next).rev().find(|n| self.regions[*n].range.holds(address, size))?;
        self.last = number;
        self.regions.get(number).map(found)
    }

    /// Name and size of the memory that an access concerns, and its offset there.
    fn describe(&self, address: u64, position: &[u64; 4], lane: u32) -> (String, u64, i64) {
        let of = |r: &Region| {
            (r.name.clone(), r.range.end - r.range.start, address.wrapping_sub(r.range.start) as i64)
        };
        if address < 4096 {
            return (NULL.into(), 0, address as i64);
        }
        let distance = |r: &Region| match r.range {
            Range { start, .. } if address < start => start - address,
            // An access that begins at the end of a range belongs to the range that begins there, if there is
            // one.
            Range { end, .. } if address >= end => address - end + 1,
            _ => 0,
        };
        let shown = self
            .regions
            .iter()
            .filter(|r| r.range.kind != AllocationKind::Internal)
            .chain(&self.local_regions);
        let nearest = shown.min_by_key(|r| distance(r)).filter(|r| distance(r) < NEAR);
        let behind = address.saturating_sub(self.scratch.end);
        if address >= self.scratch.start && behind < nearest.map_or(NEAR, distance).max(1) {
            let offset = address.wrapping_sub(position[check::FRAME]);
            let places = &self.shape.variables.private;
            let p = places.get(places.partition_point(|p| u64::from(p.offset) <= offset).wrapping_sub(1));
            return match p {
                Some(p) => {
                    let start = u64::from(p.offset) + u64::from(p.stride) * u64::from(lane);
                    ("a private variable".into(), p.size.into(), offset.wrapping_sub(start) as i64)
                }
                None => ("private memory of another work-item".into(), 0, 0),
            };
        }
        nearest.map_or((String::new(), 0, address as i64), of)
    }

    fn find(&mut self, fault: Fault, at: &At<'_>, other: Option<(u32, Item)>) {
        let other_line = other.map_or(0, |(line, _)| line);
        if let Some(f) = self.found.get_mut(&(fault, at.line, other_line)) {
            f.count += 1;
            return;
        }
        if self.found.len() >= MAX_SITES {
            return;
        }
        let (memory, size, offset) = self.describe(at.address, at.position, at.lane);
        let local_id = self.local_id(at.position, at.lane);
        let other = other.and_then(|(_, item)| {
            let group = *self.group_ids.get(item.group as usize)?;
            let [w, h, _] = self.shape.enqueued_local.map(|n| n.max(1));
            let item = u64::from(item.item);
            // Groups at the end of a dimension are smaller.
            let is_full = group == self.group_id || self.local_size == self.shape.enqueued_local;
            let [w, h] = if group == self.group_id {
                [self.local_size[0].max(1), self.local_size[1].max(1)]
            } else {
                [w, h]
            };
            is_full.then(|| self.global_id(group, [item % w, item / w % h, item / w / h]))
        });
        let finding = Finding {
            fault,
            line: at.line,
            other_line,
            bytes: at.size,
            global_id: self.global_id(self.group_id, local_id),
            local_id,
            group_id: self.group_id,
            other,
            memory,
            size,
            offset,
            count: 1,
        };
        self.found.insert((fault, at.line, other_line), finding);
    }

    /// Checks an access of one lane; false if it must not be executed.
    ///
    /// # Safety
    /// As for [`access`]; `value` is the stored value of a plain store.
    unsafe fn check_access(&mut self, what: u64, at: &At<'_>, value: Option<&[u8]>) -> bool {
        let (store, atomic) = (what & check::STORE != 0, what & check::ATOMIC != 0);
        let reads = !store || what & check::BOTH != 0;
        let Some(target) = self.region(at.address, at.size, at.position, at.lane) else {
            if self.checks.memory {
                self.find(Fault::OutOfBounds { write: store }, at, None);
            }
            return false;
        };
        let range = target.range;
        if range.kind == AllocationKind::Internal {
            return true;
        }
        let is_new =
            matches!(range.kind, AllocationKind::Buffer { new: true } | AllocationKind::Shared { new: true });
        if self.checks.uninit && reads && is_new {
            let wanted = what >> check::DEMANDED;
            // SAFETY: the bytes are in the region.
            if unsafe { is_uninitialised(&range, at, wanted) } {
                self.find(Fault::Uninitialised, at, None);
            }
        }
        if self.checks.race && !target.private {
            let by = self.item(at.position, at.lane);
            if atomic {
                self.races.atomic(
                    by,
                    at.address,
                    what & check::ACQUIRE != 0,
                    what & check::RELEASE != 0,
                    store,
                );
            }
            // SAFETY: the bytes are in the region.
            let same = value.is_some_and(|v| unsafe { holds(at, v) });
            let a = CheckedAccess {
                by,
                line: at.line,
                space: target.space,
                address: at.address,
                size: at.size,
                reads,
                writes: store,
                atomic: atomic || what & check::VOLATILE != 0,
                same,
            };
            if let Some((other, other_write)) = self.races.access(&a) {
                self.find(Fault::Race { write: store, other_write }, at, Some((other.line, other.by)));
            }
        }
        true
    }
}

/// The memory that an access concerns.
struct Target {
    range: Range,
    space: Space,
    private: bool,
}

/// An access of one lane.
struct At<'a> {
    address: u64,
    size: u64,
    /// Bytes of a component.
    unit: u64,
    line: u32,
    lane: u32,
    position: &'a [u64; 4],
}

/// Fills memory with the pattern of uninitialised memory.
///
/// # Safety
/// The range is valid and nothing else uses it.
unsafe fn fill(start: u64, size: u64) {
    // SAFETY: by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, size as usize) };
    pattern::fill(bytes, 0);
}

/// The bytes of an access.
///
/// # Safety
/// The range is valid while the result lives.
unsafe fn bytes_at<'a>(address: u64, size: u64) -> &'a [u8] {
    // SAFETY: by this function's contract.
    unsafe { std::slice::from_raw_parts(address as *const u8, size as usize) }
}

/// Whether relevant components are uninitialised.
///
/// # Safety
/// The access is in the range, which is valid.
unsafe fn is_uninitialised(range: &Range, at: &At<'_>, wanted: u64) -> bool {
    let components = at.size / at.unit.max(1);
    (0..components).filter(|c| wanted >> c & 1 == 1).any(|c| {
        let (start, unit) = (at.address + c * at.unit, at.unit);
        let offset = start - range.start;
        // Accesses smaller than a word are checked together with the bytes around them.
        let (start, offset, size) =
            if unit >= 4 { (start, offset, unit) } else { (start - offset % 4, offset & !3, 4) };
        // SAFETY: by this function's contract.
        offset + size <= range.end - range.start && pattern::is_in(unsafe { bytes_at(start, size) }, offset)
    })
}

/// Whether memory contains the value already.
///
/// # Safety
/// The access is to valid memory.
unsafe fn holds(at: &At<'_>, value: &[u8]) -> bool {
    // SAFETY: by this function's contract.
    let now = unsafe { bytes_at(at.address, at.size) };
    now == value
}

/// Accesses of a vector's lanes: `clspv_bridge::native::check`.
///
/// # Safety
/// Called by instrumented code in a launch of this session, as the contract requires.
pub unsafe extern "C" fn access(
    state: *mut c_void,
    addresses: *mut u64,
    data: *mut u8,
    mask: u64,
    what: u64,
    line: u32,
    position: *const [u64; 4],
) {
    // SAFETY: the launch passes its session to the code that it runs.
    let session = unsafe { &mut *state.cast::<Session<'_>>() };
    // SAFETY: by the contract.
    let position = unsafe { &*position };
    let width = session.shape.width as usize;
    // SAFETY: one for each lane; only the first may be initialised.
    let addresses = unsafe { std::slice::from_raw_parts_mut(addresses, width) };
    let uniform = what & check::UNIFORM != 0;
    let unit = what >> check::BYTES & 0xff;
    let components = what >> check::COMPONENTS & 0xff;
    let size = unit * components;
    if size as usize > LARGEST || unit == 0 {
        return;
    }
    let plain = what & check::ATOMIC == 0;
    let lanes = if uniform { 1 } else { width };
    // SAFETY: the code reserved this size for the data.
    let data = unsafe { std::slice::from_raw_parts_mut(data, lanes * size as usize) };
    let (unit, components) = (unit as usize, components as usize);
    let mut buffer = [0u8; LARGEST];
    let value = &mut buffer[..size as usize];
    let mut first = None;
    for lane in (0..width).filter(|lane| mask >> lane & 1 == 1) {
        let slot = if uniform { 0 } else { lane };
        let Some(address) = addresses.get(slot).copied() else { return };
        let store = what & check::STORE != 0;
        if plain && store {
            for (part, c) in value.chunks_exact_mut(unit).zip(0..components) {
                part.copy_from_slice(data.chunks_exact(unit).nth(c * lanes + slot).unwrap_or_default());
            }
        }
        let at = At { address, size, unit: unit as u64, line, lane: lane as u32, position };
        // SAFETY: the contract of this function, whose values are those of the access.
        let allowed = unsafe { session.check_access(what, &at, (plain && store).then_some(&*value)) };
        // All lanes of a uniform access are checked, and it is executed once.
        let again = uniform && *first.get_or_insert(lane) != lane;
        match (plain, allowed) {
            _ if again => {}
            (false, true) => {}
            (false, false) => {
                *session.sink = [0; LARGEST / 8];
                if let Some(a) = addresses.get_mut(slot) {
                    *a = session.sink.as_mut_ptr() as u64;
                }
            }
            (true, _) if store => {
                if allowed {
                    // SAFETY: the range is in memory that the launch may access.
                    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), address as *mut u8, value.len()) };
                }
            }
            (true, _) => {
                value.fill(0);
                if allowed {
                    // SAFETY: as above.
                    unsafe {
                        std::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), value.len())
                    };
                }
                for (part, c) in value.chunks_exact(unit).zip(0..components) {
                    if let Some(to) = data.chunks_exact_mut(unit).nth(c * lanes + slot) {
                        to.copy_from_slice(part);
                    }
                }
            }
        }
    }
}

/// Barriers, atomics and fences: `clspv_bridge::native::check`.
///
/// # Safety
/// As for [`access`].
pub unsafe extern "C" fn order(state: *mut c_void, what: u64, mask: u64, position: *const [u64; 4]) {
    // SAFETY: as in `access`.
    let session = unsafe { &mut *state.cast::<Session<'_>>() };
    // SAFETY: by the contract.
    let position = unsafe { &*position };
    let (local, global) = (what & check::LOCAL != 0, what & check::GLOBAL != 0);
    if what & check::GROUP_BARRIER != 0 {
        session.races.barrier(local, global);
    } else if what & check::VECTOR_BARRIER != 0 {
        session.races.sub_group_barrier(position[check::VECTOR] as u16, local, global);
    } else if what & check::FENCE != 0 {
        for lane in (0..session.shape.width).filter(|lane| mask >> lane & 1 == 1) {
            let by = session.item(position, lane);
            session.races.fence(by, what & check::ACQUIRE != 0, what & check::RELEASE != 0);
        }
    } else if session.checks.uninit {
        // SAFETY: the code passes its frame.
        unsafe { session.start_frame(position[check::FRAME], mask as u32..(mask >> 32) as u32) };
    }
}
