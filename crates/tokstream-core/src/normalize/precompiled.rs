//! A precompiled character map as `tokenizers` applies it: to one grapheme cluster at a time.
//!
//! A cluster of less than 6 bytes that begins with a key becomes what the shortest such key
//! becomes, the rest of the cluster being lost. Otherwise each of its characters is looked up by
//! itself. That is odd, but it is what models of this kind were trained with.
//!
//! Held back: a cluster of less than 6 bytes that may go on.

use std::sync::Arc;

use super::charsmap::Charsmap;
use super::graphemes::{Graphemes, Properties};
use super::mapped::Mapped;
use crate::error::TableError;

/// Clusters from this length on are read character by character.
const LONG: usize = 6;

/// A character map, and the cluster that may go on.
#[derive(Clone, Debug)]
pub(super) struct Precompiled {
    map: Arc<Charsmap>,
    properties: &'static Properties,
    graphemes: Graphemes,
    cluster: String,
    /// The cluster is long, and its characters are out.
    is_long: bool,
}

impl Precompiled {
    pub(super) fn new(data: &[u8]) -> Result<Self, TableError> {
        Ok(Self {
            map: Arc::new(Charsmap::from_bytes(data)?),
            properties: Properties::get(),
            graphemes: Graphemes::default(),
            cluster: String::new(),
            is_long: false,
        })
    }

    pub(super) fn push(&mut self, text: &str, out: &mut Mapped) {
        for c in text.chars() {
            if self.graphemes.read(self.properties, c) {
                self.close(out);
            }
            if self.is_long {
                self.put(c.encode_utf8(&mut [0; 4]), out);
                continue;
            }
            self.cluster.push(c);
            if self.cluster.len() >= LONG {
                self.put_each(out);
                self.is_long = true;
            }
        }
    }

    pub(super) fn finish(&mut self, out: &mut Mapped) {
        self.close(out);
        self.graphemes = Graphemes::default();
    }

    /// The cluster is complete.
    fn close(&mut self, out: &mut Mapped) {
        match self.map.shortest(&self.cluster) {
            Some(content) => {
                put_matched(&self.cluster, content, out);
                self.cluster.clear();
            }
            None => self.put_each(out),
        }
        self.is_long = false;
    }

    fn put_each(&mut self, out: &mut Mapped) {
        let cluster = std::mem::take(&mut self.cluster);
        for c in cluster.chars() {
            self.put(c.encode_utf8(&mut [0; 4]), out);
        }
        self.cluster = cluster;
        self.cluster.clear();
    }

    /// One character by itself.
    fn put(&self, c: &str, out: &mut Mapped) {
        match self.map.shortest(c) {
            Some(content) => put_matched(c, content, out),
            None => out.copy(c),
        }
    }
}

/// `source` becomes `content`, character by character; what is left over counts as deleted, or
/// comes from the last character.
fn put_matched(source: &str, content: &str, out: &mut Mapped) {
    let mut sizes = source.chars().map(char::len_utf8);
    for c in content.chars() {
        out.put_char(c, sizes.next().unwrap_or(0));
    }
    out.skip(sizes.sum());
}
