//! Automaton data that was not written by the pattern compiler is refused, never a panic.

use tokstream_core::pretokens::Automaton;

use super::input::Input;
use super::tables::Table;
use super::tokenizers::any_automaton;

/// Check one case: the input itself as data, or good data that it changes in a few places.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let mut table = match input.below(3) {
        0 => return drop(Automaton::from_bytes(input.0)),
        1 => any_automaton().to_vec(),
        _ => Table::made_up(&mut input).to_bytes(),
    };
    let n_states = u32::from_le_bytes([table[8], table[9], table[10], table[11]]) as usize;
    let loaded = Automaton::from_bytes(&table).expect("good data is accepted");
    assert_eq!(loaded.n_states(), n_states);
    let n_bytes = table.len();
    for _ in 0..input.below(8) {
        // The interesting places are the header and the end, where sizes and tables lie.
        let place = input.byte() as usize;
        let at = if place < 64 { place.min(n_bytes - 1) } else { n_bytes - (place - 63) };
        table[at] = input.byte();
    }
    table.truncate(n_bytes - input.below(4));
    table.extend((0..input.below(4)).map(|_| 0));
    if let Ok(changed) = Automaton::from_bytes(&table) {
        assert!(changed.n_states() >= 2);
    }
}
