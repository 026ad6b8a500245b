//! P5: time is linear for every input and every accepted pattern.
//!
//! A short unit, and then a tail, are repeated to a length at which quadratic work takes seconds
//! and linear work milliseconds; the limit lies far from both, and one run below it is enough.

use std::time::Duration;

use super::input::Input;
use super::repeated;
use super::special::Special;
use super::tokenizers::Tokenizer;

const N_BYTES: usize = 1 << 16;
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 4 } else { 1 });

/// Check one case.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some(tokenizer) = Tokenizer::read(&mut input) else { return };
    let special = Special::read(&mut input);
    let chunk = [1, 3, 64, 1000, 4096, N_BYTES][input.below(6)];
    let text = repeated::read(&mut input, N_BYTES);
    let set = special.set();
    repeated::is_soon_done(&tokenizer.core, &set, &text, chunk, LIMIT, &"a pattern");
}
