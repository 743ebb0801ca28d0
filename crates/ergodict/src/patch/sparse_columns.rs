//! Sparse columns that are written one after another, in storage that is kept.

use crate::linalg::Scalar;

/// Columns as lists of rows and values: entries `starts[j]..starts[j+1]` belong to column `j`. The arrays are those that
/// [`SparseRef`](crate::factor::SparseRef) looks at.
///
/// ```
/// use ergodict::{data::{Adjacency, Network}, patch::{NetworkPatches, SparseColumns}};
/// let network = std::sync::Arc::new(Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?);
/// let patches = NetworkPatches::new(&network, 3, Adjacency::BUDGET);
/// let mut columns = SparseColumns::<f64>::default();
/// patches.write_sparse(&[0, 2, 3], &mut columns);
/// assert_eq!((columns.features(), columns.indices(), columns.len()), (9, &[1, 3, 5, 7][..], 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SparseColumns<T> {
    features: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Default for SparseColumns<T> {
    fn default() -> Self {
        Self { features: 0, starts: vec![0], indices: vec![], values: vec![] }
    }
}

impl<T: Scalar> SparseColumns<T> {
    /// Numbers of a column.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where columns begin, and the number of entries.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The row of each entry.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The value of each entry.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Forgets all columns.
    pub(super) fn clear(&mut self, features: usize) {
        self.features = features;
        self.starts.clear();
        self.starts.push(0);
        self.indices.clear();
        self.values.clear();
    }

    /// Closes columns until there are `count`.
    pub(super) fn columns_to(&mut self, count: usize) {
        while self.len() < count {
            self.starts.push(self.indices.len());
        }
    }

    /// Appends an entry to the column after the last closed one.
    pub(super) fn push(&mut self, index: u32, value: T) {
        self.indices.push(index);
        self.values.push(value);
    }
}
