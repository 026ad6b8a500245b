//! Every way to read text gives the same ends of pretokens, however the text is cut.
//!
//! Blocks need longer texts than the other targets have, so a few short parts are repeated in an
//! order that the input spells.

use tokstream_core::pretokens::{Automaton, Ends, Scan, Stop};
use tokstream_core::simd::Path;

use super::input::{Input, from_alphabet};
use super::tokenizers;

const N_PARTS: usize = 4;
const MAX_TEXT: usize = 1 << 14;

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let is_written = input.byte() & 1 == 0;
    let table = tokenizers::table(&mut input, is_written);
    let chunk = [200, 1000, 5000, MAX_TEXT][input.below(4)];
    let mut parts = Vec::new();
    for _ in 0..N_PARTS {
        let n = input.below(24).min(input.0.len());
        let (part, rest) = input.0.split_at(n);
        input.0 = rest;
        parts.push(from_alphabet(part));
    }
    let mut text = Vec::new();
    while !input.0.is_empty() {
        let choice = input.byte() as usize;
        text.extend(parts[choice % N_PARTS].repeat(1 + (choice >> 2) * (choice >> 5)));
    }
    text.truncate(MAX_TEXT);
    while std::str::from_utf8(&text).is_err() {
        text.pop();
    }
    let Ok(mut automaton) = Automaton::from_bytes(&table.to_bytes()) else { return };
    automaton.set_path(Path::Plain);
    let expected = ends(&automaton, &text, text.len().max(1));
    for &path in Path::available() {
        automaton.set_path(path);
        let found = ends(&automaton, &text, chunk);
        assert_eq!(found, expected, "{path:?}, chunks of {chunk}");
    }
}

/// All ends of pretokens in `text`, which arrives in chunks.
fn ends(automaton: &Automaton, text: &[u8], chunk: usize) -> Vec<usize> {
    let (mut scan, mut list, mut all) = (Scan::default(), Ends::default(), Vec::new());
    let mut take = |list: &mut Ends| {
        all.extend_from_slice(list.as_slice());
        list.clear();
    };
    list.clear();
    let mut arrived = 0;
    while arrived < text.len() {
        arrived = text.len().min(arrived + chunk);
        while arrived < text.len() && text[arrived] & 0xC0 == 0x80 {
            arrived += 1;
        }
        while scan.run(automaton, &text[..arrived], 0, 0, &mut list) != Stop::End {
            take(&mut list);
        }
        take(&mut list);
    }
    while !scan.finish(automaton, text, 0, 0, &mut list) {
        take(&mut list);
    }
    take(&mut list);
    all
}
