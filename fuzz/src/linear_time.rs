//! P5: time is linear for every input and every accepted pattern.
//!
//! A short unit, and then a tail, are repeated to a length at which quadratic work takes seconds
//! and linear work milliseconds; the limit lies far from both, and one run below it is enough.

use std::time::{Duration, Instant};

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::stream::Stream;

use super::input::{Input, from_alphabet};
use super::special::Special;
use super::tokenizers::Tokenizer;

const N_BYTES: usize = 1 << 16;
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 4 } else { 1 });
const N_TRIES: usize = 3;

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(tokenizer) = Tokenizer::read(&mut input) else { return };
    let special = Special::read(&mut input);
    let chunk = [1, 3, 64, 1000, 4096, N_BYTES][input.below(6)];
    let mut part = |n_most| {
        let n = input.below(n_most).min(input.0.len());
        let (part, rest) = input.0.split_at(n);
        input.0 = rest;
        from_alphabet(part)
    };
    let (mut text, unit, tail) = (part(16), part(64), part(16));
    if unit.is_empty() {
        return;
    }
    text.extend(unit.repeat(N_BYTES / unit.len()));
    text.extend(tail.repeat(N_BYTES / 64));
    let mut took = Duration::ZERO;
    for _ in 0..N_TRIES {
        let begin = Instant::now();
        let mut stream = Stream::new(tokenizer.core.clone(), special.set(), OnInvalid::Replace);
        let mut ids = Vec::new();
        let fed =
            text.chunks(chunk).try_for_each(|c| stream.feed(c, Source::Bytes, true, &mut ids));
        let _ = fed.and_then(|()| stream.finish(&mut ids));
        took = begin.elapsed();
        if took < LIMIT {
            return;
        }
    }
    panic!("{} bytes in chunks of {chunk} took {took:?}, unit {unit:?}", text.len());
}
