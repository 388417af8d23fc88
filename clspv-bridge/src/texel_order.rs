//! How the texels of a storage image lie in memory, where that is not how kernels see them: in another order, or along the
//! curve of sRGB. Views of storage images can do neither.
//!
//! The compiler does not know the formats of a kernel's images. Each storage image has a specialisation constant
//! ([`crate::abi::SPEC_FIRST_IMAGE`]) whose value is [`TexelOrder::word`]; its default, 0, stands for texels as they are, so that
//! what the driver compiles for those converts nothing.

/// Bits of the word: two for each channel of memory, then three for each component of a read, then the curve.
pub(crate) const STORED_BITS: u32 = 2;
pub(crate) const READ_BITS: u32 = 3;
pub(crate) const FIRST_READ: u32 = 4 * STORED_BITS;
pub(crate) const CURVE: u32 = FIRST_READ + 4 * READ_BITS;

/// What a component of a read is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A channel of memory, 0 to 3.
    Channel(u8),
    Zero,
    One,
}

/// How texels are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TexelOrder {
    /// The component that each channel of memory holds.
    pub stored: [u8; 4],
    /// What a read makes of the channels.
    pub read: [Source; 4],
    /// Red, green and blue are stored along the curve of sRGB.
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

/// How far an index is behind one of four that would be its own.
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
