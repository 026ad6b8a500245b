//! A long Python text → parts of it, one by one, that other threads read without the GIL.
//!
//! Held back: of a text that is not read in place, what lies behind the last cut. Only as much of
//! it is encoded or copied as the parts under way hold.
use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use tokstream_core::chunks::Source;
use tokstream_core::parallel::{Encoder, Part, Splitter};

use crate::input::{Held, Whole};

/// A long text that is being made into parts.
///
/// Held by the thread that has the GIL at times, and dropped there: elsewhere `PyO3` would put its
/// objects on a list behind a lock, which is held for ever after a fork.
pub struct Parts {
    text: Text,
    n_threads: usize,
    /// Length in characters or bytes, and how many of them were read.
    length: usize,
    at: usize,
    is_over: bool,
    /// What is behind the last cut.
    carry: Vec<u8>,
    /// Were there surrogates before?
    has_surrogates: bool,
    splitter: Splitter,
}

enum Text {
    InPlace(Arc<Whole>),
    Other(Held),
}

/// The text of a part.
pub enum Slice {
    /// Where it is.
    InPlace(Arc<Whole>, Range<usize>),
    /// Encoded or copied.
    Copy(Vec<u8>),
}

impl AsRef<[u8]> for Slice {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::InPlace(whole, range) => &whole.bytes().0[range.clone()],
            Self::Copy(text) => text,
        }
    }
}

impl Parts {
    /// Those of `held`, for so many threads.
    pub fn new(held: Held, n_threads: usize) -> Self {
        let length = held.length();
        let text = match held {
            Held::Whole(whole) => Text::InPlace(Arc::new(whole)),
            other => Text::Other(other),
        };
        Self {
            text,
            n_threads,
            length,
            at: 0,
            is_over: false,
            carry: Vec::new(),
            has_surrogates: false,
            splitter: Splitter::default(),
        }
    }

    /// No part was made yet.
    pub fn is_fresh(&self) -> bool {
        self.at == 0 && !self.is_over
    }

    /// The text, if parts hold on to it: without the GIL nobody must be the last to drop it.
    pub fn whole(&self) -> Option<Arc<Whole>> {
        match &self.text {
            Text::InPlace(whole) => Some(whole.clone()),
            Text::Other(_) => None,
        }
    }

    /// The next part, of about `most` characters or bytes; `None` behind the last. The last ones
    /// are smaller, so that no thread waits long for another at the end.
    pub fn next(&mut self, encoder: &Encoder, most: usize) -> PyResult<Option<Part<Slice>>> {
        if self.is_over {
            return Ok(None);
        }
        let share = (self.length - self.at) / (2 * self.n_threads);
        let size = most.min(share.max(most / 8).max(1));
        let held = match &self.text {
            Text::Other(held) => held,
            Text::InPlace(whole) => {
                let (bytes, source) = whole.bytes();
                let mut rest = &bytes[self.at..];
                let part = self.splitter.next_of(encoder, &mut rest, source, size);
                let end = bytes.len() - rest.len();
                let range = std::mem::replace(&mut self.at, end)..end;
                self.is_over = part.is_last;
                return Ok(Some(part.with(Slice::InPlace(whole.clone(), range))));
            }
        };
        let mut text = std::mem::take(&mut self.carry);
        let n_before = text.len();
        let mut source = held.append(&mut self.at, size, &mut text)?;
        // What was carried over may have them.
        self.has_surrogates |= source == Source::Text;
        if self.has_surrogates {
            source = Source::Text;
        }
        self.is_over = text.len() == n_before;
        let part = self.splitter.part(encoder, &text, source, self.is_over);
        self.carry = text.split_off(part.bytes);
        Ok(Some(part.with(Slice::Copy(text))))
    }
}
