//! Entries of the disk cache about pipelines, under the hash of their code and everything that identifies
//! driver and device: the driver's compilation results, and the sizes of the pipelines of a variant that were
//! used.

use super::pipeline_key::PipelineKey;
use crate::device::traits::DeviceResult;
use crate::device::vulkan::core::conv::VkResultExt;
use crate::device::vulkan::core::gpu::Gpu;
use crate::store::{EntryContent, Key as EntryKey, Store};
use ash::vk;
use clspv_bridge::abi::{KernelVariant, LaunchAbi};
use smallvec::SmallVec;
use std::time::{Duration, Instant};

/// Compilations that take less time are not kept.
pub const WORTH_KEEPING: Duration = Duration::from_millis(2);
/// Format version of the entries on disk.
const VERSION: u32 = 1;
/// Most pipelines whose sizes are kept.
const MOST_SIZES: usize = 8;

/// Kinds of entries of a variant.
const COMPILATIONS: &[u8] = b"vulkan pipelines";
const SIZES: &[u8] = b"vulkan pipeline sizes";

fn entry_key(gpu: &Gpu, code: &[u32], kind: &[u8]) -> EntryKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind);
    gpu.adapter.identify(&mut hasher);
    hasher.update(bytemuck::cast_slice(code));
    hasher.finalize()
}

/// A pipeline cache with the driver's compilation results for the code, as far as they are kept. A driver
/// should refuse foreign data, but is not trusted to.
pub fn read_compilations(gpu: &Gpu, store: &Store, code: &[u32]) -> DeviceResult<vk::PipelineCache> {
    let all = |content: &EntryContent| Some(content.bytes.clone());
    let kept = store.read(entry_key(gpu, code, COMPILATIONS), VERSION, all);
    let kept = kept.filter(|data| is_for(gpu, data)).unwrap_or_default();
    let info = vk::PipelineCacheCreateInfo::default().initial_data(&kept);
    // SAFETY: the data was returned by this driver and device and is intact, or is empty.
    unsafe { gpu.raw.create_pipeline_cache(&info, None) }.during("vkCreatePipelineCache")
}

/// Creates a pipeline of the code. Stores the driver's compilation results, in its `cache` then, if they were
/// not there before.
pub fn keeping(
    gpu: &Gpu,
    store: &Store,
    code: &[u32],
    cache: vk::PipelineCache,
    create: impl FnOnce() -> DeviceResult<vk::Pipeline>,
) -> DeviceResult<vk::Pipeline> {
    let start = Instant::now();
    let pipeline = create()?;
    if start.elapsed() >= WORTH_KEEPING {
        write_compilations(gpu, store, code, cache);
    }
    Ok(pipeline)
}

/// The words of an internal shader's code.
pub fn words(code: &[u8]) -> Vec<u32> {
    code.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Stores the driver's compilation results for the code.
pub fn write_compilations(gpu: &Gpu, store: &Store, code: &[u32], cache: vk::PipelineCache) {
    // SAFETY: the cache is alive.
    match unsafe { gpu.raw.get_pipeline_cache_data(cache) } {
        Ok(data) => store.write(entry_key(gpu, code, COMPILATIONS), VERSION, &data),
        Err(e) => tracing::debug!("vkGetPipelineCacheData: {e:?}"),
    }
}

/// The pipelines that earlier processes used, at most [`MOST_SIZES`].
pub fn read_sizes(gpu: &Gpu, store: &Store, variant: &KernelVariant) -> Vec<PipelineKey> {
    let keys = |content: &EntryContent| keys_of(&content.bytes, &variant.abi);
    store.read(entry_key(gpu, &variant.spirv, SIZES), VERSION, keys).unwrap_or_default()
}

/// Stores the sizes of pipelines in use, of which those are kept that [`PipelineKey::of_sizes`] makes.
pub fn write_sizes<'a>(
    gpu: &Gpu,
    store: &Store,
    variant: &KernelVariant,
    used: impl Iterator<Item = &'a PipelineKey>,
) {
    let kept = used.filter(|key| key.is_of_sizes(&variant.abi)).take(MOST_SIZES);
    store.write(entry_key(gpu, &variant.spirv, SIZES), VERSION, &words_of(kept));
}

/// Pipelines' local sizes and local-memory lengths, as words.
fn words_of<'a>(keys: impl Iterator<Item = &'a PipelineKey>) -> Vec<u8> {
    keys.flat_map(|key| key.local.iter().chain(&key.lengths)).flat_map(|word| word.to_le_bytes()).collect()
}

/// Reads what [`words_of`] has written.
fn keys_of(bytes: &[u8], abi: &LaunchAbi) -> Option<Vec<PipelineKey>> {
    let (words, rest) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let keys = words.chunks_exact(3 + abi.local_specs.len());
    if !rest.is_empty() || !keys.remainder().is_empty() {
        return None;
    }
    let key = |k: &[u32]| PipelineKey::of_sizes(abi, [k[0], k[1], k[2]], SmallVec::from_slice(&k[3..]));
    Some(keys.map(key).take(MOST_SIZES).collect())
}

/// Whether pipeline-cache data begins with the header of this driver and device.
fn is_for(gpu: &Gpu, data: &[u8]) -> bool {
    let word = |at: usize| data.get(at..at + 4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
    let props = &gpu.adapter.props;
    word(0).is_some_and(|size| size >= 32 && size as usize <= data.len())
        && word(4) == Some(vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32)
        && word(8) == Some(props.vendor_id)
        && word(12) == Some(props.device_id)
        && data.get(16..32) == Some(&props.pipeline_cache_uuid[..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::vulkan::tests::scale_variant;
    use clspv_bridge::abi::{BlockStorage, LocalSpec, PointerMode};

    #[test]
    fn sizes_are_read_as_written() {
        let one = scale_variant(PointerMode::Addresses, BlockStorage::Push).abi;
        let spec = |id| (id, LocalSpec::Arg { arg: 0, elem_bytes: 4 });
        let abi = LaunchAbi { local_specs: vec![spec(3), spec(4)], ..one.clone() };
        let keys = [
            PipelineKey::of_sizes(&abi, [8, 2, 1], SmallVec::from_slice(&[5, 6])),
            PipelineKey::of_sizes(&abi, [64, 1, 1], SmallVec::from_slice(&[7, 8])),
        ];
        let bytes = words_of(keys.iter());
        assert_eq!(keys_of(&bytes, &abi), Some(keys.to_vec()));
        assert_eq!(keys_of(&bytes, &one), None);
        assert_eq!(keys_of(&bytes[..39], &abi), None);
        assert_eq!(keys_of(&[], &abi), Some(Vec::new()));
    }
}
