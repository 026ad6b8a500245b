//! What the normalization forms ask about a code point, as tables made at first use.
//!
//! The data is that of `unicode-normalization-alignments`, the crate behind the reference, so
//! that its Unicode version (9) decides which characters change.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;
use unicode_normalization_alignments::char::{
    canonical_combining_class, compose, decompose_canonical, decompose_compatible,
};

use super::forms::Form;
use crate::once::get_or_make;

/// Behind this code point nothing decomposes, composes or reorders.
const N_TABLE: usize = 0x3_0000;

/// It stays as it is after any text, and nothing before it changes because of it.
const PLAIN: u8 = 1;
/// As a starter alone it may compose with what follows.
const FIRST: u8 = 2;
/// Plain, but what follows may change it.
const OPEN: u8 = 4;

/// Properties of all code points for one form.
#[derive(Debug)]
pub(super) struct Properties {
    flags: Vec<u8>,
}

impl Properties {
    /// The tables of `form`.
    pub(super) fn of(form: Form) -> &'static Self {
        static TABLES: [OnceLock<Properties>; 4] = [const { OnceLock::new() }; 4];
        get_or_make(&TABLES[form as usize], || Self::new(form))
    }

    fn new(form: Form) -> Self {
        let pairs = Pairs::new();
        let flags = (0..N_TABLE as u32)
            .map(|code_point| char::from_u32(code_point).map_or(0, |c| pairs.flags(form, c)))
            .collect();
        Self { flags }
    }

    fn has(&self, c: char, flag: u8) -> bool {
        self.flags.get(c as usize).map_or(flag == PLAIN, |flags| flags & flag != 0)
    }

    pub(super) fn is_plain(&self, c: char) -> bool {
        self.has(c, PLAIN)
    }

    pub(super) fn is_first(&self, c: char) -> bool {
        self.has(c, FIRST)
    }

    pub(super) fn is_open(&self, c: char) -> bool {
        self.has(c, OPEN)
    }
}

/// Decomposition of `c` in `form`.
pub(super) fn decompose(form: Form, c: char, mut take: impl FnMut(char)) {
    if form.is_compatible() {
        decompose_compatible(c, &mut take);
    } else {
        decompose_canonical(c, &mut take);
    }
}

/// Characters that begin, and that end, a pair which composes.
struct Pairs {
    firsts: FxHashSet<char>,
    seconds: FxHashSet<char>,
}

impl Pairs {
    fn new() -> Self {
        let mut pairs = Self { firsts: FxHashSet::default(), seconds: FxHashSet::default() };
        for c in ('\0'..=char::MAX).take_while(|&c| (c as usize) < N_TABLE) {
            let mut parts = Vec::new();
            decompose_canonical(c, |part| parts.push(part));
            let Some((&second, before)) = parts.split_last() else { continue };
            let mut before = before.iter().copied();
            let Some(start) = before.next() else { continue };
            if let Some(first) = before.try_fold(start, compose)
                && compose(first, second).is_some()
            {
                pairs.firsts.insert(first);
                pairs.seconds.insert(second);
            }
        }
        pairs
    }

    fn flags(&self, form: Form, c: char) -> u8 {
        let mut parts = Vec::new();
        decompose(form, c, |part| parts.push(part));
        let is_first = form.composes() && self.firsts.contains(&c);
        let is_kept = if form.composes() {
            // Alone, it composes to itself again, and its beginning never joins what is before.
            let mut rest = parts[1..].iter().copied();
            rest.try_fold(parts[0], compose) == Some(c) && !self.seconds.contains(&parts[0])
        } else {
            parts == [c]
        };
        let is_plain = is_kept && canonical_combining_class(parts[0]) == 0;
        let has_mark = parts.iter().any(|&part| canonical_combining_class(part) != 0);
        let is_open = is_plain && (is_first || has_mark);
        let flags = [(is_plain, PLAIN), (is_first, FIRST), (is_open, OPEN)];
        flags.iter().filter(|(has, _)| *has).fold(0, |flags, (_, flag)| flags | flag)
    }
}
