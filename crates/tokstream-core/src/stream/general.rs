//! The way of text through what most tokenizers do not have.
//!
//! In: runs of text between the added tokens that a plain search finds. Out: ids. Held back: what
//! the stages hold back. Every stage says from how many bytes of the segments' text its output
//! came, so that what ids cover can be traced back.

mod deferred;
mod parted;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::core::Core;
use crate::normalize::Normalizing;
use crate::scratch::Scratch;
use crate::segments::{Marking, Passes, Segment};

use super::Held;
use super::cut::Cut;
use super::pieces::Tools;
use super::run::Run;
use super::sources::Sources;
use deferred::Deferred;

/// The stages behind the plain search.
#[derive(Clone, Debug)]
pub(super) struct General {
    first: Marking,
    rest: Rest,
}

/// The stages behind the first pass.
#[derive(Clone, Debug)]
struct Rest {
    normalizing: Option<Normalizing>,
    late: Late,
    /// What comes next, before which a token ends for certain.
    deferred: Deferred,
}

/// The stages behind the normalizer.
#[derive(Clone, Debug)]
struct Late {
    second: Marking,
    /// Where the text that the second pass holds came from.
    sources: Sources,
    /// Sets that were in force before, each for so many bytes of source that the normalizer held
    /// when the set changed.
    earlier: VecDeque<(usize, Option<Arc<Passes>>)>,
    cut: Cut,
}

/// What is the same for all steps of a call.
pub(super) struct Context<'a> {
    pub(super) core: &'a Core,
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut Vec<u32>,
    pub(super) passes: Option<&'a Arc<Passes>>,
}

impl Context<'_> {
    pub(super) fn tools(&mut self) -> Tools<'_> {
        Tools { core: self.core, scratch: self.scratch, out: self.out }
    }
}

impl General {
    /// At the beginning of a text.
    pub(super) fn new(core: &Core, run: &Run) -> Self {
        let normalizing = (!core.normalizer.is_empty()).then(|| core.normalizer.begin());
        let late = Late {
            second: Marking::default(),
            sources: Sources::default(),
            earlier: VecDeque::new(),
            cut: Cut::new(core, run),
        };
        Self {
            first: Marking::default(),
            rest: Rest { normalizing, late, deferred: Deferred::default() },
        }
    }

    /// Remember what every id stands for.
    pub(super) fn start_record(&mut self) {
        self.rest.late.cut.start_record();
    }

    /// The bytes of the segments' text that each id stands for.
    pub(super) fn spans(&mut self) -> Vec<Range<u64>> {
        self.rest.late.cut.spans()
    }

    /// For each id, how many pretokens and added tokens come before the one it belongs to; and
    /// which ids are added tokens.
    pub(super) fn words(&mut self) -> (Vec<u32>, Vec<u32>) {
        self.rest.late.cut.words()
    }

    /// Bytes of the segments' text that wait, see `Held`.
    pub(super) fn held(&self, core: &Core) -> Held {
        let Rest { normalizing, late, .. } = &self.rest;
        Held {
            n_chunks: 0,
            n_segments: self.first.n_held(),
            n_normalizer: normalizing.as_ref().map_or(0, Normalizing::n_held),
            n_late_segments: late.sources.n_source(),
            n_pretokens: late.cut.n_undecided(core),
        }
    }

    /// Bytes of the segments' text that ids cover.
    pub(super) fn covered(&self) -> u64 {
        self.rest.late.cut.covered()
    }

    /// Take text of the current segment.
    pub(super) fn feed(&mut self, context: &mut Context<'_>, text: &[u8]) {
        match context.passes {
            Some(passes) => {
                let rest = &mut self.rest;
                let result = self.first.push(&passes.first, text, &mut |segment| {
                    rest.take(context, &segment);
                    Ok::<(), ()>(())
                });
                debug_assert!(result.is_ok(), "the sink never fails");
            }
            None => self.rest.text(context, text),
        }
        self.rest.late.cut.hand_on(context);
    }

    /// Nothing of the text that is held for added tokens can become one any more, also not with
    /// what follows: others will be looked for.
    pub(super) fn release(&mut self, context: &mut Context<'_>) {
        self.release_first(context);
        self.rest.undefer(context);
        let n_held = self.rest.normalizing.as_ref().map_or(0, Normalizing::n_held);
        self.rest.late.change(context, n_held);
        self.rest.late.cut.hand_on(context);
    }

    fn release_first(&mut self, context: &mut Context<'_>) {
        let Some(passes) = context.passes else { return };
        let rest = &mut self.rest;
        let result = self.first.release(&passes.first, &mut |segment| {
            rest.take(context, &segment);
            Ok::<(), ()>(())
        });
        debug_assert!(result.is_ok(), "the sink never fails");
    }

    /// The end of a feed: encode what was deferred.
    pub(super) fn end_feed(&mut self, context: &mut Context<'_>) {
        self.rest.undefer(context);
        self.rest.deferred.shrink();
        self.rest.late.cut.hand_on(context);
    }

    /// The end of a feed: emit all that no continuation can change.
    pub(super) fn settle(&mut self, context: &mut Context<'_>) {
        self.rest.undefer(context);
        self.rest.late.cut.settle(context);
    }

    /// The text so far is followed by a character that normalizing it does not depend on: the run
    /// that has all of it. `None` if there is more than a normalizer before that.
    pub(super) fn cut(&mut self, context: &mut Context<'_>) -> Option<&mut Run> {
        self.rest.undefer(context);
        let Rest { normalizing, late, .. } = &mut self.rest;
        if context.passes.is_some() {
            return None;
        }
        if let Some(normalizing) = normalizing {
            normalizing.finish(&mut |text, n_source| late.text(context, text, n_source));
        }
        late.cut.hand_on(context);
        late.cut.run()
    }

    /// The segment ends: encode all that is pending.
    pub(super) fn finish(&mut self, context: &mut Context<'_>) {
        self.release_first(context);
        self.rest.finish(context);
    }

    /// The next `n_source` bytes of the segments' text are an added token with this id, found by
    /// the plain search.
    pub(super) fn token(&mut self, context: &mut Context<'_>, id: u32, n_source: usize) {
        self.release_first(context);
        self.rest.token(context, id, n_source);
    }
}

impl Rest {
    fn take(&mut self, context: &mut Context<'_>, segment: &Segment<'_>) {
        match *segment {
            Segment::Text(text) => self.text(context, text),
            Segment::Special { id, n_bytes } => self.token(context, id, n_bytes),
            Segment::Dropped { n_bytes } => {
                self.undefer(context);
                self.late.cut.skip(n_bytes);
            }
            Segment::Forbidden { .. } => {}
        }
    }

    fn grow(&mut self, context: &mut Context<'_>, text: &[u8]) {
        let Self { normalizing, late, .. } = self;
        match normalizing {
            Some(normalizing) => {
                normalizing.push(text, &mut |text, n_source| late.text(context, text, n_source));
            }
            None => late.text(context, text, text.len()),
        }
    }

    fn finish(&mut self, context: &mut Context<'_>) {
        self.close_deferred(context);
        let Self { normalizing, late, .. } = self;
        if let Some(normalizing) = normalizing {
            normalizing.finish(&mut |text, n_source| late.text(context, text, n_source));
        }
        late.finish(context);
    }
}

impl Late {
    /// Need it not be known what becomes of each byte?
    fn is_simple(&self) -> bool {
        self.earlier.is_empty() && !self.cut.has_record()
    }

    fn text(&mut self, context: &mut Context<'_>, text: &[u8], n_source: usize) {
        let (mut text, mut n_source) = (text, n_source);
        while let Some((n, passes)) = self.earlier.front_mut() {
            let passes = passes.clone();
            if n_source > *n && text.len() != n_source {
                // A character that comes from both sides of the change is plain text.
                self.release(context, passes.as_deref());
                self.cut.text(context, text, n_source);
                return self.leave(context, n_source);
            }
            let n_taken = n_source.min(*n);
            let (part, rest) = text.split_at(if n_taken < n_source { n_taken } else { text.len() });
            self.search(context, passes.as_deref(), part, n_taken);
            self.leave(context, n_taken);
            (text, n_source) = (rest, n_source - n_taken);
            if text.is_empty() && n_source == 0 {
                return;
            }
        }
        let passes = context.passes.cloned();
        self.search(context, passes.as_deref(), text, n_source);
    }

    fn search(
        &mut self,
        context: &mut Context<'_>,
        passes: Option<&Passes>,
        text: &[u8],
        n_source: usize,
    ) {
        let Some(set) = passes.map(|passes| &passes.second).filter(|set| !set.is_empty()) else {
            return self.cut.text(context, text, n_source);
        };
        let Self { second, sources, cut, .. } = self;
        sources.push(text.len(), n_source);
        let result = second.push(set, text, &mut |segment| {
            cut.take(context, sources, &segment);
            Ok::<(), ()>(())
        });
        debug_assert!(result.is_ok(), "the sink never fails");
    }

    /// Another set is in force for what the normalizer is given from here on.
    fn change(&mut self, context: &mut Context<'_>, n_held: usize) {
        let n_waiting: usize = self.earlier.iter().map(|&(n, _)| n).sum();
        self.earlier.push_back((n_held.saturating_sub(n_waiting), context.passes.cloned()));
        self.leave(context, 0);
    }

    /// So many bytes of source have come through: leave the sets that were for them.
    fn leave(&mut self, context: &mut Context<'_>, n_source: usize) {
        let mut n_source = n_source;
        while let Some((n, _)) = self.earlier.front_mut() {
            let n_passed = n_source.min(*n);
            *n -= n_passed;
            n_source -= n_passed;
            if *n > 0 {
                return;
            }
            if let Some((_, passes)) = self.earlier.pop_front() {
                self.release(context, passes.as_deref());
            }
        }
    }

    fn release(&mut self, context: &mut Context<'_>, passes: Option<&Passes>) {
        let Some(passes) = passes else { return };
        let Self { second, sources, cut, .. } = self;
        let result = second.release(&passes.second, &mut |segment| {
            cut.take(context, sources, &segment);
            Ok::<(), ()>(())
        });
        debug_assert!(result.is_ok(), "the sink never fails");
    }

    fn finish(&mut self, context: &mut Context<'_>) {
        self.leave(context, usize::MAX);
        let passes = context.passes.cloned();
        self.release(context, passes.as_deref());
        self.second = Marking::default();
        let Self { sources, cut, .. } = self;
        cut.finish(context);
        cut.pass(sources.take_rest());
    }
}
