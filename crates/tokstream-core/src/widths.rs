//! How long the characters at the ends of a text are; of an empty text, 0.

/// Bytes of the first character of `text`.
pub(crate) fn first_width(text: &[u8]) -> usize {
    let end = text.iter().skip(1).position(|&byte| byte & 0xC0 != 0x80);
    end.map_or(text.len(), |end| end + 1)
}

/// Bytes of the last character of `text`.
pub(crate) fn last_width(text: &[u8]) -> usize {
    let begin = text.iter().rposition(|&byte| byte & 0xC0 != 0x80).unwrap_or(0);
    text.len() - begin
}
