//! P4: of a live pretoken's text that can only grow, exactly the maximum stable prefix is emitted.
//!
//! The whole text is one pretoken here. The next token of any continuation that reaches past the
//! text x so far begins at some place j and has x from j on as a proper beginning; so what the
//! merges of x up to all such places have in common, with that of x itself, is all that is stable.

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::stream::Stream;

use super::input::{Input, from_alphabet};
use super::oracle::{Verdict, judge};
use super::special::Special;
use super::tokenizers::Tokenizer;

const MAX_CHARACTERS: usize = 24;

/// Check one case: after every character, what has been emitted and what is stable.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some((tokenizer, tokens, ids)) = Tokenizer::one_pretoken(&mut input) else { return };
    if judge(&tokens, &ids) != Verdict::Good(vec![]) {
        return; // a pretoken may turn out to be an unreachable token as a whole: more is held
    }
    let merge = |text: &[u8]| tokenizer.oracle.merge(text);
    let n = input.0.len().min(MAX_CHARACTERS);
    let text = String::from_utf8(from_alphabet(&input.0[..n])).expect("an alphabet of characters");
    let special = Special { allowed: vec![], forbidden: vec![] };
    let mut stream = Stream::new(tokenizer.core.clone(), special.set(), OnInvalid::Fail);
    let mut emitted = Vec::new();
    for (at, character) in text.char_indices() {
        let fed = &text.as_bytes()[..at + character.len_utf8()];
        stream.feed(&fed[at..], Source::Bytes, true, &mut emitted).expect("no error is possible");
        let mut stable = merge(fed);
        for begin in 0..fed.len() {
            let before = merge(&fed[..begin]);
            let goes_on = tokens.iter().zip(&ids).any(|(token, &id)| {
                let is_longer = token.len() > fed.len() - begin && token.starts_with(&fed[begin..]);
                let longer = [&fed[..begin], token].concat();
                is_longer && may_be_text(&longer) && {
                    let joined = merge(&longer);
                    joined.len() == before.len() + 1
                        && joined.starts_with(&before)
                        && joined.last() == Some(&id)
                }
            });
            if goes_on {
                let n_common = stable.iter().zip(&before).take_while(|(a, b)| a == b).count();
                stable.truncate(n_common);
            }
        }
        assert_eq!(emitted, stable, "after {:?}", String::from_utf8_lossy(fed));
    }
}

/// Does some UTF-8 text begin with these bytes?
fn may_be_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok() || str::from_utf8(bytes).is_err_and(|e| e.error_len().is_none())
}
