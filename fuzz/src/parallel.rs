//! One text on several threads: for every way of making parts of it, ids and errors are those of
//! one stream.

use std::ops::ControlFlow;

use tokstream_core::chunks::Source;
use tokstream_core::error::Error;
use tokstream_core::parallel::{self, Encoder, Splitter};

use super::input::{Input, Text};
use super::special::Special;
use super::tokenizers::Tokenizer;

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(tokenizer) = Tokenizer::read(&mut input) else { return };
    let special = Special::read(&mut input);
    let (n_threads, size) = (1 + input.below(3), 2 + input.byte() as usize);
    let text = input.text();
    let encoder = Encoder::new(tokenizer.core.clone(), special.set(), text.on_invalid);
    let mut expected = Vec::new();
    let mut stream = encoder.stream();
    let fed = stream.feed(&text.bytes, text.source, false, &mut expected);
    let expected = (fed.and_then(|()| stream.finish(&mut expected)).err(), expected);
    let source = text.source_of(&text.bytes);
    let slices = in_slices(&encoder, &text.bytes, source, n_threads, size);
    assert_eq!(slices, expected, "{n_threads} threads, parts of {size}: {text:?} {special:?}");
    let blocks = in_blocks(&encoder, &text, n_threads);
    assert_eq!(blocks, expected, "{n_threads} threads, blocks: {text:?} {special:?}");
}

type Encoded = (Option<Error>, Vec<u32>);

/// Parts of about `size` bytes.
pub(super) fn in_slices(
    encoder: &Encoder,
    text: &[u8],
    source: Source,
    n_threads: usize,
    size: usize,
) -> Encoded {
    let mut splitter = Splitter::default();
    let mut rest = Some(text);
    collect(encoder, n_threads, || {
        let text_left = rest.as_mut()?;
        let part = splitter.next_of(encoder, text_left, source, size);
        if part.is_last {
            rest = None;
        }
        Some(part)
    })
}

/// Parts made of the text's chunks, what is behind a cut going on in the next.
fn in_blocks(encoder: &Encoder, text: &Text, n_threads: usize) -> Encoded {
    let mut splitter = Splitter::default();
    let mut chunks = Some(text.chunks());
    let mut carry = Vec::new();
    collect(encoder, n_threads, || {
        let chunk = chunks.as_mut()?.next();
        carry.extend_from_slice(chunk.unwrap_or_default());
        let is_last = chunk.is_none();
        if is_last {
            chunks = None;
        }
        let mut block = std::mem::take(&mut carry);
        let part = splitter.part(encoder, &block, text.source_of(&block), is_last);
        carry = block.split_off(part.bytes);
        Some(part.with(block))
    })
}

fn collect<Bytes: AsRef<[u8]> + Send>(
    encoder: &Encoder,
    n_threads: usize,
    next: impl FnMut() -> Option<parallel::Part<Bytes>>,
) -> Encoded {
    let mut ids = Vec::new();
    let take = |part: &[u32]| {
        ids.extend_from_slice(part);
        ControlFlow::Continue(())
    };
    let result = parallel::encode(encoder, n_threads, next, take, || true);
    (result.err(), ids)
}
