//! The tables of one tokenizer: immutable, shared between threads and streams.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::TableError;
use crate::pretokens::Automaton;
use crate::tokens::{TokenTable, Vocabulary};

static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

/// A pattern, a vocabulary, and what decoding needs.
#[derive(Debug)]
pub struct Core {
    pub(crate) automaton: Automaton,
    pub(crate) vocabulary: Vocabulary,
    /// Distinguishes the ids in shared caches.
    pub(crate) identity: u64,
    /// Ordered by id: every token, special ones included.
    ids: Vec<u32>,
    begins: Vec<u32>,
    blob: Vec<u8>,
}

impl Core {
    /// Check and derive all tables; `specials` are (text, id).
    pub fn new(
        tokens: &TokenTable,
        specials: &[(String, u32)],
        automaton: Automaton,
    ) -> Result<Self, TableError> {
        let vocabulary = Vocabulary::new(tokens)?;
        let mut entries: Vec<(u32, &[u8])> = (0..tokens.len() as u32)
            .map(|rank| (tokens.id(rank), tokens.bytes(rank)))
            .chain(specials.iter().map(|(name, id)| (*id, name.as_bytes())))
            .collect();
        // Two special tokens may share an id; the first is what it decodes to.
        entries.sort_by_key(|&(id, _)| id);
        entries.dedup_by_key(|&mut (id, _)| id);
        let mut core = Self {
            automaton,
            vocabulary,
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
            ids: Vec::with_capacity(entries.len()),
            begins: vec![0],
            blob: Vec::new(),
        };
        for (id, bytes) in entries {
            core.ids.push(id);
            core.blob.extend_from_slice(bytes);
            core.begins.push(core.blob.len() as u32);
        }
        Ok(core)
    }

    /// Bytes of the token `id`, special tokens included. Cost: O(1) where ids are dense.
    #[must_use]
    pub fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        let guess = id as usize;
        let index = if self.ids.get(guess) == Some(&id) {
            guess
        } else {
            self.ids.binary_search(&id).ok()?
        };
        Some(&self.blob[self.begins[index] as usize..self.begins[index + 1] as usize])
    }

    /// Number of tokens, special ones included.
    #[must_use]
    pub fn n_tokens(&self) -> usize {
        self.ids.len()
    }

    /// The vocabulary's tables.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}
