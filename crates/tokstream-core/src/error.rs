//! Everything that can go wrong on input text, and everything that can be wrong with tables.

use std::fmt;

/// Why a stream stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// The input ended inside a character.
    TruncatedUtf8,
    /// Text was fed while a byte sequence, or bytes while a high surrogate, was unfinished.
    UnfinishedCharacter,
    /// The text spells this special token, which is not allowed.
    DisallowedSpecial(String),
    /// The caller interrupted a long call.
    Interrupted,
    /// More undecided text than the stream may hold.
    PendingLimit(usize),
}

/// A fault in the input, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Offset of the fault in source bytes, counted from the first byte fed.
    pub offset: u64,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.offset;
        match &self.kind {
            ErrorKind::InvalidUtf8 => write!(f, "invalid UTF-8 at byte offset {at}"),
            ErrorKind::TruncatedUtf8 => {
                write!(f, "the input ends inside a character that starts at byte offset {at}")
            }
            ErrorKind::UnfinishedCharacter => {
                write!(f, "a character that starts at byte offset {at} is unfinished")
            }
            ErrorKind::DisallowedSpecial(token) => {
                write!(f, "disallowed special token {token:?} at byte offset {at}")
            }
            ErrorKind::Interrupted => write!(f, "interrupted before byte offset {at}"),
            ErrorKind::PendingLimit(limit) => {
                write!(f, "more than {limit} undecided bytes before byte offset {at}")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Tables that do not fit together; the text says which entry and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError(pub String);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TableError {}
