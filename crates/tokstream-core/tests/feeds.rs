//! Feeds of a few bytes give what one feed gives: pretokens whose ids are all out before they end.

mod small;

use std::sync::Arc;

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::core::Core;
use tokstream_core::segments::SpecialSet;
use tokstream_core::spec::Spec;
use tokstream_core::stream::Stream;

const TOKENS: [&str; 8] = ["漢", "字", "漢字", "^^", "^^^^", "th", " th", "  "];

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
    let core = Arc::new(small::core(&TOKENS, small::CL100K, Spec::default()));
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
