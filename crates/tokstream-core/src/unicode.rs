//! Code-point classes and simple case folding, taken from `regex-syntax`.
//!
//! In: the name of a Unicode property or a set of ranges. Out: sorted, disjoint, inclusive ranges
//! of code points. The pattern compiler (Python) builds everything else from these.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

use crate::once::get_or_make;

/// Sorted, disjoint, inclusive ranges of code points.
pub type Ranges = Vec<(u32, u32)>;

fn to_ranges(class: &ClassUnicode) -> Ranges {
    class.iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
}

/// Ranges of the property `name` as in `\p{name}`; `None` if there is no such property.
#[must_use]
pub fn property(name: &str) -> Option<Ranges> {
    if name.contains(['{', '}', '\\']) {
        return None;
    }
    let hir = regex_syntax::Parser::new().parse(&format!("\\p{{{name}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(to_ranges(class)),
        // A property of one code point parses to a literal.
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(text.chars().map(|c| (c as u32, c as u32)).collect())
        }
        _ => None,
    }
}

/// Is `character` one of those that `\w` stands for?
#[must_use]
pub fn is_word(character: char) -> bool {
    static RANGES: OnceLock<Ranges> = OnceLock::new();
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    let ranges = get_or_make(&RANGES, || {
        match regex_syntax::Parser::new().parse(r"\w").map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => to_ranges(&class),
            _ => Vec::new(), // only without the crate's Unicode tables, which are compiled in
        }
    });
    let code_point = character as u32;
    let after = ranges.partition_point(|&(begin, _)| begin <= code_point);
    after > 0 && code_point <= ranges[after - 1].1
}

/// Close `ranges` under Unicode simple case folding.
///
/// Ranges that are not scalar values (surrogates) are dropped.
#[must_use]
pub fn fold_case(ranges: &[(u32, u32)]) -> Ranges {
    let scalar =
        |cp: u32, up: bool| char::from_u32(cp).unwrap_or(if up { '\u{E000}' } else { '\u{D7FF}' });
    let mut class = ClassUnicode::new(
        ranges.iter().filter(|(start, end)| start <= end && *start <= 0x10_FFFF).map(
            |&(start, end)| {
                ClassUnicodeRange::new(scalar(start, true), scalar(end.min(0x10_FFFF), false))
            },
        ),
    );
    if class.try_case_fold_simple().is_err() {
        // Only without the crate's Unicode tables, which are compiled in.
        return ranges.to_vec();
    }
    to_ranges(&class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_pinned_unicode_version() {
        let count = |name| -> u32 {
            let ranges = property(name).unwrap_or_default();
            ranges.iter().map(|(start, end)| end - start + 1).sum()
        };
        assert_eq!((count("L"), count("N"), count("M")), (141_028, 1_911, 2_501));
        assert_eq!(count("White_Space"), 25);
    }

    #[test]
    fn folding_finds_the_long_s_and_the_kelvin_sign() {
        let folded = fold_case(&[('s' as u32, 's' as u32), ('k' as u32, 'k' as u32)]);
        let has = |cp: u32| folded.iter().any(|&(a, b)| a <= cp && cp <= b);
        assert!(has(0x17F) && has(0x212A) && has('S' as u32) && has('K' as u32));
    }

    #[test]
    fn unknown_properties_are_none() {
        assert!(property("Nonsense").is_none() && property("L}|\\p{N").is_none());
    }
}
