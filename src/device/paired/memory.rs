//! Memory of a paired device: a buffer or an image with copies on the two devices ([`Copies`]), or a view of
//! one. An image that the primary device cannot have is only on the secondary one. Where the host sees the
//! primary device's memory, the secondary device uses it in place.
//!
//! Locks: that of the copies or of the views (rank PairedMemory), one at a time.

use super::pair::{Pair, Side};
use crate::device::batch::{Access, RectLayout};
use crate::device::copies::{Backings, Content, Copies, Sharing};
use crate::device::newest::Holders;
use crate::device::traits::{DeviceError, DeviceMemory, DeviceResult, ImageDesc};
use crate::host_ptr::HostPtr;
use crate::sync::{Mutex, Rank};
use clspv_bridge::metadata::AccessQualifier;
use smallvec::smallvec;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// A buffer or an image of a paired device.
pub struct PairedMemory {
    pair: Arc<Pair>,
    size: u64,
    /// Description of an image.
    image: Option<ImageDesc>,
    /// Kernels only read it.
    read_only: bool,
    storage: Storage,
    /// The memory on the device that it was created on.
    first: Arc<dyn DeviceMemory>,
    first_side: Side,
    /// Whether the two devices use the same bytes.
    sharing: Sharing,
    /// Whether other processes or interfaces see the primary device's memory.
    external: bool,
    /// See [`DeviceMemory::in_buffer`].
    texels: Option<(Arc<dyn DeviceMemory>, RectLayout)>,
}

/// Origin of the bytes.
enum Storage {
    Own(Copies),
    /// The texels of other memory of the paired device: of a buffer, in this layout, or of an image.
    View {
        layout: Option<RectLayout>,
        views: Mutex<[Option<Arc<dyn DeviceMemory>>; 2]>,
    },
}

/// Downcasts memory to that of a paired device.
pub fn paired(memory: &Arc<dyn DeviceMemory>) -> DeviceResult<&PairedMemory> {
    let found = memory.as_any().downcast_ref::<PairedMemory>();
    found.ok_or_else(|| DeviceError::Unexpected("memory of another kind of device".into()))
}

impl PairedMemory {
    /// Memory that was created on one device. `first` says whether it has contents.
    pub fn new(
        pair: &Arc<Pair>,
        content: Content,
        (side, memory): (Side, Arc<dyn DeviceMemory>),
        sharing: Sharing,
        first: Holders,
    ) -> PairedMemory {
        let mut backings: Backings = smallvec![None, None];
        if let Some(backing) = backings.get_mut(side as usize) {
            *backing = Some(memory.clone());
        }
        let texels = memory.in_buffer().filter(|_| sharing == Sharing::Shared).map(|(buffer, layout)| {
            let content = Content::Buffer { size: buffer.size(), host_visible: true, read_only: false };
            let buffer = PairedMemory::new(pair, content, (side, buffer.clone()), sharing, first);
            (Arc::new(buffer) as Arc<dyn DeviceMemory>, *layout)
        });
        let image = match content {
            Content::Image(desc) => Some(desc),
            Content::Buffer { .. } | Content::Level(..) => None,
        };
        PairedMemory {
            pair: pair.clone(),
            size: memory.size(),
            image,
            read_only: matches!(content, Content::Buffer { read_only: true, .. }),
            storage: Storage::Own(Copies::new(Rank::PairedMemory, content, sharing, backings, first)),
            first: memory,
            first_side: side,
            sharing,
            external: false,
            texels,
        }
    }

    /// Memory that was created on the primary device. The two share it if the host can read it quickly.
    pub fn on_primary(
        pair: &Arc<Pair>,
        content: Content,
        memory: Arc<dyn DeviceMemory>,
        first: Holders,
    ) -> PairedMemory {
        let seen = content.host_side(&memory).is_some_and(|m| m.host_cached());
        let sharing = if seen { Sharing::Shared } else { Sharing::Separate };
        PairedMemory::new(pair, content, (Side::Primary, memory), sharing, first)
    }

    /// A view of the texels of a buffer, in this layout, or of an image. Each device creates its view when a
    /// launch needs it.
    pub fn view(
        of: &Arc<dyn DeviceMemory>,
        layout: Option<RectLayout>,
        desc: &ImageDesc,
    ) -> DeviceResult<PairedMemory> {
        let base = paired(of)?;
        Ok(PairedMemory {
            pair: base.pair.clone(),
            size: desc.shape.texels() * u64::from(desc.format.element_size()),
            image: Some(*desc),
            read_only: false,
            storage: Storage::View { layout, views: Mutex::new(Rank::PairedMemory, [None, None]) },
            first: of.clone(),
            first_side: base.first_side,
            sharing: base.sharing,
            external: false,
            texels: None,
        })
    }

    /// Memory that other processes or interfaces see: what the secondary device writes is copied back.
    pub fn visible_outside(self) -> PairedMemory {
        PairedMemory { external: self.sharing == Sharing::Separate, ..self }
    }

    /// Whether the secondary device's writes must be copied to the primary device at once.
    pub fn is_external(&self) -> bool {
        self.external
    }

    /// Whether kernels only read the buffer.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether only the secondary device can have it.
    pub fn is_secondary_only(&self) -> bool {
        self.first_side == Side::Secondary
    }

    /// Whether kernels of the primary device can use the image as an argument declares.
    pub fn is_usable_on_primary(&self, access: AccessQualifier) -> bool {
        let facts = self.pair.ops(Side::Primary).info();
        let usable = |desc: &ImageDesc| {
            facts.images
                && facts.image.holds(desc.format, &desc.shape, desc.levels)
                && facts.image.uses(desc.format, desc.shape.kind).allows(access)
        };
        !self.is_secondary_only() && self.image.as_ref().is_none_or(usable)
    }

    /// The memory on one of the devices, created if necessary; its bytes may be old.
    pub fn on(&self, side: Side) -> DeviceResult<Arc<dyn DeviceMemory>> {
        if self.is_secondary_only() && side == Side::Primary {
            return Err(DeviceError::Unsupported("an image that the device cannot have".into()));
        }
        match &self.storage {
            Storage::Own(copies) => Ok(copies.backing(self.pair.all(), side as usize)?),
            Storage::View { .. } => self.view_of(side, paired(&self.first)?.on(side)?),
        }
    }

    /// The memory on one of the devices with the newest bytes of a range, for a command that is about to run
    /// there.
    pub fn acquire(
        &self,
        side: Side,
        range: Range<u64>,
        access: Access,
    ) -> DeviceResult<Arc<dyn DeviceMemory>> {
        if self.is_secondary_only() && side == Side::Primary {
            return Err(DeviceError::Unsupported("an image that the device cannot have".into()));
        }
        match &self.storage {
            Storage::Own(copies) => Ok(copies.acquire(self.pair.all(), side as usize, range, access)?),
            Storage::View { .. } => {
                let base = paired(&self.first)?;
                self.view_of(side, base.acquire(side, 0..base.size, access)?)
            }
        }
    }

    /// A device's view of its memory `of`.
    fn view_of(&self, side: Side, of: Arc<dyn DeviceMemory>) -> DeviceResult<Arc<dyn DeviceMemory>> {
        let (Storage::View { layout, views }, Some(desc)) = (&self.storage, &self.image) else {
            return Ok(of);
        };
        if let Some(view) = &views.lock()[side as usize] {
            return Ok(view.clone());
        }
        let ops = self.pair.ops(side);
        let made = match layout {
            Some(layout) => ops.view_buffer(&of, layout, desc)?,
            None => ops.view_image(&of, desc)?,
        };
        // Another thread may have been faster.
        Ok(views.lock()[side as usize].get_or_insert(made).clone())
    }
}

impl DeviceMemory for PairedMemory {
    fn size(&self) -> u64 {
        self.size
    }
    fn host_ptr(&self) -> Option<HostPtr> {
        // Other memory may be old.
        self.first.host_ptr().filter(|_| self.sharing == Sharing::Shared && self.image.is_none())
    }
    fn host_cached(&self) -> bool {
        self.first.host_cached()
    }
    fn in_buffer(&self) -> Option<(&Arc<dyn DeviceMemory>, &RectLayout)> {
        self.texels.as_ref().map(|(buffer, layout)| (buffer, layout))
    }
    fn quick_read(&self) -> u64 {
        self.first.quick_read()
    }
    fn quick_when_idle(&self, access: Access) -> u64 {
        self.first.quick_when_idle(access)
    }
    fn address(&self) -> Option<u64> {
        self.first.address()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
