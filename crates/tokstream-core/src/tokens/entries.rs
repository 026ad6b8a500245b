//! Byte strings with an id each, in an order of the owner's choice: by id, or by bytes.

use std::cmp::Ordering;

use crate::error::TableError;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

/// A flat list.
#[derive(Clone, Debug)]
pub(crate) struct Entries {
    ids: Table<u32>,
    /// Where each string begins, and where the last one ends.
    begins: Table<u32>,
    blob: Table<u8>,
}

impl<'a> FromIterator<(&'a [u8], u32)> for Entries {
    fn from_iter<I: IntoIterator<Item = (&'a [u8], u32)>>(list: I) -> Self {
        let (mut ids, mut begins, mut blob) = (Vec::new(), vec![0], Vec::new());
        for (bytes, id) in list {
            ids.push(id);
            blob.extend_from_slice(bytes);
            begins.push(blob.len() as u32);
        }
        Self { ids: ids.into(), begins: begins.into(), blob: blob.into() }
    }
}

impl Entries {
    /// Put the list into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(&self.ids);
        writer.put(&self.begins);
        writer.put(&self.blob);
    }

    /// Take it back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        let ids: Table<u32> = reader.take()?;
        let (begins, blob) = reader.take_parts(ids.len())?;
        Ok(Self { ids, begins, blob })
    }

    /// Ids in order.
    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The string at `index`.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        &self.blob[self.begins[index] as usize..self.begins[index + 1] as usize]
    }

    /// All entries in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.ids.iter().enumerate().map(|(index, &id)| (self.bytes(index), id))
    }

    /// Index of the first entry of strings in order that is not less than `bytes`, and whether it
    /// is equal.
    pub(crate) fn search(&self, bytes: &[u8]) -> (usize, bool) {
        let (mut low, mut high) = (0, self.ids.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.bytes(middle).cmp(bytes) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return (middle, true),
                Ordering::Greater => high = middle,
            }
        }
        (low, false)
    }
}
