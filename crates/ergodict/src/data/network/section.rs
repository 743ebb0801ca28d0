//! An array of a network: held in memory, or a part of a mapped file.

use std::ops::Deref;

/// An array that is read like a slice.
#[derive(Clone, Debug)]
pub(crate) enum Section<T: 'static> {
    /// In memory.
    Owned(Vec<T>),
}

impl<T> Deref for Section<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(items) => items,
        }
    }
}

impl<T> From<Vec<T>> for Section<T> {
    fn from(items: Vec<T>) -> Self {
        Self::Owned(items)
    }
}
