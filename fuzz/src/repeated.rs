//! A text that repeats a short unit, and how long a stream takes for it.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::core::Core;
use tokstream_core::segments::SpecialSet;
use tokstream_core::stream::Stream;

use super::input::{Input, from_alphabet};

const N_TRIES: usize = 3;

/// A beginning, then a unit and then a tail, again and again: at such a length quadratic work takes
/// seconds and linear work milliseconds. Empty if the unit is.
pub fn read(input: &mut Input<'_>, n_bytes: usize) -> Vec<u8> {
    let mut part = |n_most| {
        let n = input.below(n_most).min(input.0.len());
        let (part, rest) = input.0.split_at(n);
        input.0 = rest;
        from_alphabet(part)
    };
    let (mut text, unit, tail) = (part(16), part(64), part(16));
    if unit.is_empty() {
        return unit;
    }
    text.extend(unit.repeat(n_bytes / unit.len()));
    text.extend(tail.repeat(n_bytes / 64));
    text
}

/// Panic if a stream fed in chunks takes longer than `limit` each time; one run below it is enough.
pub fn is_soon_done(
    core: &Arc<Core>,
    set: &Arc<SpecialSet>,
    text: &[u8],
    chunk: usize,
    limit: Duration,
    tokenizer: &dyn Debug,
) {
    let mut took = Duration::ZERO;
    for _ in 0..N_TRIES {
        let begin = Instant::now();
        let mut stream = Stream::new(core.clone(), set.clone(), OnInvalid::Replace);
        let mut ids = Vec::new();
        let fed =
            text.chunks(chunk).try_for_each(|c| stream.feed(c, Source::Bytes, true, &mut ids));
        let _ = fed.and_then(|()| stream.finish(&mut ids));
        took = begin.elapsed();
        if took < limit {
            return;
        }
    }
    let (n, begin) = (text.len(), &text[..text.len().min(160)]);
    panic!("{n} bytes in chunks of {chunk} took {took:?}, {begin:?} ...: {tokenizer:?}");
}
