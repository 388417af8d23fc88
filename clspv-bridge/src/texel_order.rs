//! Conversions between the texels of a storage image in memory and those that kernels see: another order of
//! the components, or the sRGB transfer function. Views of storage images support neither.
//!
//! The compiler does not know the formats of a kernel's images. Each storage image has a specialisation
//! constant ([`crate::abi::SPEC_FIRST_IMAGE`]) whose value is [`TexelOrder::word`]. Its default, 0, means no
//! conversion, and then the driver's code converts nothing.

/// Bits of the word: two for each channel of memory, three for each component of a read, then the sRGB flag.
pub(crate) const STORED_BITS: u32 = 2;
pub(crate) const READ_BITS: u32 = 3;
pub(crate) const FIRST_READ: u32 = 4 * STORED_BITS;
pub(crate) const CURVE: u32 = FIRST_READ + 4 * READ_BITS;

/// Source of a component of a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A channel of memory, 0 to 3.
    Channel(u8),
    Zero,
    One,
}

/// The conversion between memory and kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TexelOrder {
    /// The component that each channel of memory holds.
    pub stored: [u8; 4],
    /// The source of each component of a read.
    pub read: [Source; 4],
    /// Whether red, green and blue are stored in sRGB encoding.
    pub srgb: bool,
}

impl TexelOrder {
    /// The value of the specialisation constant.
    pub fn word(&self) -> u32 {
        let mut word = u32::from(self.srgb) << CURVE;
        for ((component, read), i) in self.stored.iter().zip(self.read).zip(0u32..) {
            word |= from_own(*component, i) << (STORED_BITS * i);
            let source = match read {
                Source::Channel(channel) => from_own(channel, i),
                Source::Zero => 4,
                Source::One => 5,
            };
            word |= source << (FIRST_READ + READ_BITS * i);
        }
        word
    }
}

/// Distance of an index from `own`, modulo 4, in the form of the word.
fn from_own(index: u8, own: u32) -> u32 {
    (u32::from(index) + 4 - own) & 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_as_they_are_are_zero() {
        let read = [0, 1, 2, 3].map(Source::Channel);
        assert_eq!(TexelOrder { stored: [0, 1, 2, 3], read, srgb: false }.word(), 0);
        assert_ne!(TexelOrder { stored: [0, 1, 2, 3], read, srgb: true }.word(), 0);
        assert_ne!(TexelOrder { stored: [2, 1, 0, 3], read, srgb: false }.word(), 0);
    }
}
