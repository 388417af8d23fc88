//! Memory as regions, and the encoding of values in it.

use super::{InterpError, Lanes, Result, err};
use crate::ir::types::Type;
use smallvec::smallvec;

/// Bits of an address that are the offset in a region.
const OFFSET_BITS: u32 = 40;
/// Bytes that all regions together may have.
const MAX_BYTES: usize = 1 << 28;

#[derive(Default)]
pub(super) struct Memory {
    regions: Vec<Option<Vec<u8>>>,
    used: usize,
}

/// The address `bytes` after `base`.
pub(super) fn offset(base: u64, bytes: u64) -> u64 {
    base.wrapping_add(bytes)
}

impl Memory {
    pub(super) fn allocate(&mut self, bytes: usize) -> Result<u64> {
        if bytes > MAX_BYTES - self.used.min(MAX_BYTES) {
            return err("out of memory");
        }
        self.used += bytes;
        self.regions.push(Some(vec![0; bytes]));
        Ok((self.regions.len() as u64) << OFFSET_BITS)
    }

    /// Ends a region's life; later accesses are errors.
    pub(super) fn free(&mut self, address: u64) {
        let index = (address >> OFFSET_BITS) as usize;
        if let Some(region) = index.checked_sub(1).and_then(|i| self.regions.get_mut(i)) {
            self.used -= region.take().map_or(0, |r| r.len());
        }
    }

    fn locate(&self, address: u64, bytes: usize) -> Result<(usize, usize)> {
        let outside = || InterpError(format!("access of {bytes} bytes outside of memory at {address:#x}"));
        let index = ((address >> OFFSET_BITS) as usize).checked_sub(1).ok_or_else(outside)?;
        let start = (address & ((1 << OFFSET_BITS) - 1)) as usize;
        let region = self.regions.get(index).and_then(|r| r.as_ref()).ok_or_else(outside)?;
        if start.checked_add(bytes).is_none_or(|end| end > region.len()) {
            return Err(outside());
        }
        Ok((index, start))
    }

    pub(super) fn read(&self, address: u64, bytes: usize) -> Result<&[u8]> {
        if bytes == 0 {
            return Ok(&[]);
        }
        let (index, start) = self.locate(address, bytes)?;
        Ok(self.regions[index].as_ref().map_or(&[], |r| &r[start..start + bytes]))
    }

    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (index, start) = self.locate(address, bytes.len())?;
        if let Some(r) = &mut self.regions[index] {
            r[start..start + bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    pub(super) fn fill(&mut self, address: u64, byte: u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (index, start) = self.locate(address, bytes)?;
        if let Some(r) = &mut self.regions[index] {
            r[start..start + bytes].fill(byte);
        }
        Ok(())
    }

    pub(super) fn load(&self, address: u64, ty: Type) -> Result<Lanes> {
        let Some(bytes) = ty.access_bytes() else { return err(format!("{ty} is never in memory")) };
        Ok(decode(ty, self.read(address, bytes as usize)?))
    }

    pub(super) fn store(&mut self, address: u64, ty: Type, value: &[u64]) -> Result<()> {
        self.write(address, &encode(ty, value))
    }
}

fn lane_bytes(ty: Type) -> usize {
    ty.scalar().map_or(8, |s| s.bytes() as usize)
}

/// The lanes of a value in memory.
pub(super) fn decode(ty: Type, bytes: &[u8]) -> Lanes {
    let mut lanes: Lanes = smallvec![];
    for chunk in bytes.chunks(lane_bytes(ty)) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        lanes.push(u64::from_le_bytes(word));
    }
    lanes
}

/// A value's bytes in memory.
pub(super) fn encode(ty: Type, lanes: &[u64]) -> Vec<u8> {
    lanes.iter().flat_map(|l| l.to_le_bytes().into_iter().take(lane_bytes(ty))).collect()
}
