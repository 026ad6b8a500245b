//! P7: whatever is done with a stream, in whatever order, gives ids or a named error, no panic,
//! and the books are right.
//!
//! A twin gets the same operations with every chunk cut into its smallest parts: the two must give
//! the same ids after every operation, since what is stable depends on the text alone.

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::error::{Error, ErrorKind};
use tokstream_core::stream::{Delay, Stream};

use super::input::Input;
use super::special::{self, Special};
use super::tokenizers::Tokenizer;

const MAX_OPERATIONS: usize = 64;

/// Check one sequence of operations.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(tokenizer) = Tokenizer::read(&mut input) else { return };
    let specials = [Special::read(&mut input).set(), Special::read(&mut input).set()];
    let mode = input.byte();
    let on_invalid = if mode & 1 == 0 { OnInvalid::Fail } else { OnInvalid::Replace };
    let mut stream = Stream::new(tokenizer.core.clone(), specials[0].clone(), on_invalid);
    stream.set_delay(if mode & 4 == 0 { Delay::Optimal } else { Delay::Composition });
    if mode & 2 != 0 {
        return within_limit(stream, input);
    }
    let mut twin = stream.clone();
    for _ in 0..MAX_OPERATIONS {
        if input.0.is_empty() {
            break;
        }
        let failure = stream.failure().cloned();
        let (mut ids, mut twin_ids) = (Vec::new(), Vec::new());
        let choice = input.byte();
        let (result, twin_result) = match choice % 16 {
            0 => (stream.finish(&mut ids), twin.finish(&mut twin_ids)),
            1 => {
                let id = special::all()[input.below(16)].1;
                (stream.feed_special(id, &mut ids), twin.feed_special(id, &mut twin_ids))
            }
            2 => {
                let set = &specials[input.below(2)];
                (
                    stream.set_specials(set.clone(), &mut ids),
                    twin.set_specials(set.clone(), &mut twin_ids),
                )
            }
            3 => {
                stream.reset();
                twin.reset();
                assert_eq!(counters(&stream), (0, 0, 0));
                continue;
            }
            4 => {
                let before = counters(&stream);
                let mut peeked = Vec::new();
                let _ = stream.clone().finish(&mut peeked);
                assert_eq!(counters(&stream), before, "peeking changed something");
                continue;
            }
            _ => {
                let (chunk, source) = chunk(&mut input, choice);
                let result = stream.feed(&chunk, source, true, &mut ids);
                // The empty part settles what a change of special tokens has set free.
                let mut parts = [&[][..]].into_iter().chain(smallest(&chunk, source));
                let feed_part = |part| twin.feed(part, source, true, &mut twin_ids);
                (result, parts.try_for_each(feed_part))
            }
        };
        // Changing nothing is no use of the stream, so it does not fail either.
        if let Some(failure) = failure.filter(|_| result.is_err() || choice % 16 != 2) {
            assert_eq!(result.as_ref(), Err(&failure), "a failed stream changed its error");
            assert!(ids.is_empty(), "a failed stream gave ids");
        }
        assert_eq!((&ids, &result), (&twin_ids, &twin_result), "cut differently: {data:?}");
        assert_eq!(stream.n_tokens(), twin.n_tokens());
        if stream.failure().is_none() {
            assert_eq!(counters(&stream), counters(&twin));
        }
    }
}

/// With a limit on undecided text, what is delayed stays below it or the stream fails by name.
fn within_limit(mut stream: Stream, mut input: Input<'_>) {
    let limit = input.below(64);
    stream.set_max_pending(limit);
    let mut ids = Vec::new();
    for _ in 0..MAX_OPERATIONS {
        let choice = input.byte();
        let (chunk, source) = chunk(&mut input, choice);
        match stream.feed(&chunk, source, true, &mut ids) {
            Ok(()) => assert!(stream.delay_bytes() <= limit as u64),
            Err(Error { kind: ErrorKind::PendingLimit(named), offset }) => {
                assert_eq!(named, limit);
                assert!(offset <= stream.n_bytes());
                return;
            }
            Err(_) => return,
        }
    }
}

fn counters(stream: &Stream) -> (u64, u64, u64) {
    (stream.n_tokens(), stream.n_bytes(), stream.delay_bytes())
}

/// A chunk of up to 31 bytes; as text it is made of characters.
fn chunk(input: &mut Input<'_>, choice: u8) -> (Vec<u8>, Source) {
    let n = input.below(32).min(input.0.len());
    let (bytes, rest) = input.0.split_at(n);
    input.0 = rest;
    if choice & 0x80 == 0 {
        let bytes =
            if choice & 0x40 == 0 { bytes.to_vec() } else { super::input::from_alphabet(bytes) };
        (bytes, Source::Bytes)
    } else {
        (super::input::with_surrogates(bytes), Source::Text)
    }
}

/// Single bytes, or code points of text.
fn smallest(chunk: &[u8], source: Source) -> impl Iterator<Item = &[u8]> {
    chunk.chunk_by(move |_, &next| source.is_text() && next & 0xC0 == 0x80)
}
