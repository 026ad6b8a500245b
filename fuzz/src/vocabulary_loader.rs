//! A vocabulary is accepted if and only if it can be honoured exactly, and then every entry is
//! found again; whatever the tables hold, there is no panic.

use tokstream_core::tokens::TokenTable;

use super::input::{Input, from_alphabet};
use super::oracle::{Verdict, judge};
use super::tokenizers::{any_automaton, core, single_bytes};

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    if input.below(4) == 0 {
        return loose_tables(input);
    }
    let mut tokens = single_bytes();
    if input.byte() == 1 {
        tokens.remove(input.byte() as usize);
    }
    for _ in 0..input.below(40) {
        let n = 1 + input.below(6).min(input.0.len());
        let bytes: Vec<u8> = (0..n).map(|_| input.byte() % 4).collect();
        let at = if input.byte() == 255 { input.below(tokens.len()) } else { tokens.len() };
        tokens.insert(at, from_alphabet(&bytes));
    }
    let ids: Vec<u32> = (0..tokens.len() as u32).map(|rank| rank ^ 5).collect();
    let found = match core(&tokens, ids.clone(), any_automaton()) {
        Err(_) => Verdict::Refused,
        Ok(core) => {
            for (token, &id) in tokens.iter().zip(&ids) {
                assert_eq!(core.token_bytes(id), Some(token.as_slice()));
                assert_eq!(core.vocabulary().id_of(token), Some(id));
            }
            let mut unreachable: Vec<u32> = core.vocabulary().unreachable_ids().collect();
            unreachable.sort_unstable();
            Verdict::Good(unreachable)
        }
    };
    assert_eq!(found, judge(&tokens, &ids), "{:?}", &tokens[256.min(tokens.len())..]);
}

/// Lengths, ids and bytes that need not fit together.
fn loose_tables(mut input: Input<'_>) {
    let lengths: Vec<u32> = (0..input.below(16))
        .map(|_| match input.byte() {
            255 => u32::MAX,
            254 => 1 << 16,
            byte => u32::from(byte % 8),
        })
        .collect();
    let ids: Vec<u32> = (0..input.below(16)).map(|_| u32::from(input.byte())).collect();
    let sum: u64 = lengths.iter().map(|&n| u64::from(n)).sum();
    let fits = lengths.len() == ids.len()
        && sum == input.0.len() as u64
        && lengths.iter().all(|n| (1..1 << 16).contains(n));
    let table = TokenTable::new(input.0.to_vec(), &lengths, ids);
    assert_eq!(table.is_ok(), fits);
    if let Ok(table) = table {
        let joined: Vec<u8> =
            (0..table.len() as u32).flat_map(|rank| table.bytes(rank)).copied().collect();
        assert_eq!(joined, input.0);
    }
}
