//! A merge list → tokens in canonical order, where the rank of a merge is the rank of its result.
//!
//! In: tokens, and merges as pairs of them, the earlier the stronger. Out: the reachable tokens,
//! each behind the parts of the one merge that ever makes it, and those that no text becomes.
//!
//! Usually ranks increase along a token's own merges. Where they do not, a merge sets off others of
//! lower rank, which follow at once: its *cascade*. The highest rank on the way to a token is its
//! *level*; a level's merge and its cascade are worked off from left to right, levels one after
//! another, and canonical order is by level. See `merge` for what follows from that.
//!
//! Merging starts from *units*: single bytes, or characters. A unit of several bytes is put
//! together by merges of its own before every real one, through hidden tokens for its first bytes;
//! no character's bytes begin another's, so this disturbs nothing. Tokens that only begin or only
//! end a pretoken carry a marker byte there that UTF-8 never has, and a unit takes its markers in
//! before anything else, too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::error::TableError;

/// Stands before the first unit of a pretoken, if tokens differ there.
pub const BEGIN_MARKER: u8 = 0xFE;
/// Stands behind the last unit of a pretoken, if tokens differ there.
pub const END_MARKER: u8 = 0xFF;

/// Stands for "no token".
pub const HIDDEN: u32 = u32::MAX;

/// Up to so many units, the least of all ranks is found by looking at each.
const SHORT: usize = 48;

/// What merging starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// Characters rather than bytes.
    pub are_characters: bool,
    /// The first unit of a pretoken has a marker before it.
    pub have_begin: bool,
    /// The last unit of a pretoken has a marker behind it.
    pub have_end: bool,
}

/// Tokens in canonical order.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Bytes of the tokens, hidden ones included, one after another.
    pub blob: Vec<u8>,
    /// Bytes per token.
    pub lengths: Vec<u32>,
    /// Which of the given tokens each one is, or `HIDDEN`.
    pub tokens: Vec<u32>,
    /// Given tokens that no text becomes.
    pub unreachable: Vec<u32>,
    /// Per token in canonical order: left part, right part (`HIDDEN` for single bytes), level.
    pub rules: Vec<[u32; 3]>,
}

/// What a merge makes: its rank, and a symbol.
type Merges = FxHashMap<(u32, u32), (u32, u32)>;

/// Symbols while they are collected: units and their beginnings first, then tokens.
#[derive(Default)]
struct Symbols {
    spelled: FxHashMap<Box<[u8]>, u32>,
    bytes: Vec<Box<[u8]>>,
    merges: Merges,
    n_merges: u32,
    /// The parts of each unit or beginning of one, in order.
    bases: Vec<(u32, u32)>,
}

impl Symbols {
    fn add(&mut self, bytes: &[u8]) -> u32 {
        if let Some(&symbol) = self.spelled.get(bytes) {
            return symbol;
        }
        let symbol = self.bytes.len() as u32;
        self.bytes.push(bytes.into());
        self.spelled.insert(bytes.into(), symbol);
        symbol
    }

    /// The symbol for `left` and `right` together, which is made before all later ones.
    fn join(&mut self, left: &[u8], right: &[u8]) {
        let pair = (self.add(left), self.add(right));
        let symbol = self.add(&[left, right].concat());
        self.merges.insert(pair, (self.n_merges, symbol));
        self.n_merges += 1;
        self.bases.push(pair);
    }
}

/// The single unit that `token` is, without its markers.
fn unit_of(token: &[u8], units: Units) -> Option<&[u8]> {
    let mut body = token;
    if units.have_begin {
        body = body.strip_prefix(&[BEGIN_MARKER]).unwrap_or(body);
    }
    if units.have_end {
        body = body.strip_suffix(&[END_MARKER]).unwrap_or(body);
    }
    if body.len() == 1 {
        return Some(body);
    }
    let width = character_width(body)?;
    (units.are_characters && width == body.len()).then_some(body)
}

/// Bytes of the character that `text` begins with.
fn character_width(text: &[u8]) -> Option<usize> {
    let width = match text.first()? {
        0..0x80 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF8 => 4,
        _ => return None,
    };
    (width <= text.len()).then_some(width)
}

/// Units, by length and then bytes, and the merges that make them.
fn base(tokens: &[&[u8]], units: Units) -> Symbols {
    let mut symbols = Symbols::default();
    for byte in 0..=255_u8 {
        symbols.add(&[byte]);
        symbols.bases.push((HIDDEN, HIDDEN));
    }
    symbols.n_merges = 1; // so that every level is above that of a single byte
    let mut bodies: Vec<&[u8]> = tokens.iter().filter_map(|token| unit_of(token, units)).collect();
    bodies.sort_unstable_by_key(|body| (body.len(), *body));
    bodies.dedup();
    for length in 2..=4 {
        for body in bodies.iter().filter(|body| body.len() >= length) {
            if !symbols.spelled.contains_key(&body[..length]) {
                symbols.join(&body[..length - 1], &body[length - 1..length]);
            }
        }
    }
    if units.have_begin {
        for body in &bodies {
            symbols.join(&[BEGIN_MARKER], body);
        }
    }
    if units.have_end {
        for body in &bodies {
            symbols.join(body, &[END_MARKER]);
            if units.have_begin {
                symbols.join(&[&[BEGIN_MARKER], *body].concat(), &[END_MARKER]);
            }
        }
    }
    symbols
}

/// Follows merging on one token at a time.
struct Runs<'a> {
    merges: &'a Merges,
    symbols: Vec<u32>,
    /// Rank and result of the pair that begins at each symbol.
    pairs: Vec<(u32, u32)>,
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

const NO_PAIR: (u32, u32) = (u32::MAX, u32::MAX);

/// The last merge of a run that ends in one symbol.
struct Last {
    pair: (u32, u32),
    rank: u32,
    symbol: u32,
    /// The highest rank of the run.
    level: u32,
}

impl Runs<'_> {
    fn pair(&self, left: u32, right: u32) -> (u32, u32) {
        self.merges.get(&(left, right)).copied().unwrap_or(NO_PAIR)
    }

    /// Merge `symbols`; `None` if more than one is left, or there was nothing to merge.
    fn run(&mut self) -> Option<Last> {
        self.pairs.clear();
        if self.symbols.len() < 2 {
            return None;
        }
        for k in 0..self.symbols.len() - 1 {
            let pair = self.pair(self.symbols[k], self.symbols[k + 1]);
            self.pairs.push(pair);
        }
        if self.symbols.len() <= SHORT { self.run_short() } else { self.run_long() }
    }

    fn run_short(&mut self) -> Option<Last> {
        let mut level = 0;
        loop {
            let (k, &(rank, symbol)) =
                self.pairs.iter().enumerate().min_by_key(|(_, pair)| pair.0)?;
            if rank == u32::MAX {
                return None;
            }
            level = rank.max(level);
            if self.symbols.len() == 2 {
                let pair = (self.symbols[0], self.symbols[1]);
                return Some(Last { pair, rank, symbol, level });
            }
            self.symbols[k] = symbol;
            self.symbols.remove(k + 1);
            self.pairs.remove(k);
            if k > 0 {
                self.pairs[k - 1] = self.pair(self.symbols[k - 1], symbol);
            }
            if k < self.pairs.len() {
                self.pairs[k] = self.pair(symbol, self.symbols[k + 1]);
            }
        }
    }

    /// The same with a queue and a linked list.
    fn run_long(&mut self) -> Option<Last> {
        let n = self.symbols.len();
        let mut next: Vec<usize> = (1..=n).collect();
        let mut previous: Vec<usize> = (0..n).map(|k| k.wrapping_sub(1)).collect();
        let mut n_left = n;
        let mut level = 0;
        self.queue.clear();
        for (k, &(rank, symbol)) in self.pairs.iter().enumerate() {
            self.queue.push(Reverse((rank, k as u32, symbol)));
        }
        self.pairs.push(NO_PAIR);
        while let Some(Reverse((rank, at, symbol))) = self.queue.pop() {
            let k = at as usize;
            // Stale if either side was merged meanwhile.
            if rank == u32::MAX || self.pairs[k] != (rank, symbol) {
                continue;
            }
            level = rank.max(level);
            n_left -= 1;
            let gone = next[k];
            if n_left == 1 {
                let pair = (self.symbols[k], self.symbols[gone]);
                return Some(Last { pair, rank, symbol, level });
            }
            self.symbols[k] = symbol;
            self.pairs[gone] = NO_PAIR;
            next[k] = next[gone];
            if next[k] < n {
                previous[next[k]] = k;
            }
            for left in [previous[k], k] {
                if left < n {
                    let right = next[left];
                    let pair = self.symbols.get(right).map_or(NO_PAIR, |&right| {
                        self.merges.get(&(self.symbols[left], right)).copied().unwrap_or(NO_PAIR)
                    });
                    self.pairs[left] = pair;
                    self.queue.push(Reverse((pair.0, left as u32, pair.1)));
                }
            }
        }
        None
    }
}

/// `text` as units, each with the markers next to it.
fn split(text: &[u8], units: Units, symbols: &Symbols, list: &mut Vec<u32>) -> Option<()> {
    list.clear();
    let mut at = 0;
    while at < text.len() {
        let mut end = at + usize::from(units.have_begin && text[at] == BEGIN_MARKER);
        let rest = text.get(end..).filter(|rest| !rest.is_empty())?;
        end += if units.are_characters { character_width(rest)? } else { 1 };
        end += usize::from(units.have_end && text.get(end) == Some(&END_MARKER));
        list.push(*symbols.spelled.get(&text[at..end])?);
        at = end;
    }
    Some(())
}

/// Tokens in canonical order.
///
/// `merges` are pairs of indices into `tokens`; of two equal ones the later counts.
/// Cost: O(bytes of all tokens · log(longest)); half a million merges in tenths of a second.
pub fn canonical_order(
    tokens: &[&[u8]],
    merges: &[(u32, u32)],
    units: Units,
) -> Result<Order, TableError> {
    let mut symbols = base(tokens, units);
    let n_base = symbols.bytes.len();
    let mut token_of = vec![HIDDEN; n_base];
    let mut symbol_of = Vec::with_capacity(tokens.len());
    for (index, &token) in tokens.iter().enumerate() {
        if token.is_empty() {
            return Err(TableError(format!("token {index} is empty")));
        }
        let symbol = symbols.add(token);
        if symbol as usize == token_of.len() {
            token_of.push(HIDDEN);
        }
        let other = std::mem::replace(&mut token_of[symbol as usize], index as u32);
        if other != HIDDEN {
            return Err(TableError(format!("tokens {other} and {index} are the same")));
        }
        symbol_of.push(symbol);
    }
    add_merges(&mut symbols, tokens, merges, &symbol_of)?;
    let mut is_made = vec![false; symbols.bytes.len()];
    for &(_, symbol) in symbols.merges.values() {
        is_made[symbol as usize] = true;
    }
    let mut runs = Runs {
        merges: &symbols.merges,
        symbols: Vec::new(),
        pairs: Vec::new(),
        queue: BinaryHeap::new(),
    };
    let mut unreachable = Vec::new();
    let mut made = Vec::with_capacity(tokens.len());
    for (index, &token) in tokens.iter().enumerate() {
        let symbol = symbol_of[index];
        if (symbol as usize) < n_base {
            continue;
        }
        let is_spelled =
            is_made[symbol as usize] && split(token, units, &symbols, &mut runs.symbols).is_some();
        match if is_spelled { runs.run() } else { None } {
            Some(last) if last.symbol == symbol => made.push(last),
            _ => unreachable.push(index as u32),
        }
    }
    // What a level's own merge makes stands before its cascade.
    made.sort_unstable_by_key(|last| (last.level, last.rank != last.level, last.rank));
    let mut order = Order { unreachable, ..Order::default() };
    let mut place = vec![HIDDEN; symbols.bytes.len()];
    let base = symbols.bases.iter().enumerate().map(|(symbol, &pair)| (symbol as u32, pair, 0));
    let made = made.iter().map(|last| (last.symbol, last.pair, last.level));
    for (symbol, ..) in base.clone().chain(made.clone()) {
        place[symbol as usize] = order.lengths.len() as u32;
        let bytes = &symbols.bytes[symbol as usize];
        order.blob.extend_from_slice(bytes);
        order.lengths.push(bytes.len() as u32);
        order.tokens.push(token_of[symbol as usize]);
    }
    let place = |symbol: u32| place.get(symbol as usize).copied().unwrap_or(HIDDEN);
    let mut level = (u32::MAX, 0);
    for (at, (_, pair, rank)) in (0..).zip(base.chain(made)) {
        if rank == 0 || rank != level.0 {
            level = (rank, at);
        }
        order.rules.push([place(pair.0), place(pair.1), level.1]);
    }
    Ok(order)
}

fn add_merges(
    symbols: &mut Symbols,
    tokens: &[&[u8]],
    merges: &[(u32, u32)],
    symbol_of: &[u32],
) -> Result<(), TableError> {
    symbols.merges.reserve(merges.len());
    let mut joined = Vec::new();
    for (number, &(left, right)) in merges.iter().enumerate() {
        let at = |index: u32| {
            tokens.get(index as usize).ok_or_else(|| {
                TableError(format!("merge {number} names token {index} of {}", tokens.len()))
            })
        };
        joined.clear();
        joined.extend_from_slice(at(left)?);
        joined.extend_from_slice(at(right)?);
        let Some(&symbol) = symbols.spelled.get(joined.as_slice()) else {
            return Err(TableError(format!(
                "merge {number} makes {:?}, which is not in the vocabulary",
                String::from_utf8_lossy(&joined)
            )));
        };
        let pair = (symbol_of[left as usize], symbol_of[right as usize]);
        symbols.merges.insert(pair, (symbols.n_merges + number as u32, symbol));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(tokens: &[&str], merges: &[(u32, u32)], are_characters: bool) -> Order {
        let tokens: Vec<&[u8]> = tokens.iter().map(|token| token.as_bytes()).collect();
        let units = Units { are_characters, ..Units::default() };
        canonical_order(&tokens, merges, units).expect("the lists are sound")
    }

    /// Tokens behind the single bytes: which one, left and right part, first of the level.
    fn made(order: &Order) -> Vec<(u32, [u32; 3])> {
        order.tokens.iter().copied().zip(order.rules.iter().copied()).skip(256).collect()
    }

    #[test]
    fn tokens_stand_behind_their_parts() {
        let (a, b) = (u32::from(b'a'), u32::from(b'b'));
        let found = order(&["aab", "a", "b", "ab"], &[(1, 2), (1, 3)], false);
        assert_eq!(made(&found), [(3, [a, b, 256]), (0, [a, 256, 257])]);
        assert!(found.unreachable.is_empty());
    }

    #[test]
    fn what_other_merges_prevent_is_unreachable() {
        let found = order(&["a", "b", "ab", "ba", "aba"], &[(0, 1), (1, 0), (0, 3)], false);
        assert_eq!(found.unreachable, [4]);
    }

    #[test]
    fn a_cascade_is_part_of_the_level_that_sets_it_off() {
        let (a, b) = (u32::from(b'a'), u32::from(b'b'));
        let found = order(&["a", "b", "ab", "aba", "bb"], &[(2, 0), (0, 1), (1, 1)], false);
        assert_eq!(made(&found), [(2, [a, b, 256]), (3, [256, a, 256]), (4, [b, b, 258])]);
    }

    #[test]
    fn bytes_become_characters_first() {
        let found = order(&["é", "漢", "é漢"], &[(0, 1)], true);
        let strings: Vec<u32> = found.lengths[256..].to_vec();
        assert_eq!(strings, [2, 2, 3, 5]);
        assert_eq!(made(&found)[0].0, 0, "é");
        assert_eq!(made(&found)[1].0, HIDDEN, "two bytes of 漢");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let fails = |tokens: &[&[u8]], merges: &[(u32, u32)]| {
            canonical_order(tokens, merges, Units::default()).err().map(|error| error.0)
        };
        assert_eq!(fails(&[b"a", b"a"], &[]).as_deref(), Some("tokens 0 and 1 are the same"));
        assert_eq!(fails(&[b""], &[]).as_deref(), Some("token 0 is empty"));
        let missing = fails(&[b"a", b"b"], &[(0, 1)]);
        assert_eq!(
            missing.as_deref(),
            Some("merge 0 makes \"ab\", which is not in the vocabulary")
        );
        assert_eq!(fails(&[b"a"], &[(0, 7)]).as_deref(), Some("merge 0 names token 7 of 1"));
    }
}
