//! P5: time is linear for every input and every accepted pattern.
//!
//! A short unit is repeated to a length at which quadratic work takes seconds and linear work
//! milliseconds; the limit lies far from both, and one run below it is enough.

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
    let n_prefix = input.below(16).min(input.0.len());
    let (prefix, unit) = input.0.split_at(n_prefix);
    let (mut text, unit) = (from_alphabet(prefix), from_alphabet(unit));
    if unit.is_empty() || unit.len() > 64 {
        return;
    }
    while text.len() < N_BYTES {
        text.extend_from_slice(&unit);
    }
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
