//! P3: what `feed` has returned is a prefix of the result for every possible rest of the input.

use tokstream_core::chunks::OnInvalid;
use tokstream_core::stream::Stream;

use super::input::{Input, Text, from_alphabet};
use super::special::Special;
use super::tokenizers::Tokenizer;

/// Rests that end pretokens and characters in different ways, besides those of the input.
const RESTS: [&str; 8] = ["", " ", "a", "b\n", "\n\n", "' s", "漢", "\u{301}1"];

/// Check one case: a beginning is fed, then forgotten ends are put behind it.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(tokenizer) = Tokenizer::read(&mut input) else { return };
    let special = Special { forbidden: vec![], ..Special::read(&mut input) };
    let n_rest = input.below(16);
    let own_rest: Vec<u8> = (0..n_rest).map(|_| input.byte()).collect();
    let begin = Text { on_invalid: OnInvalid::Replace, ..input.text() };

    let mut stream = Stream::new(tokenizer.core.clone(), special.set(), begin.on_invalid);
    stream.set_delay(begin.delay);
    let mut stable = Vec::new();
    for chunk in begin.chunks() {
        stream
            .feed(chunk, begin.source_of(chunk), true, &mut stable)
            .expect("no error is possible");
    }
    let own_rest = from_alphabet(&own_rest);
    for rest in RESTS.iter().map(|rest| rest.as_bytes()).chain([own_rest.as_slice()]) {
        let bytes = [begin.bytes.as_slice(), rest].concat();
        let whole = Text { bytes, cuts: vec![], ..begin };
        let ids = tokenizer.oracle.encode(&special, &whole).ids;
        assert!(ids.starts_with(&stable), "{stable:?} does not begin {ids:?}: {whole:?}");
        // And the stream itself goes on to exactly that.
        let (mut fork, mut rest_ids) = (stream.clone(), stable.clone());
        fork.feed(rest, begin.source, false, &mut rest_ids).expect("no error is possible");
        fork.finish(&mut rest_ids).expect("no error is possible");
        assert_eq!(rest_ids, ids, "the rest {rest:?} of {begin:?}");
    }
}
