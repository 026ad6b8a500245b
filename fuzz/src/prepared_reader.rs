//! Whatever a prepared file holds, reading it gives the tables that were written or an error, and
//! never panics; also not if its checksums were made to fit, where the tables may be any.

use tokstream_core::core::Core;
use tokstream_core::error::TableError;
use tokstream_core::prepared::{Prepared, checksum};
use tokstream_core::pretokens::Automaton;
use tokstream_core::spec::Spec;

use super::input::{Input, from_alphabet};
use super::tokenizers::{any_automaton, core, single_bytes};

const N_SECTIONS: usize = 20;
const CHECKSUM: usize = 80;
const HEADER: usize = 88;
const PLACE: usize = 24;

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let kind = input.below(4);
    if kind == 0 {
        let _ = read(input.0);
        return;
    }
    let (core, mut file) = sound(&mut input);
    for _ in 0..input.below(4) {
        let at = usize::from(input.byte()) << 8 | usize::from(input.byte());
        // The header and the list of sections are the first of many bytes.
        let n = if input.below(2) == 0 { file.len() } else { 1024 };
        file[at * 251 % n] ^= input.byte();
    }
    if input.below(8) == 0 {
        file.truncate(input.below(file.len() + 1));
    }
    if kind == 1 {
        repair(&mut file);
        let _ = read(&file);
        return;
    }
    if let Ok(found) = read(&file) {
        for id in 0..600 {
            assert_eq!(found.token_bytes(id), core.token_bytes(id));
        }
        assert_eq!(found.vocabulary().longest(), core.vocabulary().longest());
    }
}

fn read(file: &[u8]) -> Result<Core, TableError> {
    let prepared = Prepared::from_bytes(file)?;
    prepared.section(0)?;
    Core::read(&prepared, Some(Automaton::from_bytes(any_automaton())?), Spec::default())
}

/// Small tables, and the file of them.
fn sound(input: &mut Input<'_>) -> (Core, Vec<u8>) {
    let mut tokens = single_bytes();
    for _ in 0..input.below(8) {
        let token = from_alphabet(&[input.byte() % 4, input.byte() % 4]);
        if !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    let ids = (0..tokens.len() as u32).collect();
    let core = core(&tokens, ids, any_automaton()).expect("two bytes make a token");
    let mut file = Vec::new();
    core.write_to(&mut file, &[b"key"]).expect("there is room");
    let found = read(&file).expect("it is sound");
    assert_eq!(found.n_tokens(), core.n_tokens());
    (core, file)
}

/// Make all checksums fit that can be made to.
fn repair(file: &mut [u8]) {
    let Some(&n) = file.get(N_SECTIONS) else { return };
    let end = HEADER + usize::from(n) * PLACE;
    if file.len() < end {
        return;
    }
    for place in (HEADER..end).step_by(PLACE) {
        let number = |at: usize| {
            let bytes = file[at..at + 8].try_into().expect("eight bytes");
            u64::from_ne_bytes(bytes) as usize
        };
        let (begin, n_bytes) = (number(place), number(place + 8));
        let section = begin.checked_add(n_bytes).and_then(|end| file.get(begin..end));
        if let Some(section) = section {
            let sum = checksum(section);
            file[place + 16..place + 24].copy_from_slice(&sum.to_ne_bytes());
        }
    }
    let sum = checksum(&file[HEADER..end]);
    file[CHECKSUM..HEADER].copy_from_slice(&sum.to_ne_bytes());
}
