//! Ids that are known already, written as pieces of a text that others surround.
//!
//! An added token stands in such a text as a byte that UTF-8 never has, and the seven bits each of
//! its id. So many short texts and the tokens between them are one list of pieces.

const MARK: u8 = 0xFF;
const N_DIGITS: usize = 5;

/// Append the piece that stands for `id`.
pub(crate) fn push(id: u32, text: &mut Vec<u8>) {
    text.push(MARK);
    text.extend((0..N_DIGITS).map(|k| (id >> (7 * k)) as u8 & 0x7F));
}

/// The id that `piece` stands for, if it is such a piece.
pub(super) fn id_of(piece: &[u8]) -> Option<u32> {
    let digits = piece.strip_prefix(&[MARK])?;
    Some((0..).zip(digits).map(|(k, &digit)| u32::from(digit) << (7 * k)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back() {
        for id in [0, 1, 127, 128, 262_143, u32::MAX] {
            let mut text = Vec::new();
            push(id, &mut text);
            assert_eq!(id_of(&text), Some(id));
        }
        assert_eq!(id_of("é".as_bytes()), None);
        assert_eq!(id_of(b""), None);
    }
}
