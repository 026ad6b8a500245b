//! Work whose instructions `benchmarks/instructions.py` counts under callgrind.
//!
//! In: a folder with the tables of a tokenizer and with texts. Out: nothing; what is counted are the
//! functions named `count_*`, from call to return.

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::core::Core;
use tokstream_core::pretokens::Automaton;
use tokstream_core::segments::SpecialSet;
use tokstream_core::stream::Stream;
use tokstream_core::tokens::TokenTable;

fn main() {
    let folder = env::args_os().nth(1).expect("the folder of tables and texts");
    let folder = Path::new(&folder);
    let read = |name: &str| fs::read(folder.join(name)).expect("a file of the folder");
    let core = Arc::new(core(&read("tokens"), &read("lengths"), &read("automaton")));
    let (prose, scripts, blanks) = (read("prose"), read("scripts"), read("blanks"));
    let mut n_ids = 0;
    n_ids += count_prose_first(&core, &prose);
    n_ids += count_prose_again(&core, &prose);
    n_ids += count_prose_in_chunks(&core, &prose);
    n_ids += count_scripts_first(&core, &scripts);
    n_ids += count_blanks_in_chunks(&core, &blanks);
    assert!(n_ids > 0);
}

/// The tokenizer: ids are merge ranks.
fn core(tokens: &[u8], lengths: &[u8], automaton: &[u8]) -> Core {
    let lengths: Vec<u32> = lengths
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        .collect();
    let ids = (0..lengths.len() as u32).collect();
    let table = TokenTable::new(tokens.to_vec(), &lengths, ids).expect("a good vocabulary");
    let automaton = Automaton::from_bytes(automaton).expect("a good automaton");
    Core::new(&table, &[], automaton).expect("tables that fit together")
}

/// Encode a text, in chunks of so many bytes; `number` keeps callers from becoming one function.
fn encode(core: &Arc<Core>, text: &[u8], n_bytes: usize, number: usize) -> usize {
    black_box(number);
    let specials = Arc::new(SpecialSet::new(&[], &[]).expect("nothing is special"));
    let mut stream = Stream::new(Arc::clone(core), specials, OnInvalid::Fail);
    let mut ids = Vec::new();
    for chunk in text.chunks(n_bytes) {
        stream.feed(black_box(chunk), Source::Bytes, true, &mut ids).expect("UTF-8");
    }
    stream.finish(&mut ids).expect("UTF-8");
    black_box(&ids).len()
}

#[inline(never)]
fn count_prose_first(core: &Arc<Core>, text: &[u8]) -> usize {
    encode(core, text, text.len(), 1)
}

#[inline(never)]
fn count_prose_again(core: &Arc<Core>, text: &[u8]) -> usize {
    encode(core, text, text.len(), 2)
}

#[inline(never)]
fn count_prose_in_chunks(core: &Arc<Core>, text: &[u8]) -> usize {
    encode(core, text, 16, 3)
}

#[inline(never)]
fn count_scripts_first(core: &Arc<Core>, text: &[u8]) -> usize {
    encode(core, text, text.len(), 4)
}

#[inline(never)]
fn count_blanks_in_chunks(core: &Arc<Core>, text: &[u8]) -> usize {
    encode(core, text, 64, 5)
}
