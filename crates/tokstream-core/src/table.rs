//! A list of plain numbers that the process owns, or that lies in a mapped file.
//!
//! In: a vector, or a range of a map. Out: a slice, found without asking which of the two it is.
//! All `unsafe` of prepared tokenizers is here; see `prepared` for why a mapped file does not
//! change.

use std::any::Any;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use bytemuck::{Pod, try_cast_slice};
use memmap2::{Mmap, MmapMut};

/// Numbers of one kind; immutable. A clone shares their memory.
#[derive(Clone)]
pub(crate) struct Table<T> {
    start: NonNull<T>,
    length: usize,
    /// Who keeps the memory: a vector, or a map.
    _keeper: Arc<dyn Any + Send + Sync>,
    is_mapped: bool,
}

// SAFETY: a table is read only, whoever holds it, and its memory belongs to a shared keeper.
unsafe impl<T: Send + Sync> Send for Table<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Table<T> {}

impl<T: Send + Sync + 'static> From<Vec<T>> for Table<T> {
    fn from(mut list: Vec<T>) -> Self {
        list.shrink_to_fit();
        let list = Arc::new(list);
        let start = NonNull::from(list.as_slice()).cast();
        Self { start, length: list.len(), _keeper: list, is_mapped: false }
    }
}

impl<T: Send + Sync + 'static> Default for Table<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Pod> Table<T> {
    /// The part `bytes` of `map`; `None` if that is not a whole number of aligned values.
    pub(crate) fn mapped(map: &Arc<Mmap>, bytes: Range<usize>) -> Option<Self> {
        let values: &[T] = try_cast_slice(map.get(bytes)?).ok()?;
        let start = NonNull::from(values).cast();
        Some(Self { start, length: values.len(), _keeper: map.clone(), is_mapped: true })
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` and `length` are those of a slice that lives as long as `self`: in the
        // vector or the map that `_keeper` holds on to, neither of which changes any more.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.is_mapped { "mapped" } else { "owned" };
        write!(f, "<{} {place} values>", self.length)
    }
}

/// Map all of `file` for reading.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: nobody changes or truncates a prepared file; see `prepared`.
    unsafe { Mmap::map(file) }
}

/// A map of memory that holds a copy of `bytes`.
pub(crate) fn copied(bytes: &[u8]) -> io::Result<Mmap> {
    let mut map = MmapMut::map_anon(bytes.len())?;
    map.copy_from_slice(bytes);
    map.make_read_only()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_and_empty_tables_are_slices() {
        let table: Table<u32> = vec![1, 2, 3].into();
        assert_eq!(*table, [1, 2, 3]);
        assert!(Table::<u64>::default().is_empty());
    }

    #[test]
    fn a_clone_shares_its_memory_and_outlives_the_first() {
        let table: Table<u32> = vec![1, 2, 3].into();
        let clone = table.clone();
        assert_eq!(table.as_ptr(), clone.as_ptr());
        drop(table);
        assert_eq!(*clone, [1, 2, 3]);
    }
}
