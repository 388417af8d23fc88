//! Creation of views, samplers and pipelines. Drivers upload descriptors of views and samplers and code of
//! pipelines when they are created, and views and code of their own when commands that copy images are
//! recorded. Some devices see uploads late ([`Adapter::has_late_uploads`]): before work that uses them is
//! submitted there, a submission that began after the upload must be complete (`submit::settling`).
//!
//! [`Adapter::has_late_uploads`]: super::adapter::Adapter::has_late_uploads

use super::conv::VkResultExt;
use super::gpu::Gpu;
use crate::device::traits::DeviceResult;
use ash::vk;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of uploads so far, of those known to be visible to the device, and of uploads of code.
#[derive(Default)]
pub struct Uploads {
    made: AtomicU64,
    visible: AtomicU64,
    code: AtomicU64,
}

impl Uploads {
    /// The number to pass to [`Uploads::set_visible`] once a submission that begins now is complete.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Acquire)
    }

    /// Whether all of the first `made` uploads are visible.
    pub fn are_visible(&self, made: u64) -> bool {
        self.visible.load(Ordering::Acquire) >= made
    }

    pub fn set_visible(&self, made: u64) {
        self.visible.fetch_max(made, Ordering::AcqRel);
    }

    /// Number of uploads of code so far, including all among those that [`Uploads::made`] returned before.
    pub fn code(&self) -> u64 {
        self.code.load(Ordering::Acquire)
    }

    /// Notes that a copy from or to an image is recorded, for which the driver may upload what it needs.
    pub fn note_image_copy(&self) {
        self.note(());
    }

    fn note<T>(&self, object: T) -> T {
        self.made.fetch_add(1, Ordering::AcqRel);
        object
    }

    fn note_code<T>(&self, object: T) -> T {
        self.code.fetch_add(1, Ordering::AcqRel);
        self.note(object)
    }
}

impl Gpu {
    /// Creates a view of an image.
    ///
    /// # Safety
    /// As for vkCreateImageView.
    pub unsafe fn image_view(&self, info: &vk::ImageViewCreateInfo<'_>) -> DeviceResult<vk::ImageView> {
        // SAFETY: the caller's promise.
        let view = unsafe { self.raw.create_image_view(info, None) }.during("vkCreateImageView")?;
        Ok(self.uploads.note(view))
    }

    /// Creates a sampler.
    pub fn new_sampler(&self, info: &vk::SamplerCreateInfo<'_>) -> DeviceResult<vk::Sampler> {
        // SAFETY: the device is alive.
        let sampler = unsafe { self.raw.create_sampler(info, None) }.during("vkCreateSampler")?;
        Ok(self.uploads.note(sampler))
    }

    /// Creates a view of a buffer.
    ///
    /// # Safety
    /// As for vkCreateBufferView.
    pub unsafe fn buffer_view(&self, info: &vk::BufferViewCreateInfo<'_>) -> DeviceResult<vk::BufferView> {
        // SAFETY: the caller's promise.
        let view = unsafe { self.raw.create_buffer_view(info, None) }.during("vkCreateBufferView")?;
        Ok(self.uploads.note(view))
    }

    /// Creates a pipeline.
    ///
    /// # Safety
    /// As for vkCreateComputePipelines.
    pub unsafe fn pipeline(
        &self,
        cache: vk::PipelineCache,
        info: vk::ComputePipelineCreateInfo<'_>,
    ) -> DeviceResult<vk::Pipeline> {
        // SAFETY: the caller's promise.
        let list = unsafe { self.raw.create_compute_pipelines(cache, &[info], None) };
        let list = list.map_err(|(_, e)| e).during("vkCreateComputePipelines")?;
        Ok(self.uploads.note_code(list[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_visible_in_the_order_of_their_creation() {
        let uploads = Uploads::default();
        assert!(uploads.are_visible(uploads.made()));
        uploads.note(());
        let first = uploads.made();
        uploads.note(());
        uploads.set_visible(first);
        assert!(uploads.are_visible(first) && !uploads.are_visible(uploads.made()));
        uploads.set_visible(uploads.made());
        uploads.set_visible(first);
        assert!(uploads.are_visible(uploads.made()) && uploads.code() == 0);
        uploads.note_code(());
        assert!(!uploads.are_visible(uploads.made()) && uploads.code() == 1);
    }
}
