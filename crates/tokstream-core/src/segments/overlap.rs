//! Whether one plain search finds all added tokens, or more care is needed.

use rustc_hash::FxHashSet;

use super::AddedToken;

/// Must `tokens` be looked for with conditions, or in two passes?
///
/// Not if they have no conditions, are all looked for in the same text, and none that may be
/// ignored lies across or around another: then ignoring it is the same as not knowing it.
pub(crate) fn needs_passes(tokens: &[AddedToken], has_normalizer: bool) -> bool {
    let has_conditions = |token: &AddedToken| {
        token.strips_left || token.strips_right || token.is_single_word || token.content.is_empty()
    };
    let is_late = |token: &AddedToken| token.is_normalized;
    if tokens.iter().any(has_conditions) || (has_normalizer && tokens.iter().any(is_late)) {
        return true;
    }
    let is_mixed = tokens.iter().any(is_late) && !tokens.iter().all(is_late);
    let mut sorted: Vec<&[u8]> = tokens.iter().map(|token| token.content.as_bytes()).collect();
    sorted.sort_unstable();
    let n_tokens = sorted.len();
    sorted.dedup();
    if sorted.len() < n_tokens {
        return true;
    }
    let known: FxHashSet<&[u8]> = sorted.iter().copied().collect();
    let lies_across = |token: &[u8]| {
        (0..token.len()).any(|begin| {
            let rest = &token[begin..];
            let after = sorted.partition_point(|other| *other < rest);
            let is_begun = begin > 0 && sorted.get(after).is_some_and(|it| it.starts_with(rest));
            let end = if begin == 0 { rest.len() } else { rest.len() + 1 };
            is_begun || (1..end).any(|n| known.contains(&rest[..n]))
        })
    };
    tokens
        .iter()
        .filter(|token| is_mixed || token.is_special)
        .any(|token| lies_across(token.content.as_bytes()))
}
