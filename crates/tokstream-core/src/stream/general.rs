//! The way of text through what most tokenizers do not have.
//!
//! In: runs of text between the added tokens that are found in the source. Out: ids. Held back:
//! what the stages hold back. Every stage says from how many bytes of the segments' text its
//! output came, so that what ids cover can be traced back.

use crate::chunks::Places;
use crate::core::Core;
use crate::scratch::Scratch;

use super::Run;
use super::pieces::{Pieces, Tools};

/// The stages behind the segments.
#[derive(Clone, Debug)]
pub(super) struct General {
    route: Route,
}

/// How text becomes pretokens.
#[derive(Clone, Debug)]
enum Route {
    /// By one pattern.
    Scanned { run: Run, places: Places },
    /// By a cascade, or not at all, with care for single pretokens.
    Cut { pieces: Pieces },
}

impl General {
    /// At the beginning of a text.
    pub(super) fn new(core: &Core, run: &Run) -> Self {
        let route = if core.cuts_pieces() {
            Route::Cut { pieces: Pieces::default() }
        } else {
            Route::Scanned { run: run.anew(), places: Places::default() }
        };
        Self { route }
    }

    /// Bytes of the segments' text that ids cover.
    pub(super) fn covered(&self) -> u64 {
        let (places, n_pending) = match &self.route {
            Route::Scanned { run, places } => (places, run.n_pending()),
            Route::Cut { pieces } => (&pieces.places, pieces.n_pending()),
        };
        places.source(places.n_text() - n_pending as u64)
    }

    /// Take text of the current segment.
    pub(super) fn feed(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        text: &[u8],
        out: &mut Vec<u32>,
    ) {
        self.take(core, scratch, text, text.len(), out);
    }

    /// `text`, which came from `n_source` bytes, goes to be cut.
    fn take(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        text: &[u8],
        n_source: usize,
        out: &mut Vec<u32>,
    ) {
        match &mut self.route {
            Route::Scanned { run, places } => {
                let (at, begin) = (places.n_source(), out.len());
                places.add(text.len(), at..at + n_source as u64);
                run.feed(core, scratch, text, out);
                core.expansions.expand(out, begin, &mut false);
                places.forget(places.n_text() - run.n_pending() as u64);
            }
            Route::Cut { pieces } => {
                let mut tools = Tools { core, scratch, out };
                pieces.push(&mut tools, text, n_source);
                pieces.flush(&mut tools);
            }
        }
    }

    /// The end of a feed: emit all that no continuation can change.
    pub(super) fn settle(&mut self, core: &Core, scratch: &mut Scratch, out: &mut Vec<u32>) {
        match &mut self.route {
            Route::Scanned { run, .. } => {
                let begin = out.len();
                run.settle(core, scratch, out);
                core.expansions.expand(out, begin, &mut false);
            }
            Route::Cut { pieces } => pieces.emit_stable(&mut Tools { core, scratch, out }),
        }
    }

    /// The segment ends: encode all that is pending.
    pub(super) fn finish(&mut self, core: &Core, scratch: &mut Scratch, out: &mut Vec<u32>) {
        match &mut self.route {
            Route::Scanned { run, .. } => {
                let begin = out.len();
                run.finish(core, scratch, out);
                core.expansions.expand(out, begin, &mut false);
            }
            Route::Cut { pieces } => {
                let mut tools = Tools { core, scratch, out };
                pieces.end(&mut tools);
                pieces.flush(&mut tools);
            }
        }
    }

    /// The next `n_source` bytes of the segments' text are an added token.
    pub(super) fn skip(&mut self, n_source: usize) {
        let places = match &mut self.route {
            Route::Scanned { places, .. } => places,
            Route::Cut { pieces } => &mut pieces.places,
        };
        let at = places.n_source();
        places.add(0, at..at + n_source as u64);
        places.forget(places.n_text());
    }
}
