//! One text on several threads: cut into parts, each encoded by itself, joined exactly.
//!
//! In: a text, or blocks of it. Out: the ids, those of each part in order. Held back: the parts
//! under way. A part ends where all that comes before is known to become ids of its own; if it
//! turns out not to end there, or no such place was found, the next part is encoded behind it on
//! the calling thread, which is how a stream does it: ids and errors are always those of a stream.

mod cuts;
mod order;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::chunks::{OnInvalid, Source};
use crate::core::Core;
use crate::error::Error;
use crate::segments::SpecialSet;
use crate::stream::Stream;

pub use cuts::{Cut, Entry};
pub use order::{Caller, in_order};

/// How far before a part's end a place to cut is looked for, in bytes.
const SEARCH: usize = 1 << 12;

/// What text is encoded with.
#[derive(Clone, Debug)]
pub struct Encoder {
    core: Arc<Core>,
    specials: Arc<SpecialSet>,
    on_invalid: OnInvalid,
}

/// A part of a text.
#[derive(Clone, Debug)]
pub struct Part<Bytes> {
    /// Its text.
    pub bytes: Bytes,
    /// What the text is.
    pub source: Source,
    /// How it begins; `None` if it has to be encoded behind the part before it.
    pub entry: Option<Entry>,
    /// How it ends; `None` at the end of the text, too.
    pub cut: Option<Cut>,
    /// No part follows.
    pub is_last: bool,
}

impl<Bytes> Part<Bytes> {
    /// The same with another text.
    pub fn with<Other>(self, bytes: Other) -> Part<Other> {
        let Self { bytes: _, source, entry, cut, is_last } = self;
        Part { bytes, source, entry, cut, is_last }
    }
}

/// A part with what became of it.
#[derive(Debug)]
pub struct Encoded<Bytes> {
    part: Part<Bytes>,
    outcome: Option<Outcome>,
}

/// The ids of a part; how it was found to end.
#[derive(Debug)]
struct Outcome {
    ids: Vec<u32>,
    end: Result<End, Error>,
}

#[derive(Debug)]
enum End {
    /// At a place where the next part begins as said.
    Cut(Entry),
    /// In the middle of what this stream is reading.
    Open(Box<Stream>),
}

impl Encoder {
    /// Encode with these; special tokens as `specials` says.
    #[must_use]
    pub fn new(core: Arc<Core>, specials: Arc<SpecialSet>, on_invalid: OnInvalid) -> Self {
        Self { core, specials, on_invalid }
    }

    /// A stream for a whole text.
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(self.core.clone(), self.specials.clone(), self.on_invalid)
    }

    /// Are texts cut at all? See [`Core::can_cut`].
    #[must_use]
    pub fn can_cut(&self) -> bool {
        self.core.can_cut() && !self.specials.has_conditions()
    }

    /// Ids before and behind a text, for those who want them.
    #[must_use]
    pub fn template(&self) -> (&[u32], &[u32]) {
        self.core.template()
    }

    /// Where to end a part that would end with `text`, which goes on behind it.
    ///
    /// Cost: O(1), at most a few kilobytes are looked at.
    #[must_use]
    pub fn find_cut(&self, text: &[u8]) -> Option<(usize, Cut)> {
        if !self.can_cut() {
            return None;
        }
        let search = SEARCH.min(text.len() * 3 / 4);
        cuts::find(&self.core, &self.specials, text, text.len() - search..text.len())
    }

    /// Encode a part, unless it waits for the one before it; `ids` is an empty list to use.
    pub fn encode<Bytes: AsRef<[u8]>>(&self, part: Part<Bytes>, ids: Vec<u32>) -> Encoded<Bytes> {
        let outcome = part.entry.map(|entry| self.encode_behind(End::Cut(entry), &part, ids));
        Encoded { part, outcome }
    }

    fn encode_behind<Bytes: AsRef<[u8]>>(
        &self,
        end: End,
        part: &Part<Bytes>,
        mut ids: Vec<u32>,
    ) -> Outcome {
        let mut stream = match end {
            End::Open(stream) => stream,
            End::Cut(entry) => {
                let mut stream = Box::new(self.stream());
                match entry {
                    Entry::Pretoken => {}
                    Entry::Inside(state) => stream.begin_inside(state),
                    Entry::Between => stream.begin_between(),
                }
                stream
            }
        };
        let fed = stream.feed(part.bytes.as_ref(), part.source, false, &mut ids);
        let end = fed.and_then(|()| {
            if part.is_last {
                stream.finish(&mut ids)?;
            } else if let Some(cut) = &part.cut {
                let n_ids = ids.len();
                let mut behind = stream.clone();
                if let Some(entry) = behind.cut(cut, &mut ids)? {
                    return Ok(End::Cut(entry));
                }
                ids.truncate(n_ids);
            }
            Ok(End::Open(stream))
        });
        Outcome { ids, end }
    }
}

/// Says of each part of one text how it begins and where it ends.
#[derive(Debug)]
pub struct Splitter {
    entry: Option<Entry>,
}

impl Default for Splitter {
    fn default() -> Self {
        Self { entry: Some(Entry::Pretoken) }
    }
}

impl Splitter {
    /// Length of the next part, of at most all of `text`; the one behind it begins there.
    pub fn part(
        &mut self,
        encoder: &Encoder,
        text: &[u8],
        source: Source,
        is_last: bool,
    ) -> Part<usize> {
        let entry = self.entry.take();
        let found = if is_last { None } else { encoder.find_cut(text) };
        let (length, cut) = found.map_or((text.len(), None), |(at, cut)| (at, Some(cut)));
        self.entry = cut.map(|cut| cut.entry);
        Part { bytes: length, source, entry, cut, is_last }
    }

    /// The next part of the text that `rest` is the rest of, about `size` bytes long.
    pub fn next_of<'a>(
        &mut self,
        encoder: &Encoder,
        rest: &mut &'a [u8],
        source: Source,
        size: usize,
    ) -> Part<&'a [u8]> {
        let text = *rest;
        // A rest that is hardly longer than a part is one.
        let is_last = text.len() <= size + size / 2;
        // Only bytes may be cut inside a character.
        let is_cut = |at: usize| source.is_text() && text[at] & 0xC0 == 0x80;
        let size = (size..text.len()).find(|&at| !is_cut(at)).unwrap_or(text.len());
        let block = if is_last { text } else { &text[..size] };
        let part = self.part(encoder, block, source, is_last);
        let (bytes, after) = text.split_at(part.bytes);
        *rest = after;
        part.with(bytes)
    }
}

/// The parts of one text put together again.
#[derive(Debug)]
pub struct Joiner {
    end: Option<End>,
    /// Bytes of the text before the part that `end` belongs to.
    n_before: u64,
    /// Bytes of the text that were taken.
    n_bytes: u64,
    /// Parts that were encoded a second time.
    n_again: usize,
}

impl Default for Joiner {
    fn default() -> Self {
        Self { end: Some(End::Cut(Entry::Pretoken)), n_before: 0, n_bytes: 0, n_again: 0 }
    }
}

impl Joiner {
    /// Take the next part: its ids, to be added to those before, or the fault with its place in
    /// the whole text, and the ids before it.
    ///
    /// Cost: none for a part that begins as was said; otherwise it is encoded here.
    pub fn take<Bytes: AsRef<[u8]>>(
        &mut self,
        encoder: &Encoder,
        next: Encoded<Bytes>,
    ) -> (Vec<u32>, Result<(), Error>) {
        let Encoded { part, outcome } = next;
        let before = self.end.take().unwrap_or(End::Cut(Entry::Pretoken));
        let is_fresh = matches!(before, End::Cut(_));
        if is_fresh {
            self.n_before = self.n_bytes;
        }
        let outcome = match (outcome, before, part.entry) {
            (Some(outcome), End::Cut(found), Some(expected)) if found == expected => outcome,
            (outcome, before, _) => {
                self.n_again += usize::from(outcome.is_some());
                let mut ids = outcome.map(|outcome| outcome.ids).unwrap_or_default();
                ids.clear();
                encoder.encode_behind(before, &part, ids)
            }
        };
        self.n_bytes += part.bytes.as_ref().len() as u64;
        let Outcome { ids, end } = outcome;
        let result = end.map(|end| self.end = Some(end));
        let absolute = |error: Error| Error { offset: error.offset + self.n_before, ..error };
        (ids, result.map_err(absolute))
    }

    /// Parts whose ids were thrown away.
    #[must_use]
    pub fn n_again(&self) -> usize {
        self.n_again
    }
}

/// Encode one text, whose parts `next` makes, on `n_threads` threads. `take` is given the ids of
/// each part in order, and breaks if no more are wanted; `is_wanted` is asked every few
/// milliseconds. All three are called on this thread.
///
/// True if all was encoded; an error has its place in the whole text, and the ids before it were
/// given to `take`.
pub fn encode<Bytes: AsRef<[u8]> + Send>(
    encoder: &Encoder,
    n_threads: usize,
    next: impl FnMut() -> Option<Part<Bytes>>,
    take: impl FnMut(&[u32]) -> ControlFlow<()>,
    is_wanted: impl FnMut() -> bool,
) -> Result<bool, Error> {
    let spare = Mutex::new(Vec::new());
    let joiner = Joiner::default();
    let mut text =
        OneText { encoder, next, take, is_wanted, joiner, spare: &spare, result: Ok(()) };
    let is_all = in_order(n_threads, &mut text, |part| {
        let list = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        encoder.encode(part, list.unwrap_or_default())
    });
    text.result.map(|()| is_all)
}

struct OneText<'a, Next, Take, IsWanted> {
    encoder: &'a Encoder,
    next: Next,
    take: Take,
    is_wanted: IsWanted,
    joiner: Joiner,
    /// Lists of ids to use again: new ones would be handed out by the system page by page.
    spare: &'a Mutex<Vec<Vec<u32>>>,
    result: Result<(), Error>,
}

impl<Bytes, Next, Take, IsWanted> Caller<Part<Bytes>, Encoded<Bytes>>
    for OneText<'_, Next, Take, IsWanted>
where
    Bytes: AsRef<[u8]>,
    Next: FnMut() -> Option<Part<Bytes>>,
    Take: FnMut(&[u32]) -> ControlFlow<()>,
    IsWanted: FnMut() -> bool,
{
    fn next(&mut self) -> Option<Part<Bytes>> {
        (self.next)()
    }

    fn take(&mut self, encoded: Encoded<Bytes>) -> ControlFlow<()> {
        let (mut ids, result) = self.joiner.take(self.encoder, encoded);
        let mut flow = (self.take)(&ids);
        if result.is_err() {
            self.result = result;
            flow = ControlFlow::Break(());
        }
        ids.clear();
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(ids);
        flow
    }

    fn is_wanted(&mut self) -> bool {
        (self.is_wanted)()
    }
}
