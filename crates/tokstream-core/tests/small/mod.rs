//! A tokenizer of a few tokens with a published pattern, or none.

use tokstream_core::core::Core;
use tokstream_core::pretokens::Automaton;
use tokstream_core::spec::Spec;
use tokstream_core::tokens::TokenTable;

pub const CL100K: &[u8] = include_bytes!("../../../../fuzz/seeds/cl100k.automaton");

/// All bytes, then `tokens`, each with all that it begins with.
pub fn core(tokens: &[&str], automaton: &[u8], spec: Spec) -> Core {
    let automaton = Automaton::from_bytes(automaton).expect("a sound automaton");
    Core::with_spec(&table(tokens), &[], Some(automaton), spec).expect("a sound vocabulary")
}

/// The same where the text between added tokens is one pretoken.
#[allow(dead_code, reason = "not every test has such texts")]
pub fn single(tokens: &[&str], spec: Spec) -> Core {
    Core::with_spec(&table(tokens), &[], None, spec).expect("a sound vocabulary")
}

fn table(tokens: &[&str]) -> TokenTable {
    let mut all: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for token in tokens {
        for end in 2..=token.len() {
            let prefix = token.as_bytes()[..end].to_vec();
            if !all.contains(&prefix) {
                all.push(prefix);
            }
        }
    }
    let lengths: Vec<u32> = all.iter().map(|token| token.len() as u32).collect();
    let ids = (0..all.len() as u32).collect();
    TokenTable::new(all.concat(), &lengths, ids).expect("a sound table")
}
