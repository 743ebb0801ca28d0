//! An array of a network: held in memory, or a part of a mapped file.

use crate::data::MappedFile;
use std::ops::Deref;
use std::sync::Arc;

/// An array that is read like a slice.
#[derive(Clone, Debug)]
pub(crate) enum Section<T: 'static> {
    /// In memory.
    Owned(Vec<T>),
    /// In a file.
    Mapped(Mapped<T>),
}

/// A part of a mapped file; the map lives as long as any part of it.
#[derive(Clone, Debug)]
pub(crate) struct Mapped<T: 'static> {
    /// Lives as long as `_file`; handed out only for as long as this struct is borrowed.
    items: &'static [T],
    _file: Arc<MappedFile>,
}

/// Numbers as they lie in a file: little-endian, and every pattern of bits is one.
pub(crate) trait Plain: Copy + Send + Sync + 'static {
    /// The number whose bytes these are; `bytes` are as many as it has.
    fn decode(bytes: &[u8]) -> Self;
    /// Appends its bytes.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Plain for $t {
            fn decode(bytes: &[u8]) -> Self {
                let mut copy = [0; size_of::<$t>()];
                copy.copy_from_slice(bytes);
                <$t>::from_le_bytes(copy)
            }
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
plain!(u8, u32, u64, i64, f64);

impl<T: Plain> Section<T> {
    /// The `count` numbers at byte `start` of a file; none where they do not lie in it, not at a multiple of their
    /// size, or where this machine has another byte order.
    pub(crate) fn mapped(file: &Arc<MappedFile>, start: usize, count: usize) -> Option<Self> {
        let bytes = file.get(start..start.checked_add(count.checked_mul(size_of::<T>())?)?)?;
        let first: *const T = bytes.as_ptr().cast();
        if cfg!(target_endian = "big") || !first.is_aligned() {
            return None;
        }
        // SAFETY: the bytes lie in the map, are aligned, and any bytes are a `Plain` number. The map neither moves nor
        // ends before the `Arc` kept next to the slice, and `Deref` never hands out the longer lifetime.
        let items: &'static [T] = unsafe { std::slice::from_raw_parts(first, count) };
        Some(Self::Mapped(Mapped { items, _file: Arc::clone(file) }))
    }

    /// A copy of the `count` numbers at byte `start`; none where there are fewer.
    pub(crate) fn copied(bytes: &[u8], start: usize, count: usize) -> Option<Self> {
        let bytes = bytes.get(start..start.checked_add(count.checked_mul(size_of::<T>())?)?)?;
        Some(Self::Owned(bytes.chunks_exact(size_of::<T>()).map(T::decode).collect()))
    }
}

impl<T> Deref for Section<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(items) => items,
            Self::Mapped(part) => part.items,
        }
    }
}

impl<T> From<Vec<T>> for Section<T> {
    fn from(items: Vec<T>) -> Self {
        Self::Owned(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_part_outlives_the_handle_of_its_file() {
        let mut file = tempfile::tempfile().unwrap();
        let mut bytes = Vec::new();
        (0..9_u64).for_each(|x| (x * x).append(&mut bytes));
        file.write_all(&bytes).unwrap();
        let map = Arc::new(MappedFile::map("a file".as_ref(), &file, false).unwrap());
        let part = Section::<u64>::mapped(&map, 16, 7).unwrap();
        for wrong in [(16, 8), (4, 1), (usize::MAX, 1), (0, usize::MAX), (80, 0)] {
            assert!(Section::<u64>::mapped(&map, wrong.0, wrong.1).is_none(), "{wrong:?}");
        }
        drop((map, file));
        let copy = part.clone();
        drop(part);
        assert_eq!(*copy, [4, 9, 16, 25, 36, 49, 64]);
        assert_eq!(*Section::<u64>::copied(&bytes, 16, 7).unwrap(), *copy);
        assert_eq!(*Section::<i64>::copied(&bytes, 9, 1).unwrap(), [4 << 56]);
        assert!(Section::<u64>::copied(&bytes, 16, 8).is_none());
    }
}
