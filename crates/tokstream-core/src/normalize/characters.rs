//! Steps that look at one character at a time. Held back: nothing.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::char::is_combining_mark;

use super::mapped::Mapped;

/// Which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    /// Unicode lowercase, character by character: no rule for a final sigma.
    Lowercase,
    /// Delete all combining marks (general category M).
    StripAccents,
    /// Delete control characters and turn exotic blanks into spaces, as in Google's NMT.
    Nmt,
    /// Each byte becomes its character of the GPT-2 alphabet.
    ByteLevel,
    /// BERT's: delete control and unassigned characters and U+FFFD, turn blanks into spaces.
    BertClean,
    /// BERT's: put spaces around ideographs.
    BertIdeographs,
    /// BERT's: delete nonspacing marks.
    BertStripMarks,
}

impl Characters {
    pub(super) fn push(self, text: &str, out: &mut Mapped) {
        match self {
            Self::Lowercase => lowercase(text, out),
            Self::StripAccents => {
                map(text, out, |c| if is_combining_mark(c) { None } else { Some(c) });
            }
            Self::Nmt => map(text, out, nmt),
            Self::ByteLevel => byte_level(text, out),
            Self::BertClean => map(text, out, bert_clean),
            Self::BertIdeographs => space_ideographs(text, out),
            Self::BertStripMarks => {
                map(text, out, |c| if c.is_mark_nonspacing() { None } else { Some(c) });
            }
        }
    }
}

/// Each character becomes another or none.
fn map(text: &str, out: &mut Mapped, rule: impl Fn(char) -> Option<char>) {
    let mut done = 0;
    for (at, c) in text.char_indices() {
        let mapped = rule(c);
        if mapped == Some(c) {
            continue;
        }
        out.copy(&text[done..at]);
        match mapped {
            Some(other) => out.put_char(other, c.len_utf8()),
            None => out.skip(c.len_utf8()),
        }
        done = at + c.len_utf8();
    }
    out.copy(&text[done..]);
}

fn lowercase(text: &str, out: &mut Mapped) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii() {
            let n = rest.find(|c: char| !c.is_ascii()).unwrap_or(rest.len());
            out.copy_lowercase(&rest[..n]);
            rest = &rest[n..];
            continue;
        }
        let is_kept = |c: char| !c.is_ascii() && lower(c).eq([c]);
        let n = rest.find(|c| !is_kept(c)).unwrap_or(rest.len());
        out.copy(&rest[..n]);
        rest = &rest[n..];
        if let Some(c) = rest.chars().next().filter(|c| !c.is_ascii()) {
            let mut n_source = c.len_utf8();
            rest = &rest[n_source..];
            for lower in lower(c) {
                out.put_char(lower, n_source);
                n_source = 0;
            }
        }
    }
}

/// Lowercase of Unicode 17, whatever version the compiler's library has from 16 on.
fn lower(c: char) -> impl Iterator<Item = char> {
    let added = match c {
        '\u{A7CE}' | '\u{A7D2}' | '\u{A7D4}' => 1,
        '\u{16EA0}'..='\u{16EB8}' => 0x1B,
        _ => 0,
    };
    let shifted = if added > 0 { char::from_u32(c as u32 + added) } else { None };
    let usual = shifted.is_none().then(|| c.to_lowercase());
    shifted.into_iter().chain(usual.into_iter().flatten())
}

fn nmt(c: char) -> Option<char> {
    match c {
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}' => None,
        '\t'
        | '\n'
        | '\u{C}'
        | '\r'
        | '\u{1680}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2581}'
        | '\u{FEFF}'
        | '\u{FFFD}' => Some(' '),
        _ => Some(c),
    }
}

/// General categories are those of `unicode_categories`, the crate behind the reference.
fn bert_clean(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{FFFD}' => None,
        c if c.is_other() => None,
        c if c.is_whitespace() => Some(' '),
        c => Some(c),
    }
}

fn space_ideographs(text: &str, out: &mut Mapped) {
    let mut done = 0;
    for (at, c) in text.char_indices().filter(|&(_, c)| is_ideograph(c)) {
        out.copy(&text[done..at]);
        out.put_char(' ', c.len_utf8());
        out.put_char(c, 0);
        out.put_char(' ', 0);
        done = at + c.len_utf8();
    }
    out.copy(&text[done..]);
}

/// What the reference takes for one; its sixth block begins a hundred code points late.
fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2B73F}'
            | '\u{2B740}'..='\u{2B81F}'
            | '\u{2B920}'..='\u{2CEAF}'
            | '\u{2F800}'..='\u{2FA1F}'
    )
}

fn byte_level(text: &str, out: &mut Mapped) {
    for c in text.chars() {
        let mut utf8 = [0; 4];
        let mut n_source = c.len_utf8();
        for byte in c.encode_utf8(&mut utf8).bytes() {
            out.put_char(byte_character(byte), n_source);
            n_source = 0;
        }
    }
}

/// A byte's character: itself where Latin-1 prints something, otherwise the next one from U+0100.
fn byte_character(byte: u8) -> char {
    let moved = match byte {
        0..=0x20 => u32::from(byte),
        0x7F..=0xA0 => u32::from(byte - 0x7F) + 0x21,
        0xAD => 0x43,
        _ => return char::from(byte),
    };
    char::from_u32(0x100 + moved).unwrap_or(char::REPLACEMENT_CHARACTER)
}
