//! Text that is one pretoken gives the same ids whether it is taken apart or grows by characters.
//!
//! Long chunks are cut where no token spans, before or behind the normalizer, and what lies between
//! added tokens is encoded together; chunks of a byte, and a stream that remembers what each id
//! stands for, go other ways, and so do parts for several threads. After each chunk as much is given
//! out as if it had come byte by byte.

use std::sync::Arc;

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::parallel::Encoder;
use tokstream_core::segments::SpecialSet;
use tokstream_core::stream::Stream;

use super::input::Input;
use super::parallel;
use super::specs::{self, Pipeline};

const MAX_TEXT: usize = 1 << 13;
const N_PARTS: usize = 6;
/// Parts for several threads are at least so long: each costs a stream.
const MIN_PART: usize = 60;
/// Longer texts are not fed byte by byte with all that is stable given out each time.
const MAX_SETTLED: usize = 600;

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(pipeline) = Pipeline::single(&mut input) else { return };
    let Some(set) = pipeline.set(&mut input) else { return };
    let chunk = [3, 60, 300, 1000, MAX_TEXT][input.below(5)];
    let text = text(&mut input);
    let begin = || Stream::new(pipeline.core.clone(), set.clone(), OnInvalid::Fail);
    let whole = fed(begin(), &text, MAX_TEXT, false);
    for (name, given) in [
        ("bytes", fed(begin(), &text, 1, false)),
        ("chunks", fed(begin(), &text, chunk, true)),
        ("recorded", recorded(begin(), &text, chunk)),
        ("parts", in_parts(&pipeline, &set, &text, chunk)),
    ] {
        let differs = given != whole;
        assert!(
            !differs,
            "{name}, chunks of {chunk}: of {pipeline:?}, {text:?}: {given:?}, {whole:?}"
        );
    }
    if text.len() <= MAX_SETTLED {
        gives_as_early(&pipeline, &set, &text, chunk);
    }
}

/// A few parts in an order that the input spells, some of them many times.
fn text(input: &mut Input<'_>) -> String {
    let mut parts = Vec::new();
    for _ in 0..N_PARTS {
        let n = input.below(12);
        parts.push((0..n).map(|_| specs::word(input)).collect::<String>());
    }
    let mut text = String::new();
    while !input.0.is_empty() && text.len() < MAX_TEXT {
        let choice = input.byte() as usize;
        text += &parts[choice % N_PARTS].repeat(1 + (choice >> 3) * (choice >> 6));
    }
    text
}

/// What a stream gives, or the error that ends it.
fn fed(mut stream: Stream, text: &str, chunk: usize, settle: bool) -> Result<Vec<u32>, String> {
    let mut ids = Vec::new();
    let chunks = text.as_bytes().chunks(chunk);
    let mut result = Ok(());
    for chunk in chunks {
        result = result.and_then(|()| stream.feed(chunk, Source::Bytes, settle, &mut ids));
    }
    let result = result.and_then(|()| stream.finish(&mut ids));
    result.map(|()| ids).map_err(|error| error.to_string())
}

fn recorded(mut stream: Stream, text: &str, chunk: usize) -> Result<Vec<u32>, String> {
    stream.record();
    fed(stream, text, chunk, false)
}

fn in_parts(
    pipeline: &Pipeline,
    set: &Arc<SpecialSet>,
    text: &str,
    size: usize,
) -> Result<Vec<u32>, String> {
    let encoder = Encoder::new(pipeline.core.clone(), set.clone(), OnInvalid::Fail);
    let size = size.max(MIN_PART);
    let (error, ids) = parallel::in_slices(&encoder, text.as_bytes(), Source::Bytes, 1, size);
    error.map_or(Ok(ids), |error| Err(error.to_string()))
}

fn gives_as_early(pipeline: &Pipeline, set: &Arc<SpecialSet>, text: &str, chunk: usize) {
    let begin = || Stream::new(pipeline.core.clone(), set.clone(), OnInvalid::Fail);
    let (mut long, mut short) = (begin(), begin());
    let mut ids = Vec::new();
    for chunk in text.as_bytes().chunks(chunk) {
        let fed = long.feed(chunk, Source::Bytes, true, &mut ids);
        let each = chunk
            .iter()
            .try_for_each(|&byte| short.feed(&[byte], Source::Bytes, true, &mut Vec::new()));
        if fed.is_err() || each.is_err() {
            return;
        }
        let counts = [&long, &short].map(|stream| (stream.n_tokens(), stream.delay_bytes()));
        assert_eq!(counts[0], counts[1], "chunks of {}: {text:?} of {pipeline:?}", chunk.len());
    }
}
