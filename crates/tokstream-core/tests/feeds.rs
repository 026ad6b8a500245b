//! Feeds of a few bytes give what one feed gives: pretokens whose ids are all out before they end.

use std::sync::Arc;

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::core::Core;
use tokstream_core::pretokens::Automaton;
use tokstream_core::segments::SpecialSet;
use tokstream_core::stream::Stream;
use tokstream_core::tokens::TokenTable;

const CL100K: &[u8] = include_bytes!("../../../fuzz/seeds/cl100k.automaton");

fn core() -> Arc<Core> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for token in ["漢", "字", "漢字", "^^", "^^^^", "th", " th", "  "] {
        for end in 2..=token.len() {
            let prefix = token.as_bytes()[..end].to_vec();
            if !tokens.contains(&prefix) {
                tokens.push(prefix);
            }
        }
    }
    let lengths: Vec<u32> = tokens.iter().map(|token| token.len() as u32).collect();
    let ids = (0..tokens.len() as u32).collect();
    let table = TokenTable::new(tokens.concat(), &lengths, ids).expect("a sound table");
    let automaton = Automaton::from_bytes(CL100K).expect("a sound automaton");
    Arc::new(Core::new(&table, &[], automaton).expect("a sound vocabulary"))
}

fn in_feeds(core: &Arc<Core>, text: &[u8], size: usize) -> Vec<u32> {
    let specials = Arc::new(SpecialSet::new(&[], &[]).expect("no tokens"));
    let mut stream = Stream::new(core.clone(), specials, OnInvalid::Fail);
    let mut ids = Vec::new();
    for chunk in text.chunks(size) {
        stream.feed(chunk, Source::Bytes, true, &mut ids).expect("valid text");
    }
    stream.finish(&mut ids).expect("valid text");
    ids
}

#[test]
fn a_pretoken_of_which_nothing_is_left_is_no_pretoken() {
    let core = core();
    let units = ["字", "漢", "^", "^^^^", "q", " ", "the", "\n", "7", "漢字漢漢字字"];
    for first in units {
        for second in units {
            for third in units {
                let text = [first, second, third, second, first].concat();
                let expected = in_feeds(&core, text.as_bytes(), text.len());
                for size in [1, 2, 3, 6] {
                    let ids = in_feeds(&core, text.as_bytes(), size);
                    assert_eq!(ids, expected, "{text:?} in chunks of {size} bytes");
                }
            }
        }
    }
}
