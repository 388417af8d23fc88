//! Keys of pipelines: what they are specialised for.

use clspv_bridge::abi::{BindingSource, LaunchAbi};
use rspirv::spirv::ImageFormat;
use smallvec::SmallVec;

/// Bindings whose image format the module must declare, and the formats.
pub type Formats = SmallVec<[(u32, ImageFormat); 2]>;

/// Bindings of images whose specialisation constants are not zero, and the values
/// ([`SPEC_FIRST_IMAGE`](clspv_bridge::abi::SPEC_FIRST_IMAGE)).
pub type ImageConstants = SmallVec<[(u32, u32); 2]>;

/// Specialisation of a pipeline: local size, local-memory lengths in the order of the ABI's list, formats,
/// constants of images.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PipelineKey {
    pub local: [u32; 3],
    pub lengths: SmallVec<[u32; 4]>,
    pub formats: Formats,
    pub constants: ImageConstants,
}

impl PipelineKey {
    /// The key of a launch with images of the usual kind, if any ([`likely_constants`]).
    pub fn of_sizes(abi: &LaunchAbi, local: [u32; 3], lengths: SmallVec<[u32; 4]>) -> PipelineKey {
        PipelineKey { local, lengths, formats: Formats::new(), constants: likely_constants(abi) }
    }

    /// Whether the keys differ in their local sizes only, if at all.
    pub fn differs_in_size_only(&self, other: &PipelineKey) -> bool {
        (&self.lengths, &self.formats, &self.constants) == (&other.lengths, &other.formats, &other.constants)
    }

    /// Whether [`PipelineKey::of_sizes`] makes this key.
    pub fn is_of_sizes(&self, abi: &LaunchAbi) -> bool {
        self.formats.is_empty() && self.constants == likely_constants(abi)
    }
}

/// Constants of images that are stored in the usual order, and that texture units can read in every way.
fn likely_constants(abi: &LaunchAbi) -> ImageConstants {
    let constant = |(source, number): (&BindingSource, u32)| match source {
        BindingSource::Image(image) if image.abilities != 0 => Some((number, u32::from(image.abilities))),
        _ => None,
    };
    abi.bindings.iter().zip(0..).filter_map(constant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::vulkan::tests::scale_variant;
    use clspv_bridge::abi::{BlockStorage, ImageBinding, PointerMode};

    #[test]
    fn images_are_expected_to_be_filtered() {
        let image = |abilities| {
            let (arg, level) = (0, 0);
            let plain = ImageBinding {
                arg,
                storage: false,
                float: true,
                buffer: false,
                level,
                declared: false,
                abilities,
            };
            BindingSource::Image(plain)
        };
        let bindings = vec![image(0), image(1), BindingSource::Sampler(17)];
        let abi = LaunchAbi { bindings, ..scale_variant(PointerMode::Addresses, BlockStorage::Push).abi };
        let mut key = PipelineKey::of_sizes(&abi, [1; 3], SmallVec::new());
        assert_eq!(key.constants[..], [(1, 1)]);
        assert!(key.is_of_sizes(&abi));
        key.constants.clear();
        assert!(!key.is_of_sizes(&abi));
    }
}
