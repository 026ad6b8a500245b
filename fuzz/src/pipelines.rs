//! P1, P3, P5 and P7 for all that a format can ask for, which the other targets do not have:
//! normalizers, levels, added tokens with conditions, merge lists, unknown text, templates.
//!
//! Whatever it is made of, a tokenizer gives the same ids and spans for every cut as for the whole
//! text at once; what it gave begins the ids of every continuation; a fork goes on as its origin
//! does; and its time is linear. What the ids should be is the business of the tests in Python,
//! which compare with the libraries whose formats these are.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tokstream_core::chunks::Source;
use tokstream_core::error::{Error, ErrorKind};
use tokstream_core::segments::SpecialSet;
use tokstream_core::stream::Stream;

use super::input::{Input, Text, from_alphabet};
use super::repeated;
use super::specs::Pipeline;

/// Rests that end matches, marks, blanks and added tokens in different ways.
const RESTS: [&str; 12] =
    ["", " ", "a", "b\n", "  x", ">", "<b>", "漢", "字", "\u{301}", "\u{323}1", "A"];
const N_BYTES: usize = 1 << 15;
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 8 } else { 2 });

/// What a stream gave until it ended, and why it ended early.
type Given = (Vec<u32>, Option<Error>);

/// One case: a tokenizer, two choices of added tokens, and where the second takes over.
struct Case {
    pipeline: Pipeline,
    sets: [Arc<SpecialSet>; 2],
    /// The second choice counts from here on.
    change: Option<usize>,
    has_template: bool,
    text: Text,
}

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(pipeline) = Pipeline::read(&mut input) else { return };
    let Some(first) = pipeline.set(&mut input) else { return };
    let Some(second) = pipeline.set(&mut input) else { return };
    let mode = input.byte();
    if mode % 16 == 15 {
        let chunk = [1, 3, 64, 1000, N_BYTES][input.below(5)];
        let text = repeated::read(&mut input, N_BYTES);
        return repeated::is_soon_done(&pipeline.core, &first, &text, chunk, LIMIT, &pipeline);
    }
    let n_rest = input.below(8);
    let own_rest: Vec<u8> = (0..n_rest).map(|_| input.byte()).collect();
    let limit = input.byte() as usize;
    let text = input.text();
    let change = (mode & 1 == 1).then(|| text.cuts.first().copied().unwrap_or(0));
    let case = Case { pipeline, sets: [first, second], change, has_template: mode & 2 == 2, text };
    let whole = case.whole();
    for (name, given) in [("cut", case.cut(false)), ("settled", case.cut(true))] {
        assert_eq!(given, whole, "{name} differs from whole: {case:?}");
    }
    case.spans_agree(&whole);
    case.forks_agree(&whole);
    case.keeps_limit(limit);
    let own_rest = from_alphabet(&own_rest);
    for rest in RESTS.iter().map(|rest| rest.as_bytes()).chain([own_rest.as_slice()]) {
        case.is_stable(rest);
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pipeline, change, has_template, text, .. } = self;
        write!(f, "{text:?}, change {change:?}, template {has_template}, of {pipeline:?}")
    }
}

impl Case {
    fn stream(&self) -> Stream {
        let set = self.sets[0].clone();
        let mut stream = Stream::new(self.pipeline.core.clone(), set, self.text.on_invalid);
        stream.set_delay(self.text.delay);
        stream.set_template(self.has_template);
        stream
    }

    /// Feed `bytes`, of which the first is at `at`; change sets on the way where it is time.
    fn feed(
        &self,
        stream: &mut Stream,
        at: usize,
        bytes: &[u8],
        settle: bool,
        ids: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let source = self.text.source;
        match self.change.and_then(|change| change.checked_sub(at)) {
            Some(n) if n < bytes.len() || (n == 0 && bytes.is_empty()) => {
                stream.feed(&bytes[..n], source, settle, ids)?;
                stream.set_specials(self.sets[1].clone(), ids)?;
                stream.feed(&bytes[n..], source, settle, ids)
            }
            _ => stream.feed(bytes, source, settle, ids),
        }
    }

    /// The whole text in one call, or in two around the change.
    fn whole(&self) -> Given {
        let (mut stream, mut ids) = (self.stream(), Vec::new());
        let fed = self.feed(&mut stream, 0, &self.text.bytes, false, &mut ids);
        let result = fed.and_then(|()| stream.finish(&mut ids));
        self.counts(&stream, &ids, result.is_ok());
        (ids, result.err())
    }

    /// The text cut as the input says; if `settles`, every byte or character by itself, too.
    fn cut(&self, settles: bool) -> Given {
        let (mut stream, mut ids) = (self.stream(), Vec::new());
        let mut at = 0;
        let mut give = |chunk: &[u8], ids: &mut Vec<u32>| {
            let fed = self.feed(&mut stream, at, chunk, settles, ids);
            at += chunk.len();
            fed
        };
        let fed = if settles {
            let parts = smallest(&self.text.bytes, self.text.source);
            parts.into_iter().try_for_each(|part| give(part, &mut ids))
        } else {
            self.text.chunks().try_for_each(|chunk| give(chunk, &mut ids))
        };
        let result = fed.and_then(|()| stream.finish(&mut ids));
        self.counts(&stream, &ids, result.is_ok());
        (ids, result.err())
    }

    fn counts(&self, stream: &Stream, ids: &[u32], is_done: bool) {
        assert_eq!(stream.n_tokens(), ids.len() as u64);
        assert!(stream.delay_bytes() <= stream.n_bytes());
        if is_done {
            assert_eq!(stream.n_bytes(), self.text.bytes.len() as u64);
            assert_eq!(stream.delay_bytes(), 0, "all is covered at the end");
        }
    }

    /// With spans asked for, the ids are the same, and so are the spans for every cut.
    fn spans_agree(&self, (ids, error): &Given) {
        if error.is_some() || self.change.is_some() {
            return;
        }
        let mut known: Option<Vec<Range<u64>>> = None;
        for parts in [vec![self.text.bytes.as_slice()], self.text.chunks().collect()] {
            let (mut stream, mut found) = (self.stream(), Vec::new());
            stream.record();
            for part in parts {
                stream
                    .feed(part, self.text.source_of(part), true, &mut found)
                    .expect("no error before");
            }
            stream.finish(&mut found).expect("no error before");
            assert_eq!(&found, ids, "asking for spans changes ids: {self:?}");
            let spans = stream.spans();
            let n_template = if self.has_template { 2 } else { 0 };
            assert_eq!(spans.len() + n_template, ids.len(), "one span per id of the text");
            let n_bytes = self.text.bytes.len() as u64;
            assert!(spans.iter().all(|span| span.start <= span.end && span.end <= n_bytes));
            if let Some(known) = &known {
                assert_eq!(&spans, known, "spans depend on the cut: {self:?}");
            }
            known = Some(spans);
        }
    }

    /// A stream that was forked, peeked into and reset goes on as if it had not been.
    fn forks_agree(&self, (ids, error): &Given) {
        if error.is_some() || self.change.is_some() {
            return;
        }
        let (mut stream, mut found) = (self.stream(), Vec::new());
        for chunk in self.text.chunks() {
            stream
                .feed(chunk, self.text.source_of(chunk), true, &mut found)
                .expect("no error before");
            let before = (stream.n_tokens(), stream.n_bytes(), stream.delay_bytes());
            let (mut fork, mut other) = (stream.clone(), Vec::new());
            let _ = fork.finish(&mut other);
            fork.reset();
            let _ = fork.feed(b"a<a> b", Source::Bytes, true, &mut other);
            let after = (stream.n_tokens(), stream.n_bytes(), stream.delay_bytes());
            assert_eq!(after, before, "a fork changed its origin");
        }
        let (mut fork, mut forked) = (stream.clone(), found.clone());
        fork.finish(&mut forked).expect("no error before");
        stream.finish(&mut found).expect("no error before");
        assert_eq!((&forked, &found), (ids, ids), "a fork differs: {self:?}");
        stream.reset();
        found.clear();
        stream.feed(&self.text.bytes, self.text.source, false, &mut found).expect("no error");
        stream.finish(&mut found).expect("no error before");
        assert_eq!(&found, ids, "a stream that was reset differs: {self:?}");
    }

    /// What is delayed stays below the limit, or the stream fails by name.
    fn keeps_limit(&self, limit: usize) {
        let (mut stream, mut ids) = (self.stream(), Vec::new());
        stream.set_max_pending(limit);
        for chunk in self.text.chunks() {
            match stream.feed(chunk, self.text.source_of(chunk), true, &mut ids) {
                Ok(()) => assert!(stream.delay_bytes() <= limit as u64),
                Err(error) => {
                    let ErrorKind::PendingLimit(named) = error.kind else { return };
                    assert_eq!(named, limit);
                    return;
                }
            }
        }
    }

    /// What was given for the text begins what is given for the text and `rest`.
    fn is_stable(&self, rest: &[u8]) {
        let (mut stream, mut stable) = (self.stream(), Vec::new());
        let mut at = 0;
        for chunk in self.text.chunks() {
            if self.feed(&mut stream, at, chunk, true, &mut stable).is_err() {
                return;
            }
            at += chunk.len();
        }
        let all = [self.text.bytes.as_slice(), rest].concat();
        let (mut other, mut whole) = (self.stream(), Vec::new());
        let fed = self.feed(&mut other, 0, &all, false, &mut whole);
        let whole_result = fed.and_then(|()| other.finish(&mut whole));
        let begins = whole.starts_with(&stable);
        assert!(begins, "{stable:?} does not begin {whole:?}, with {rest:?}: {self:?}");
        let fed = self.feed(&mut stream, at, rest, true, &mut stable);
        let result = fed.and_then(|()| stream.finish(&mut stable));
        assert_eq!((stable, result), (whole, whole_result), "the rest {rest:?} of {self:?}");
    }
}

/// Single bytes, or code points of text.
fn smallest(text: &[u8], source: Source) -> Vec<&[u8]> {
    text.chunk_by(|_, &next| source.is_text() && next & 0xC0 == 0x80).collect()
}
