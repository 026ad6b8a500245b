//! Prepared tokenizers: tables in a file that is mapped rather than made again.
//!
//! In: lists of numbers, and bytes that belong to the caller. Out: the same from a mapped file,
//! whose pages all processes share. Held back: nothing.
//!
//! **The file.** A header; for each section its place, its length in bytes and its checksum; the
//! sections, each at a multiple of 64. Numbers are as this machine writes them, and the header
//! says how it does. Nothing in it is an address.
//!
//! **What is trusted.** A file is used if it is a regular one, belongs to the user, nobody else may
//! write it, it comes from this very build, and the checksums are right
//! (`XXH3`: they find damage, not malice). Then its content is what this program wrote, and is not
//! checked again value by value. Who can put other content there is the user, who can change the
//! program just as well. Even then nothing is read outside the map: all indexing of tables is
//! checked, so false values lead to a panic or to wrong ids, never to other memory.
//!
//! **Why it does not change under the map.** It is written under another name and renamed, never
//! written to again, and replaced or removed by name only, which leaves the mapped one as it is.
//! Only the user could truncate it, on purpose.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytemuck::{NoUninit, Pod, Zeroable, bytes_of, cast_slice, pod_read_unaligned};
use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::TableError;
use crate::table::{self, Table};

/// The version of the package and a number that tells its builds apart.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("TOKSTREAM_BUILD"));

const MAGIC: [u8; 8] = *b"TKSTPREP";
/// Of the layout; other content of the same layout comes with another version of the package.
const FORMAT: u32 = 3;
/// Reads as another number where bytes are in another order.
const ORDER: u32 = 0x0102_0304;
/// Sections begin at multiples of this.
const ALIGNMENT: usize = 64;
/// More than there ever are.
const MAX_SECTIONS: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    order: u32,
    format: u32,
    pointer_bytes: u32,
    n_sections: u32,
    /// How many of them, the first ones, are the caller's.
    n_extras: u32,
    unused: u32,
    build: [u8; 40],
    /// Of the whole file.
    n_bytes: u64,
    /// Of the list of sections.
    checksum: u64,
}

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Place {
    begin: u64,
    n_bytes: u64,
    checksum: u64,
}

impl Place {
    fn range(&self) -> Option<Range<usize>> {
        let begin = self.begin as usize;
        Some(begin..begin.checked_add(self.n_bytes as usize)?)
    }
}

impl Header {
    fn new(n_bytes: u64, n_extras: u32, places: &[Place]) -> Self {
        let mut build = [0; 40];
        let n = BUILD.len().min(build.len());
        // The number that tells builds apart is at the end.
        build[..n].copy_from_slice(&BUILD.as_bytes()[BUILD.len() - n..]);
        Self {
            magic: MAGIC,
            order: ORDER,
            format: FORMAT,
            pointer_bytes: size_of::<usize>() as u32,
            n_sections: places.len() as u32,
            n_extras,
            unused: 0,
            build,
            n_bytes,
            checksum: xxh3_64(cast_slice(places)),
        }
    }
}

/// Sections on their way into a file.
pub(crate) struct Writer<'a> {
    sections: Vec<&'a [u8]>,
    n_extras: u32,
}

impl<'a> Writer<'a> {
    /// A writer of the caller's sections, which come first.
    pub(crate) fn new(extras: &[&'a [u8]]) -> Self {
        Self { sections: extras.to_vec(), n_extras: extras.len() as u32 }
    }

    /// Add a section.
    pub(crate) fn put<T: NoUninit>(&mut self, values: &'a [T]) {
        self.sections.push(cast_slice(values));
    }

    /// Add what there may be.
    pub(crate) fn put_option<T>(&mut self, value: Option<&'a T>, write: fn(&'a T, &mut Self)) {
        self.put(if value.is_some() { &[1_u8] } else { &[] });
        if let Some(value) = value {
            write(value, self);
        }
    }

    /// Write all sections to `out`.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut begin = size_of::<Header>() + self.sections.len() * size_of::<Place>();
        let mut places = Vec::with_capacity(self.sections.len());
        for section in &self.sections {
            begin = begin.next_multiple_of(ALIGNMENT);
            places.push(Place {
                begin: begin as u64,
                n_bytes: section.len() as u64,
                checksum: xxh3_64(section),
            });
            begin += section.len();
        }
        out.write_all(bytes_of(&Header::new(begin as u64, self.n_extras, &places)))?;
        out.write_all(cast_slice(&places))?;
        let mut at = size_of::<Header>() + places.len() * size_of::<Place>();
        for (section, place) in self.sections.iter().zip(&places) {
            out.write_all(&[0; ALIGNMENT][..place.begin as usize - at])?;
            out.write_all(section)?;
            at = place.begin as usize + section.len();
        }
        out.flush()
    }
}

/// The checksum of `bytes`.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The new file `path`, which only the user may read or write.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn unusable(why: &str) -> TableError {
    TableError(format!("the prepared file is not usable: {why}"))
}

/// A mapped file.
#[derive(Debug)]
pub struct Prepared {
    map: Arc<Mmap>,
    n_sections: usize,
    n_extras: usize,
}

impl Prepared {
    /// Map the file at `path`, which must belong to `owner`, where files have owners. Cost: one
    /// pass over it, for the checksums.
    ///
    /// # Errors
    /// If there is none, or not one to be used.
    pub fn open(path: &Path, owner: Option<u32>) -> Result<Self, TableError> {
        let failed = |error: io::Error| unusable(&error.to_string());
        let file = File::open(path).map_err(failed)?;
        check_file(&file, owner)?;
        Self::new(table::map(&file).map_err(failed)?)
    }

    /// The same for the content of a file.
    ///
    /// # Errors
    /// If it is not one to be used.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TableError> {
        Self::new(table::copied(bytes).map_err(|error| unusable(&error.to_string()))?)
    }

    fn new(map: Mmap) -> Result<Self, TableError> {
        let bytes = map.get(..size_of::<Header>()).ok_or_else(|| unusable("it is cut short"))?;
        let header: Header = pod_read_unaligned(bytes);
        let n_sections = header.n_sections as usize;
        if n_sections > MAX_SECTIONS || header.n_extras > header.n_sections {
            return Err(unusable("it is damaged"));
        }
        let n_extras = header.n_extras as usize;
        let prepared = Self { map: Arc::new(map), n_sections, n_extras };
        let places: Vec<Place> = (0..n_sections)
            .map(|index| prepared.place(index))
            .collect::<Option<_>>()
            .ok_or_else(|| unusable("it is cut short"))?;
        if header != Header::new(prepared.map.len() as u64, header.n_extras, &places) {
            return Err(unusable("it is damaged, or of another version or machine"));
        }
        if !places.iter().all(|place| prepared.is_sound(place)) {
            return Err(unusable("it is damaged"));
        }
        Ok(prepared)
    }

    fn place(&self, index: usize) -> Option<Place> {
        let begin = size_of::<Header>() + index * size_of::<Place>();
        let bytes = self.map.get(begin..begin + size_of::<Place>())?;
        (index < self.n_sections).then(|| pod_read_unaligned(bytes))
    }

    fn is_sound(&self, place: &Place) -> bool {
        let bytes = place.range().and_then(|range| self.map.get(range));
        bytes.is_some_and(|bytes| xxh3_64(bytes) == place.checksum)
    }

    /// Section `index`.
    pub(crate) fn table<T: Pod>(&self, index: usize) -> Result<Table<T>, TableError> {
        let range = self.place(index).and_then(|place| place.range());
        range
            .and_then(|range| Table::mapped(&self.map, range))
            .ok_or_else(|| unusable("its tables do not fit together"))
    }

    /// The caller's section `index`.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn section(&self, index: usize) -> Result<Vec<u8>, TableError> {
        if index >= self.n_extras {
            return Err(unusable("a section is missing"));
        }
        Ok(self.table(index)?.to_vec())
    }

    /// Read sections in order, from the first behind the caller's on.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { prepared: self, next: self.n_extras }
    }
}

/// Sections in the order in which they were written.
pub(crate) struct Reader<'a> {
    prepared: &'a Prepared,
    next: usize,
}

impl Reader<'_> {
    /// The next section.
    pub(crate) fn take<T: Pod>(&mut self) -> Result<Table<T>, TableError> {
        self.next += 1;
        self.prepared.table(self.next - 1)
    }

    /// The next section, which has `n` values.
    pub(crate) fn take_n<T: Pod>(&mut self, n: usize) -> Result<Table<T>, TableError> {
        let table = self.take()?;
        if table.len() == n { Ok(table) } else { Err(unusable("its tables do not fit together")) }
    }

    /// The next two sections: where each of `n` parts of the second begins, and where the last
    /// one ends; and the second.
    pub(crate) fn take_parts<T: Pod>(
        &mut self,
        n: usize,
    ) -> Result<(Table<u32>, Table<T>), TableError> {
        let begins: Table<u32> = self.take_n(n + 1)?;
        let all: Table<T> = self.take()?;
        if begins.is_sorted() && begins.last().is_some_and(|&end| end as usize == all.len()) {
            Ok((begins, all))
        } else {
            Err(unusable("its tables do not fit together"))
        }
    }

    /// What there may be.
    pub(crate) fn take_option<T>(
        &mut self,
        read: fn(&mut Self) -> Result<T, TableError>,
    ) -> Result<Option<T>, TableError> {
        if self.take::<u8>()?.is_empty() { Ok(None) } else { read(self).map(Some) }
    }

    /// The next section, which has values as one array.
    pub(crate) fn take_array<T: Pod, const N: usize>(&mut self) -> Result<[T; N], TableError> {
        let table = self.take_n(N)?;
        table.first_chunk().copied().ok_or_else(|| unusable("its tables do not fit together"))
    }
}

#[cfg(unix)]
fn check_file(file: &File, owner: Option<u32>) -> Result<(), TableError> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata().map_err(|error| unusable(&error.to_string()))?;
    if !metadata.is_file() {
        return Err(unusable("it is no regular file"));
    }
    if owner.is_some_and(|owner| owner != metadata.uid()) {
        return Err(unusable("it belongs to another user"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(unusable("others may write it"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_file(file: &File, _owner: Option<u32>) -> Result<(), TableError> {
    let metadata = file.metadata().map_err(|error| unusable(&error.to_string()))?;
    if metadata.is_file() { Ok(()) } else { Err(unusable("it is no regular file")) }
}
