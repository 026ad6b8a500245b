//! chunks → segments → pretokens → tokens, joined; all mutable state of a stream lives here.
//!
//! Rule: whatever affects the state changes it here, in this file and its folder, and only through
//! `feed`, `feed_special`, `finish` and `reset`.

mod credit;
mod cut;
mod general;
mod parted;
mod parts;
mod pieces;
mod record;
mod run;
mod sources;
mod track;

use std::ops::Range;
use std::sync::Arc;

use crate::chunks::{Decoder, OnInvalid, Places, Source};
use crate::core::Core;
use crate::error::{Error, ErrorKind};
use crate::prefetch::prefetch_text;
use crate::scratch::{Lease, Scratch};
use crate::segments::{Passes, Segment, Segmenter, SpecialSet};

use general::{Context, General};
pub use run::Delay;
use run::Run;

/// A pretoken longer than this is handed on before it is complete.
const LONG_PIECE: usize = 4096;

/// An encoder that is fed in chunks; the ids it gives are final.
///
/// For every way of cutting the input, the concatenated `feed` results plus `finish` equal the
/// encoding of the whole.
#[derive(Clone, Debug)]
pub struct Stream {
    core: Arc<Core>,
    specials: Arc<SpecialSet>,
    on_invalid: OnInvalid,
    max_pending: usize,
    decoder: Decoder,
    places: Places,
    segmenter: Segmenter,
    run: Run,
    /// In place of `run`, for tokenizers that need more.
    general: Option<Box<General>>,
    /// The template's ids before (if true) and behind the text are wanted.
    template: Option<bool>,
    n_tokens: u64,
    failure: Option<Error>,
}

/// Bytes that wait in each stage, the last ones fed first; what else is delayed waits to be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// An unfinished character.
    pub n_chunks: usize,
    /// May become an added token.
    pub n_segments: usize,
    /// May be normalized otherwise.
    pub n_normalizer: usize,
    /// May become an added token that is looked for in normalized text.
    pub n_late_segments: usize,
    /// May belong to one pretoken or to another.
    pub n_pretokens: usize,
}

impl Stream {
    /// A stream that honours `specials` until another set is given.
    #[must_use]
    pub fn new(core: Arc<Core>, specials: Arc<SpecialSet>, on_invalid: OnInvalid) -> Self {
        let run = Run::default();
        let general = core.is_general().then(|| Box::new(General::new(&core, &run)));
        Self {
            core,
            specials,
            on_invalid,
            max_pending: usize::MAX,
            decoder: Decoder::default(),
            places: Places::default(),
            segmenter: Segmenter::default(),
            run,
            general,
            template: None,
            n_tokens: 0,
            failure: None,
        }
    }

    /// Choose when ids are emitted; the ids are the same.
    pub fn set_delay(&mut self, delay: Delay) {
        self.run.delay = delay;
        self.begin_general();
    }

    /// Give out the template's ids, too: those before the text with the first ids, those behind
    /// it at the end. To be said before anything is fed.
    pub fn set_template(&mut self, is_wanted: bool) {
        self.template = is_wanted.then_some(true);
    }

    /// Remember what every id stands for, see `spans`. To be said before anything is fed.
    pub fn record(&mut self) {
        let mut general = General::new(&self.core, &self.run);
        general.start_record();
        self.general = Some(Box::new(general));
        self.places.keep_all();
    }

    /// Remember where pretokens end, see `cuts`. To be said before anything is fed.
    pub fn record_cuts(&mut self) {
        self.run.cuts = Some(Vec::new());
    }

    /// Where pretokens ended, in bytes of the text behind its last added token; none if text does
    /// not go through one pattern only.
    #[must_use]
    pub fn cuts(&self) -> Option<&[u64]> {
        if self.general.is_some() { None } else { self.run.cuts.as_deref() }
    }

    /// Forget of those all but the last.
    pub fn forget_cuts(&mut self) {
        if let Some(cuts) = &mut self.run.cuts {
            cuts.drain(..cuts.len().saturating_sub(1));
        }
    }

    /// Begin and end, in bytes of the source, of what each id of the text stands for, as far as
    /// ids were given out; those of the template, which stand for nothing, are left out.
    ///
    /// A token that is a part of a character, or of what became of one, stands for all of it.
    /// Cost: O(ids · log(characters that differ from their source)).
    pub fn spans(&mut self) -> Vec<Range<u64>> {
        let Self { general, places, .. } = self;
        let spans = general.as_mut().map(|general| general.spans()).unwrap_or_default();
        let source = |span: Range<u64>| places.source(span.start)..places.source_end(span.end);
        spans.into_iter().map(source).collect()
    }

    /// For each id of `spans`, how many pretokens and added tokens come before the one it belongs
    /// to; and which ids are added tokens. Cost: O(ids).
    pub fn words(&mut self) -> (Vec<u32>, Vec<u32>) {
        self.general.as_mut().map(|general| general.words()).unwrap_or_default()
    }

    /// What waits where.
    #[must_use]
    pub fn held(&self) -> Held {
        let held = match &self.general {
            Some(general) => general.held(&self.core),
            None => Held { n_pretokens: self.run.n_undecided(&self.core), ..Held::default() },
        };
        let n_segments = held.n_segments + self.segmenter.n_held();
        Held { n_chunks: self.decoder.n_held(), n_segments, ..held }
    }

    fn begin_general(&mut self) {
        if let Some(general) = &mut self.general {
            **general = General::new(&self.core, &self.run);
        }
    }

    /// Refuse to hold more undecided bytes than this.
    pub fn set_max_pending(&mut self, max_pending: usize) {
        self.max_pending = max_pending;
    }

    /// Source bytes fed.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.decoder.n_bytes()
    }

    /// Ids given out.
    #[must_use]
    pub fn n_tokens(&self) -> u64 {
        self.n_tokens
    }

    /// Bytes fed that no emitted id covers yet.
    #[must_use]
    pub fn delay_bytes(&self) -> u64 {
        let covered = if let Some(general) = &self.general {
            general.covered()
        } else {
            let n_pending = (self.segmenter.n_held() + self.run.n_pending()) as u64;
            self.places.n_text() - n_pending
        };
        self.n_bytes() - self.places.source(covered)
    }

    /// The error that stopped this stream, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Take `input` and append the ids that became stable; on an error, those before the fault.
    ///
    /// `settle`: emit all that is stable now. Without it only complete pretokens are, which is
    /// enough, and faster, while more input is at hand.
    pub fn feed(
        &mut self,
        input: &[u8],
        source: Source,
        settle: bool,
        out: &mut Vec<u32>,
    ) -> Result<(), Error> {
        prefetch_text(input);
        self.guard(out, |stream, scratch, out| {
            stream.push(scratch, input, source, out)?;
            stream.end_feed(scratch, out);
            if settle {
                stream.settle(scratch, out);
            }
            Ok(())
        })
    }

    /// End of input: append the remaining ids. The stream begins anew afterwards.
    pub fn finish(&mut self, out: &mut Vec<u32>) -> Result<(), Error> {
        self.guard(out, |stream, scratch, out| {
            stream.end_text(scratch, out)?;
            if stream.template.is_some() {
                out.extend_from_slice(&stream.core.template.1);
            }
            Ok(())
        })
    }

    /// End the text so far and append the special token `id`.
    pub fn feed_special(&mut self, id: u32, out: &mut Vec<u32>) -> Result<(), Error> {
        self.guard(out, |stream, scratch, out| {
            stream.end_text(scratch, out)?;
            out.push(id);
            Ok(())
        })
    }

    /// From here on honour `specials`; no special token forms across this point.
    pub fn set_specials(
        &mut self,
        specials: Arc<SpecialSet>,
        out: &mut Vec<u32>,
    ) -> Result<(), Error> {
        if Arc::ptr_eq(&self.specials, &specials) || self.specials.same(&specials) {
            return Ok(());
        }
        self.guard(out, |stream, scratch, out| {
            stream.release(scratch, out)?;
            if let Some(general) = &mut stream.general {
                let passes = stream.specials.passes();
                general.release(&mut Context { core: &stream.core, scratch, out, passes });
            }
            stream.specials = specials;
            Ok(())
        })
    }

    /// Forget everything fed; counters start again.
    pub fn reset(&mut self) {
        self.decoder = Decoder::default();
        self.places = Places::default();
        self.segmenter = Segmenter::default();
        self.run = self.run.anew();
        self.begin_general();
        self.template = self.template.map(|_| true);
        self.n_tokens = 0;
        self.failure = None;
    }

    /// Mark the stream as failed by something outside, such as an interrupt.
    pub fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    /// Run a step with leased buffers; keep the counters and the failure right.
    fn guard(
        &mut self,
        out: &mut Vec<u32>,
        step: impl FnOnce(&mut Self, &mut Scratch, &mut Vec<u32>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let before = out.len();
        if self.template == Some(true) {
            out.extend_from_slice(&self.core.template.0);
            self.template = Some(false);
        }
        let mut scratch = Lease::new(self.core.identity);
        let mut result = step(self, &mut scratch, out);
        if result.is_err() {
            self.settle(&mut scratch, out);
        }
        if result.is_ok() && self.delay_bytes() > self.max_pending as u64 {
            let kind = ErrorKind::PendingLimit(self.max_pending);
            result = Err(Error { kind, offset: self.n_bytes() });
        }
        self.n_tokens += (out.len() - before) as u64;
        if let Err(error) = &result {
            self.failure = Some(error.clone());
        }
        result
    }

    fn end_feed(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let Self { core, specials, general, .. } = self;
        if let Some(general) = general {
            let passes = specials.passes();
            general.end_feed(&mut Context { core, scratch, out, passes });
        }
    }

    fn settle(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let Self { core, specials, run, general, .. } = self;
        match general {
            Some(general) => {
                let passes = specials.passes();
                general.settle(&mut Context { core, scratch, out, passes });
            }
            None => run.settle(core, scratch, out),
        }
    }

    fn push(
        &mut self,
        scratch: &mut Scratch,
        input: &[u8],
        source: Source,
        out: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let Self { core, specials, on_invalid, decoder, places, segmenter, run, general, .. } =
            self;
        let mut behind = Behind { run, general, passes: specials.passes() };
        decoder.push(input, source, *on_invalid, &mut |text, source| {
            places.add(text.len(), source);
            let mut at = places.n_text() - (text.len() + segmenter.n_held()) as u64;
            segmenter.push(specials, text, &mut |segment| {
                take_segment(core, scratch, &mut behind, places, &segment, &mut at, out)
            })
        })
    }

    /// Nothing of the text that is held for special tokens can become one any more.
    fn release(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) -> Result<(), Error> {
        let Self { core, specials, places, segmenter, run, general, .. } = self;
        let mut behind = Behind { run, general, passes: specials.passes() };
        let mut at = places.n_text() - segmenter.n_held() as u64;
        segmenter.release(specials, &mut |segment| {
            take_segment(core, scratch, &mut behind, places, &segment, &mut at, out)
        })
    }

    fn end_text(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) -> Result<(), Error> {
        let Self { core, specials, on_invalid, decoder, places, segmenter, run, general, .. } =
            self;
        let mut behind = Behind { run, general, passes: specials.passes() };
        decoder.finish(*on_invalid, &mut |text, source| {
            places.add(text.len(), source);
            let mut at = places.n_text() - (text.len() + segmenter.n_held()) as u64;
            segmenter.push(specials, text, &mut |segment| {
                take_segment(core, scratch, &mut behind, places, &segment, &mut at, out)
            })
        })?;
        self.release(scratch, out)?;
        let Self { core, specials, run, general, .. } = self;
        match general {
            Some(general) => {
                let passes = specials.passes();
                general.finish(&mut Context { core, scratch, out, passes });
            }
            None => run.finish(core, scratch, out),
        }
        Ok(())
    }
}

/// Hand a segment, which begins at text offset `at`, to the stages behind.
fn take_segment(
    core: &Core,
    scratch: &mut Scratch,
    behind: &mut Behind<'_>,
    places: &mut Places,
    segment: &Segment<'_>,
    at: &mut u64,
    out: &mut Vec<u32>,
) -> Result<(), Error> {
    let Behind { run, general, passes } = behind;
    if let Some(general) = general {
        let mut context = Context { core, scratch, out, passes: *passes };
        match *segment {
            Segment::Text(text) => general.feed(&mut context, text),
            Segment::Special { id, n_bytes } => general.token(&mut context, id, n_bytes),
            Segment::Dropped { .. } | Segment::Forbidden { .. } => {}
        }
    } else {
        match *segment {
            Segment::Text(text) => run.feed(core, scratch, text, out),
            Segment::Special { id, .. } => {
                run.finish(core, scratch, out);
                run.cuts.as_mut().map(Vec::clear);
                out.push(id);
            }
            Segment::Dropped { .. } | Segment::Forbidden { .. } => {}
        }
    }
    match *segment {
        Segment::Text(text) => *at += text.len() as u64,
        Segment::Special { n_bytes, .. } | Segment::Dropped { n_bytes } => *at += n_bytes as u64,
        Segment::Forbidden { name, n_before } => {
            let kind = ErrorKind::DisallowedSpecial(name.to_owned());
            return Err(Error { kind, offset: places.source(*at + n_before as u64) });
        }
    }
    let covered = match &behind.general {
        Some(general) => general.covered(),
        None => *at - behind.run.n_pending() as u64,
    };
    places.forget(covered);
    Ok(())
}

/// The stages behind the segments: the general ones, if there are any, in place of the run.
struct Behind<'a> {
    run: &'a mut Run,
    general: &'a mut Option<Box<General>>,
    passes: Option<&'a Arc<Passes>>,
}
