//! The way of text through what most tokenizers do not have.
//!
//! In: runs of text between the added tokens that a plain search finds. Out: ids. Held back: what
//! the stages hold back. Every stage says from how many bytes of the segments' text its output
//! came, so that what ids cover can be traced back.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::core::Core;
use crate::levels::{LevelState, Sink};
use crate::normalize::Normalizing;
use crate::scratch::Scratch;
use crate::segments::{Marking, Passes, Segment};

use super::pieces::{Pieces, Tools};
use super::record::Record;
use super::run::Run;
use super::sources::Sources;
use super::track::Track;

/// Text that is handed on at once, in bytes.
const MAX_READY: usize = 1 << 15;
/// Room that is kept for it.
const MIN_READY: usize = 1 << 12;

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

/// The stages that make ids of runs of text.
#[derive(Clone, Debug)]
struct Cut {
    route: Route,
    /// Bytes of the segments' text that came here.
    n_source: u64,
}

/// How text becomes pretokens.
#[derive(Clone, Debug)]
enum Route {
    /// By one pattern. `ready`: text that goes there at the end of a step, in one piece.
    Scanned { run: Run, ready: Vec<u8>, track: Track, record: Option<Record> },
    /// By a cascade, or not at all, with care for single pretokens.
    Cascaded { levels: Option<LevelState>, pieces: Pieces },
}

/// What is the same for all steps of a call.
pub(super) struct Context<'a> {
    pub(super) core: &'a Core,
    pub(super) scratch: &'a mut Scratch,
    pub(super) out: &'a mut Vec<u32>,
    pub(super) passes: Option<&'a Arc<Passes>>,
}

impl Context<'_> {
    fn tools(&mut self) -> Tools<'_> {
        Tools { core: self.core, scratch: self.scratch, out: self.out }
    }
}

impl General {
    /// At the beginning of a text.
    pub(super) fn new(core: &Core, run: &Run) -> Self {
        let route = if core.cuts_pieces() {
            Route::Cascaded { levels: None, pieces: Pieces::default() }
        } else {
            Route::Scanned {
                run: run.anew(),
                ready: Vec::new(),
                track: Track::default(),
                record: None,
            }
        };
        let normalizing = (!core.normalizer.is_empty()).then(|| core.normalizer.begin());
        let late = Late {
            second: Marking::default(),
            sources: Sources::default(),
            earlier: VecDeque::new(),
            cut: Cut { route, n_source: 0 },
        };
        Self { first: Marking::default(), rest: Rest { normalizing, late } }
    }

    /// Remember what every id stands for.
    pub(super) fn start_record(&mut self) {
        let record = match &mut self.rest.late.cut.route {
            Route::Scanned { track, record, .. } => {
                track.keep_all();
                record
            }
            Route::Cascaded { pieces, .. } => {
                pieces.track.keep_all();
                &mut pieces.record
            }
        };
        *record = Some(Record::default());
    }

    /// The bytes of the segments' text that each id stands for.
    pub(super) fn spans(&mut self) -> Vec<Range<u64>> {
        match self.rest.late.cut.tracks() {
            (track, Some(record)) => record.spans(track.places()),
            _ => Vec::new(),
        }
    }

    /// Bytes of the segments' text that ids cover.
    pub(super) fn covered(&self) -> u64 {
        let (places, n_pending) = match &self.rest.late.cut.route {
            Route::Scanned { run, ready, track, .. } => {
                (track.places(), run.n_pending() + ready.len())
            }
            Route::Cascaded { pieces, .. } => (pieces.track.places(), pieces.n_pending()),
        };
        places.source(places.n_text() - n_pending as u64)
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

    /// The end of a feed: emit all that no continuation can change.
    pub(super) fn settle(&mut self, context: &mut Context<'_>) {
        self.rest.late.cut.hand_on(context);
        match &mut self.rest.late.cut.route {
            Route::Scanned { run, track, record, .. } => {
                let Context { core, scratch, out, .. } = context;
                let begin = out.len();
                run.settle(core, scratch, out);
                Record::expand(record, core, out, begin, &mut false, None);
                track.forget(run.n_pending());
            }
            Route::Cascaded { pieces, .. } => pieces.emit_stable(&mut context.tools()),
        }
    }

    /// The segment ends: encode all that is pending.
    pub(super) fn finish(&mut self, context: &mut Context<'_>) {
        self.release_first(context);
        self.rest.finish(context);
    }

    /// The next `n_source` bytes of the segments' text are an added token with this id, found by
    /// the plain search.
    pub(super) fn token(&mut self, context: &mut Context<'_>, id: u32, n_source: usize) {
        self.finish(context);
        self.rest.late.cut.token(context, id, n_source);
    }
}

impl Rest {
    fn take(&mut self, context: &mut Context<'_>, segment: &Segment<'_>) {
        match *segment {
            Segment::Text(text) => self.text(context, text),
            Segment::Special { id, n_bytes } => {
                self.finish(context);
                self.late.cut.token(context, id, n_bytes);
            }
            Segment::Dropped { n_bytes } => self.late.cut.skip(n_bytes),
            Segment::Forbidden { .. } => {}
        }
    }

    fn text(&mut self, context: &mut Context<'_>, text: &[u8]) {
        let Self { normalizing, late } = self;
        match normalizing {
            Some(normalizing) => {
                normalizing.push(text, &mut |text, n_source| late.text(context, text, n_source));
            }
            None => late.text(context, text, text.len()),
        }
    }

    fn finish(&mut self, context: &mut Context<'_>) {
        let Self { normalizing, late } = self;
        if let Some(normalizing) = normalizing {
            normalizing.finish(&mut |text, n_source| late.text(context, text, n_source));
        }
        late.finish(context);
    }
}

impl Late {
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

impl Cut {
    fn take(&mut self, context: &mut Context<'_>, sources: &mut Sources, segment: &Segment<'_>) {
        match *segment {
            Segment::Text(text) => {
                let mut rest = text;
                sources.take(text.len(), &mut |n_text, n_source| {
                    let (part, after) = rest.split_at(n_text);
                    self.text(context, part, n_source);
                    rest = after;
                });
            }
            Segment::Special { id, n_bytes } => {
                self.finish(context);
                let (mut n_before, mut n_sources, mut has_begun) = (0, 0, false);
                sources.take(n_bytes, &mut |n_text, n_source| {
                    has_begun |= n_text > 0;
                    *if has_begun { &mut n_sources } else { &mut n_before } += n_source;
                });
                self.pass(n_before);
                self.token(context, id, n_sources);
            }
            Segment::Dropped { n_bytes } => {
                sources.take(n_bytes, &mut |_, n_source| self.skip(n_source));
            }
            Segment::Forbidden { .. } => {}
        }
    }

    /// `text`, which came from `n_source` bytes, goes to be cut.
    fn text(&mut self, context: &mut Context<'_>, text: &[u8], n_source: usize) {
        match &mut self.route {
            Route::Scanned { ready, track, .. } => {
                track.add(text, n_source);
                ready.extend_from_slice(text);
                if ready.len() >= MAX_READY {
                    self.hand_on(context);
                }
            }
            Route::Cascaded { levels, pieces } => {
                if text.is_empty() && levels.is_none() {
                    pieces.push(&mut context.tools(), text, n_source);
                } else {
                    let is_first = self.n_source == 0;
                    let core = context.core;
                    let state =
                        levels.get_or_insert_with(|| LevelState::new(&core.levels, is_first));
                    let mut sink = PieceSink { pieces, tools: context.tools() };
                    state.push(&core.levels, text, n_source, &mut sink);
                }
            }
        }
        self.n_source += n_source as u64;
    }

    /// The end of a step: nothing waits here.
    fn hand_on(&mut self, context: &mut Context<'_>) {
        match &mut self.route {
            Route::Scanned { run, ready, track, record } => {
                if ready.is_empty() {
                    return;
                }
                let Context { core, scratch, out, .. } = context;
                let begin = out.len();
                run.feed(core, scratch, ready, out);
                ready.clear();
                ready.shrink_to(MIN_READY); // a stream at rest is small
                Record::expand(record, core, out, begin, &mut false, None);
                track.forget(run.n_pending());
            }
            Route::Cascaded { pieces, .. } => pieces.flush(&mut context.tools()),
        }
    }

    /// The run of text ends: encode all that is pending.
    fn finish(&mut self, context: &mut Context<'_>) {
        self.hand_on(context);
        match &mut self.route {
            Route::Scanned { run, track, record, .. } => {
                let Context { core, scratch, out, .. } = context;
                let begin = out.len();
                run.finish(core, scratch, out);
                Record::expand(record, core, out, begin, &mut false, None);
                track.end_run();
                track.forget(0);
            }
            Route::Cascaded { levels, pieces } => {
                let core = context.core;
                let mut sink = PieceSink { pieces, tools: context.tools() };
                if let Some(mut state) = levels.take() {
                    state.finish(&core.levels, &mut sink);
                }
                sink.pieces.flush(&mut sink.tools);
                // What levels removed at the end of the run.
                let n_removed = self.n_source - pieces.track.places().n_source();
                pieces.track.add(&[], n_removed as usize);
                pieces.track.end_run();
            }
        }
    }

    /// The next `n_source` bytes of the segments' text are an added token.
    fn token(&mut self, context: &mut Context<'_>, id: u32, n_source: usize) {
        let (track, record) = self.tracks();
        if let Some(record) = record {
            let begin = track.places().n_source();
            record.token(begin..begin + n_source as u64);
        }
        self.pass(n_source);
        context.out.push(id);
    }

    /// The next `n_source` bytes of the segments' text are in no run of text; they belong to the
    /// token before them, if there is none between.
    fn skip(&mut self, n_source: usize) {
        let (track, record) = self.tracks();
        if let Some(record) = record {
            record.widen(track.places().n_source(), n_source);
        }
        self.pass(n_source);
    }

    fn pass(&mut self, n_source: usize) {
        let (track, _) = self.tracks();
        track.add(&[], n_source);
        track.forget(0);
        self.n_source += n_source as u64;
    }

    fn tracks(&mut self) -> (&mut Track, Option<&mut Record>) {
        match &mut self.route {
            Route::Scanned { track, record, .. } => (track, record.as_mut()),
            Route::Cascaded { pieces, .. } => (&mut pieces.track, pieces.record.as_mut()),
        }
    }
}

/// Takes what levels give.
struct PieceSink<'a, 'b> {
    pieces: &'a mut Pieces,
    tools: Tools<'b>,
}

impl Sink for PieceSink<'_, '_> {
    fn text(&mut self, text: &[u8], n_source: usize) {
        self.pieces.push(&mut self.tools, text, n_source);
    }

    fn end(&mut self) {
        self.pieces.end(&mut self.tools);
    }
}
