//! Native errors → the exception classes that Python defines.
use pyo3::import_exception;
use pyo3::prelude::*;
use tokstream_core::error::{Error, ErrorKind, TableError};

use crate::ints::Listed;

import_exception!(tokstream.errors, DisallowedSpecialTokenError);
import_exception!(tokstream.errors, InvalidTokenIdError);
import_exception!(tokstream.errors, InvalidUtf8Error);
import_exception!(tokstream.errors, PendingLimitError);
import_exception!(tokstream.errors, StreamBusyError);
import_exception!(tokstream.errors, StreamClosedError);
import_exception!(tokstream.errors, StreamError);
import_exception!(tokstream.errors, UnfinishedCharacterError);
import_exception!(tokstream.errors, VocabularyError);

/// The exception for `error`; `ids` are those that became stable before it in the same call.
pub fn input_error(error: &Error, ids: Vec<u32>) -> PyErr {
    let (at, ids) = (error.offset, Listed(ids));
    match &error.kind {
        ErrorKind::InvalidUtf8 => InvalidUtf8Error::new_err((
            format!("{error}; pass errors=\"replace\" to read it as U+FFFD"),
            at,
            ids,
        )),
        ErrorKind::TruncatedUtf8 => InvalidUtf8Error::new_err((
            format!("{error}; feed its remaining bytes before finish, or pass errors=\"replace\""),
            at,
            ids,
        )),
        ErrorKind::UnfinishedCharacter => UnfinishedCharacterError::new_err((
            format!(
                "{error}, and the next chunk is of the other type; feed its rest first \
                 (bytes after bytes, str after str), or pass errors=\"replace\""
            ),
            at,
            ids,
        )),
        ErrorKind::DisallowedSpecial(token) => DisallowedSpecialTokenError::new_err((
            format!(
                "the text spells the special token {token:?} at byte offset {at}, which is not \
                 allowed here; to encode it as that token pass allowed_special={{{token:?}}}, \
                 to encode it as plain text pass disallowed_special=()"
            ),
            at,
            ids,
            token.clone(),
        )),
        ErrorKind::PendingLimit(_) => PendingLimitError::new_err((
            format!("{error}; raise max_pending_bytes or refuse the input"),
            at,
            ids,
        )),
        _ => StreamError::new_err(format!("{error}; call reset to use the stream again")),
    }
}

/// The exception for tables that cannot be used.
pub fn table_error(error: &TableError) -> PyErr {
    VocabularyError::new_err(error.to_string())
}

/// Say which element of a sequence an error is about.
pub fn at_index(py: Python<'_>, index: usize, error: PyErr) -> PyErr {
    let noted = error.value(py).call_method1("add_note", (format!("at index {index}"),));
    match noted.and_then(|_| error.value(py).setattr("index", index)) {
        Ok(()) => error,
        Err(other) => other,
    }
}
