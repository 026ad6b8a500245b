//! P1 and P2: for every way of cutting the input, the concatenated `feed` results plus `finish`
//! equal `encode(whole)`, which is what the definitions give.

use tokstream_core::error::Error;
use tokstream_core::stream::Stream;

use super::input::{Input, Text};
use super::oracle::Outcome;
use super::special::Special;
use super::tokenizers::Tokenizer;

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(tokenizer) = Tokenizer::read(&mut input) else { return };
    let special = Special::read(&mut input);
    let text = input.text();
    let expected = tokenizer.oracle.encode(&special, &text);
    let whole = encode(&tokenizer, &special, &text, [text.bytes.as_slice()].into_iter(), false);
    let cut = encode(&tokenizer, &special, &text, text.chunks(), true);
    agrees(&whole, &expected);
    assert_eq!(cut, whole, "cut differs from whole: {text:?} {special:?}");
}

type Encoded = (Vec<u32>, Option<Error>);

fn encode<'a>(
    tokenizer: &Tokenizer,
    special: &Special,
    text: &Text,
    mut chunks: impl Iterator<Item = &'a [u8]>,
    settle: bool,
) -> Encoded {
    let mut stream = Stream::new(tokenizer.core.clone(), special.set(), text.on_invalid);
    stream.set_delay(text.delay);
    let mut ids = Vec::new();
    let result = chunks
        .try_for_each(|chunk| {
            let result = stream.feed(chunk, text.source_of(chunk), settle, &mut ids);
            assert_eq!(stream.n_tokens(), ids.len() as u64);
            // Without U+FFFD, every byte is covered by an id or delayed.
            if result.is_ok() && str::from_utf8(&text.bytes).is_ok() {
                let bytes = |&id| tokenizer.core.token_bytes(id).expect("a known id").len() as u64;
                let covered: u64 = ids.iter().map(bytes).sum();
                assert_eq!(covered + stream.delay_bytes(), stream.n_bytes());
            }
            result
        })
        .and_then(|()| stream.finish(&mut ids));
    (ids, result.err())
}

fn agrees((ids, error): &Encoded, expected: &Outcome) {
    match error {
        None => {
            assert!(expected.faults.is_empty(), "no error, expected {:?}", expected.faults);
            assert_eq!(ids, &expected.ids, "whole differs from the definitions");
        }
        Some(error) => {
            assert!(expected.faults.contains(error), "{error:?} is none of {:?}", expected.faults);
            assert!(expected.ids.starts_with(ids), "{ids:?} before the fault: {expected:?}");
        }
    }
}
