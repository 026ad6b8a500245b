//! Runs of text, normalized, between added tokens → ids; and the added tokens between them.
//!
//! In: text with the number of bytes of the segments' text that it came from, and where runs end.
//! Out: ids. Held back: what the pattern or the levels, and then merging, hold back.

use std::ops::Range;

use crate::core::Core;
use crate::levels::{AND_BEHIND, LevelState, Sink, source_bytes};
use crate::scratch::Scratch;
use crate::segments::Segment;
use crate::tokens::Pretokens;

use super::general::Context;
use super::pieces::{Pieces, Tools};
use super::record::Record;
use super::run::Run;
use super::sources::Sources;
use super::track::Track;

/// Text that is handed on at once, in bytes.
const MAX_READY: usize = 1 << 15;
/// Room that is kept for it.
const MIN_READY: usize = 1 << 12;

/// The stages that make ids of runs of text.
#[derive(Clone, Debug)]
pub(super) struct Cut {
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

impl Cut {
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
        Self { route, n_source: 0 }
    }

    /// Remember what every id stands for.
    pub(super) fn start_record(&mut self) {
        let record = match &mut self.route {
            Route::Scanned { run, track, record, .. } => {
                track.keep_all();
                run.cuts = Some(Vec::new());
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
        match self.tracks() {
            (track, Some(record)) => record.spans(track.places()),
            _ => Vec::new(),
        }
    }

    /// For each id, how many pretokens and added tokens come before the one it belongs to; and
    /// which ids are added tokens.
    pub(super) fn words(&mut self) -> (Vec<u32>, Vec<u32>) {
        self.tracks().1.map(|record| record.words()).unwrap_or_default()
    }

    /// Bytes of the segments' text of which it is open to which pretoken they belong.
    pub(super) fn n_undecided(&self, core: &Core) -> usize {
        match &self.route {
            Route::Scanned { run, track, .. } => {
                let places = track.places();
                let decided = places.n_text() - run.n_undecided(core) as u64;
                (places.n_source() - places.source(decided)) as usize
            }
            Route::Cascaded { levels, .. } => levels.as_ref().map_or(0, LevelState::n_held),
        }
    }

    /// Bytes of the segments' text that ids cover.
    pub(super) fn covered(&self) -> u64 {
        let (places, n_pending) = match &self.route {
            Route::Scanned { run, ready, track, .. } => {
                (track.places(), run.n_pending() + ready.len())
            }
            Route::Cascaded { pieces, .. } => (pieces.track.places(), pieces.n_pending()),
        };
        places.source(places.n_text() - n_pending as u64)
    }

    /// Part of the text that `sources` knows about, or an added token in it.
    pub(super) fn take(
        &mut self,
        context: &mut Context<'_>,
        sources: &mut Sources,
        segment: &Segment<'_>,
    ) {
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
                let (mut begins_inside, mut last) = (false, 0);
                sources.take(n_bytes, &mut |n_text, n_source| {
                    begins_inside |= !has_begun && n_text > 0 && n_source == 0;
                    has_begun |= n_text > 0;
                    *if has_begun { &mut n_sources } else { &mut n_before } += n_source;
                    last = if n_source > 0 { taken(n_text, n_source) } else { last };
                });
                self.pass(n_before);
                self.note_token(n_sources, begins_inside);
                let last = if last & AND_BEHIND > 0 { last } else { 0 };
                self.pass(n_sources - source_bytes(last));
                self.pass(last);
                context.out.push(id);
            }
            Segment::Dropped { n_bytes } => {
                sources.take(n_bytes, &mut |n_text, n_source| self.skip(taken(n_text, n_source)));
            }
            Segment::Forbidden { .. } => {}
        }
    }

    /// `text`, which came from `n_source` bytes, goes to be cut.
    pub(super) fn text(&mut self, context: &mut Context<'_>, text: &[u8], n_source: usize) {
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
    pub(super) fn hand_on(&mut self, context: &mut Context<'_>) {
        match &mut self.route {
            Route::Scanned { run, ready, track, record } => {
                if ready.is_empty() {
                    return;
                }
                let text = std::mem::take(ready);
                let start = track.places().n_text() - text.len() as u64 - run.n_taken();
                step(run, start, record, context, |run, core, scratch, out| {
                    run.feed(core, scratch, &text, out);
                });
                *ready = text;
                ready.clear();
                ready.shrink_to(MIN_READY); // a stream at rest is small
                track.forget(run.n_pending());
            }
            Route::Cascaded { pieces, .. } => pieces.flush(&mut context.tools()),
        }
    }

    /// Is it remembered what every id stands for?
    pub(super) fn has_record(&self) -> bool {
        match &self.route {
            Route::Scanned { record, .. } => record.is_some(),
            Route::Cascaded { pieces, .. } => pieces.record.is_some(),
        }
    }

    /// Does nothing wait, so that what comes begins a token?
    pub(super) fn is_closed(&self) -> bool {
        match &self.route {
            Route::Scanned { run, ready, .. } => ready.is_empty() && run.is_closed(),
            Route::Cascaded { .. } => false,
        }
    }

    /// Likewise, and is all as at the beginning of a text?
    pub(super) fn is_idle(&self) -> bool {
        match &self.route {
            Route::Scanned { run, ready, .. } => ready.is_empty() && run.is_idle(),
            Route::Cascaded { .. } => false,
        }
    }

    /// A token ends behind the text so far: let all its ids be out. False if that cannot be.
    pub(super) fn close_here(&mut self, context: &mut Context<'_>) -> bool {
        self.hand_on(context);
        let Route::Scanned { run, track, .. } = &mut self.route else { return false };
        let Context { core, scratch, out, .. } = context;
        let begin = out.len();
        run.close_here(core, scratch, out);
        core.expansions.expand(out, begin, &mut false);
        track.forget(0);
        true
    }

    /// Encode `parts` of a text as the source has it; they came from the next `n_source` bytes. Only
    /// while nothing waits.
    pub(super) fn encode_parts(
        &mut self,
        context: &mut Context<'_>,
        parts: Pretokens<'_>,
        n_source: usize,
    ) {
        let Route::Scanned { run, track, .. } = &mut self.route else { return };
        let Context { core, scratch, out, .. } = context;
        let first = out.len();
        run.encode_parts(core, scratch, parts, out);
        core.expansions.expand(out, first, &mut false);
        track.add(&[], n_source);
        track.forget(0);
        self.n_source += n_source as u64;
    }

    /// The run through the pattern, if a single one does all the cutting.
    pub(super) fn run(&mut self) -> Option<&mut Run> {
        match &mut self.route {
            Route::Scanned { run, .. } => Some(run),
            Route::Cascaded { .. } => None,
        }
    }

    /// The end of a feed: emit all that no continuation can change.
    pub(super) fn settle(&mut self, context: &mut Context<'_>) {
        self.hand_on(context);
        match &mut self.route {
            Route::Scanned { run, track, record, .. } => {
                let start = track.places().n_text() - run.n_taken();
                step(run, start, record, context, Run::settle);
                track.forget(run.n_pending());
            }
            Route::Cascaded { pieces, .. } => pieces.emit_stable(&mut context.tools()),
        }
    }

    /// The run of text ends: encode all that is pending.
    pub(super) fn finish(&mut self, context: &mut Context<'_>) {
        self.hand_on(context);
        match &mut self.route {
            Route::Scanned { run, track, record, .. } => {
                let start = track.places().n_text() - run.n_taken();
                step(run, start, record, context, Run::finish);
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
    pub(super) fn token(&mut self, context: &mut Context<'_>, id: u32, n_source: usize) {
        self.note_token(n_source, false);
        self.pass(n_source);
        context.out.push(id);
    }

    /// Remember where the added token is that comes next. `begins_inside`: with the last part of
    /// the text that one character became.
    fn note_token(&mut self, n_source: usize, begins_inside: bool) {
        let (track, record) = self.tracks();
        let Some(record) = record else { return };
        let at = track.places().n_source();
        let begin = if begins_inside { track.last_character(at) } else { at };
        record.token(begin..at + n_source as u64);
    }

    /// The next `n_source` bytes of the segments' text are in no run of text; they belong to the
    /// token before them, if there is none between.
    pub(super) fn skip(&mut self, n_source: usize) {
        let (track, record) = self.tracks();
        if let Some(record) = record {
            record.widen(track.places().n_source(), source_bytes(n_source));
        }
        self.pass(n_source);
    }

    /// The next `n_source` bytes of the segments' text become no text; see `AND_BEHIND`.
    pub(super) fn pass(&mut self, n_source: usize) {
        let (track, _) = self.tracks();
        track.add(&[], n_source);
        track.forget(0);
        self.n_source += source_bytes(n_source) as u64;
    }

    fn tracks(&mut self) -> (&mut Track, Option<&mut Record>) {
        match &mut self.route {
            Route::Scanned { track, record, .. } => (track, record.as_mut()),
            Route::Cascaded { pieces, .. } => (&mut pieces.track, pieces.record.as_mut()),
        }
    }
}

/// The source of `n_text` bytes that go into no run; of one character, what is left of it comes
/// from there, too.
fn taken(n_text: usize, n_source: usize) -> usize {
    let is_character = n_text > 0 && n_source > 0 && n_text != n_source;
    if is_character { n_source | AND_BEHIND } else { n_source }
}

/// Let a run of text, which begins at `start`, take a step; note where its pretokens ended.
fn step(
    run: &mut Run,
    start: u64,
    record: &mut Option<Record>,
    context: &mut Context<'_>,
    act: impl FnOnce(&mut Run, &Core, &mut Scratch, &mut Vec<u32>),
) {
    let Context { core, scratch, out, .. } = context;
    let begin = out.len();
    act(run, core, scratch, out);
    if let (Some(cuts), Some(record)) = (&mut run.cuts, &mut *record) {
        cuts.drain(..).for_each(|end| record.end(start + end));
    }
    Record::expand(record, core, out, begin, &mut false, None);
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
