//! Memory that begins as zeros, in large pages where the system has them, since sums are added to all over it. What large pages save
//! has not been measured yet.

use crate::{Error, Result};
use memmap2::MmapMut;
use std::marker::PhantomData;

/// Numbers that may be any bits, zeros included.
///
/// # Safety
/// Every sequence of bytes must be a value, without padding, and the alignment at most that of a page.
pub(in crate::reconstruct::network) unsafe trait Bits: Copy {}

// SAFETY: arrays of integers.
unsafe impl Bits for [u32; 2] {}
// SAFETY: arrays of integers.
unsafe impl Bits for [u64; 2] {}

/// A slice of zeros at first.
#[derive(Debug)]
pub(super) struct Pages<C> {
    map: MmapMut,
    len: usize,
    cells: PhantomData<C>,
}

impl<C: Bits> Pages<C> {
    /// So many zeros.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is not so much memory.
    pub(super) fn zeros(len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<C>());
        let expected = "there is not so much: ask for fewer pairs, or give less memory to sums";
        let refused = |bytes: usize| Error::parameter("memory", format!("{bytes} bytes"), expected);
        let bytes = bytes.ok_or_else(|| refused(usize::MAX))?;
        let map = MmapMut::map_anon(bytes.max(1)).map_err(|_| refused(bytes))?;
        #[cfg(target_os = "linux")]
        if bytes >= 1 << 21 {
            // Advice: where it is not taken, small pages do.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Self { map, len, cells: PhantomData })
    }
}

impl<C: Bits> std::ops::Deref for Pages<C> {
    type Target = [C];

    #[inline(always)]
    fn deref(&self) -> &[C] {
        // SAFETY: the map has room for `len`, begins at a page, and any bytes are values.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.len) }
    }
}

impl<C: Bits> std::ops::DerefMut for Pages<C> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [C] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().cast(), self.len) }
    }
}
