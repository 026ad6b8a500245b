//! The immutable tokenizer: tables, and one-shot encoding.
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList};
use tokstream_core::chunks::OnInvalid;
use tokstream_core::parallel::Encoder;
use tokstream_core::pretokens::Automaton;
use tokstream_core::stream::Stream as NativeStream;
use tokstream_core::tokens::TokenTable;
use tokstream_core::{core, segments};

use crate::batch;
use crate::decode::{self, Fault};
use crate::errors::{input_error, table_error};
use crate::input::{BLOCK, for_each_block, n_bytes_about};
use crate::output;
use crate::parallel;
use crate::prepared;
use crate::spec;
use crate::stream::feed_block;

/// First block of a call that may stop early, in bytes.
const LIMITED_BLOCK: usize = 1 << 12;

/// How one text is encoded in parts.
struct InParts {
    n_threads: usize,
    size: usize,
    as_array: bool,
}

/// Which special tokens a call honours, and which it forbids.
#[pyclass(frozen, module = "tokstream._core")]
pub struct SpecialSet(pub Arc<segments::SpecialSet>);

#[pymethods]
impl SpecialSet {
    #[new]
    #[pyo3(signature = (allowed, forbidden, /))]
    fn new(allowed: Vec<(String, u32)>, forbidden: Vec<String>) -> PyResult<Self> {
        let set = segments::SpecialSet::new(&allowed, &forbidden);
        Ok(Self(Arc::new(set.map_err(|error| table_error(&error))?)))
    }
}

/// Tables of one tokenizer.
#[pyclass(frozen, module = "tokstream._core")]
pub struct Core(pub Arc<core::Core>);

/// Whether invalid input stops the call.
pub fn on_invalid(replace: bool) -> OnInvalid {
    if replace { OnInvalid::Replace } else { OnInvalid::Fail }
}

/// The numbers in a buffer of uint32.
pub fn numbers(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    // An empty buffer may lie anywhere, also where no number can.
    if object.len()? == 0 {
        return Ok(Vec::new());
    }
    PyBuffer::<u32>::get(object)?.to_vec(py)
}

/// Give the whole of `text` to `stream`; `check` sees the ids after each block and may stop.
pub fn encode_blocks(
    text: &Bound<'_, PyAny>,
    stream: &mut NativeStream,
    first_block: usize,
    mut ids: Vec<u32>,
    check: &mut dyn FnMut(&mut Vec<u32>) -> bool,
) -> PyResult<Vec<u32>> {
    let py = text.py();
    let mut stopped = false;
    for_each_block(text, first_block, &mut |block, source| {
        feed_block(py, stream, block, source, false, &mut ids)?;
        stopped = !check(&mut ids);
        Ok(if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if !stopped {
        stream.finish(&mut ids).map_err(|e| input_error(&e, std::mem::take(&mut ids)))?;
        check(&mut ids);
    }
    Ok(ids)
}

impl Core {
    fn encoder(&self, specials: &SpecialSet, replace: bool) -> Encoder {
        Encoder::new(self.0.clone(), specials.0.clone(), on_invalid(replace))
    }

    /// How many threads encode one text.
    fn n_threads(
        &self,
        text: &Bound<'_, PyAny>,
        specials: &SpecialSet,
        asked: Option<usize>,
    ) -> PyResult<usize> {
        let length = text.len().unwrap_or(0);
        if length < parallel::MIN_TEXT || !self.encoder(specials, false).can_cut() {
            return Ok(1);
        }
        parallel::n_threads(text.py(), asked, length)
    }

    /// All ids of `text`, encoded in parts.
    fn parts<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        specials: &SpecialSet,
        replace: bool,
        with_template: bool,
        how: &InParts,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        let encoder = self.encoder(specials, replace);
        let (opening, closing) = if with_template { self.0.template() } else { (&[][..], &[][..]) };
        let mut ids = output::Collected::new(py, how.as_array, n_bytes_about(text));
        ids.extend(opening)?;
        let mut take = |part: &[u32]| ids.extend(part);
        match parallel::encode(text, &encoder, how.n_threads, how.size, &mut take) {
            Ok(Ok(())) => ids.extend(closing)?,
            Ok(Err(error)) => return Err(input_error(&error, ids.numbers(py)?)),
            Err(error) => {
                error.value(py).setattr("ids", ids.list(py)?)?;
                return Err(error);
            }
        }
        ids.finish(py)
    }

    fn stream(&self, specials: &SpecialSet, replace: bool) -> NativeStream {
        NativeStream::new(self.0.clone(), specials.0.clone(), on_invalid(replace))
    }
}

#[pymethods]
impl Core {
    #[new]
    #[pyo3(signature = (blob, lengths, ids, specials, automaton, spec = None, /))]
    fn new(
        py: Python<'_>,
        blob: &[u8],
        lengths: &Bound<'_, PyAny>,
        ids: &Bound<'_, PyAny>,
        specials: Vec<(String, u32)>,
        automaton: Option<&[u8]>,
        spec: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (lengths, ids) = (numbers(py, lengths)?, numbers(py, ids)?);
        let spec = spec.map(spec::read).transpose()?.unwrap_or_default();
        let blob = blob.to_vec();
        let built = py.detach(|| {
            let automaton = automaton.map(Automaton::from_bytes).transpose()?;
            let tokens = TokenTable::new(blob, &lengths, ids)?;
            core::Core::with_spec(&tokens, &specials, automaton, spec)
        });
        Ok(Self(Arc::new(built.map_err(|error| table_error(&error))?)))
    }

    /// The same tables with other special tokens; `dropped` are the ids of its own.
    #[pyo3(signature = (dropped, specials, /))]
    fn with_specials(&self, dropped: HashSet<u32>, specials: Vec<(String, u32)>) -> Self {
        Self(Arc::new(self.0.with_specials(&dropped, &specials)))
    }

    /// The set of added tokens of which the special ones in `allowed` are honoured, all if that
    /// is None.
    #[pyo3(signature = (allowed, forbidden, /))]
    fn special_set(
        &self,
        allowed: Option<Vec<String>>,
        forbidden: Vec<String>,
    ) -> PyResult<SpecialSet> {
        let allowed: Option<HashSet<String>> = allowed.map(|names| names.into_iter().collect());
        let is_allowed = |name: &str| allowed.as_ref().is_none_or(|allowed| allowed.contains(name));
        let set = self.0.special_set(&is_allowed, &forbidden);
        Ok(SpecialSet(Arc::new(set.map_err(|error| table_error(&error))?)))
    }

    #[pyo3(signature = (
        text, specials, replace = false, as_array = false, with_template = false, n_threads = None, /
    ))]
    fn encode<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        specials: &SpecialSet,
        replace: bool,
        as_array: bool,
        with_template: bool,
        n_threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        let n_threads = self.n_threads(text, specials, n_threads)?;
        if n_threads > 1 {
            let how = InParts { n_threads, size: parallel::PART, as_array };
            return self.parts(text, specials, replace, with_template, &how);
        }
        let mut stream = self.stream(specials, replace);
        stream.set_template(with_template);
        let ids = encode_blocks(
            text,
            &mut stream,
            BLOCK,
            output::room_for(n_bytes_about(text)),
            &mut |_| true,
        )?;
        output::ids(py, ids, as_array)
    }

    /// Ids of a text that is cut into parts of about `size` bytes or characters, however short.
    #[pyo3(signature = (text, specials, replace, with_template, n_threads, size, /))]
    fn encode_in_parts<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        specials: &SpecialSet,
        replace: bool,
        with_template: bool,
        n_threads: usize,
        size: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = InParts { n_threads, size: size.max(1), as_array: false };
        self.parts(text, specials, replace, with_template, &how)
    }

    /// Ids, and begin and end of what each stands for, in bytes of the text.
    #[pyo3(signature = (text, specials, replace, with_template, /))]
    fn encode_with_spans(
        &self,
        text: &Bound<'_, PyAny>,
        specials: &SpecialSet,
        replace: bool,
        with_template: bool,
    ) -> PyResult<(Vec<u32>, Vec<(u64, u64)>)> {
        let mut stream = self.stream(specials, replace);
        stream.set_template(with_template);
        stream.record();
        let ids = encode_blocks(text, &mut stream, BLOCK, Vec::new(), &mut |_| true)?;
        let mut spans = Vec::with_capacity(ids.len());
        let (opening, _) = self.0.template();
        if with_template {
            spans.extend(opening.iter().map(|_| (0, 0)));
        }
        spans.extend(stream.spans().into_iter().map(|span| (span.start, span.end)));
        spans.resize(ids.len(), (0, 0)); // the template's ids behind the text
        Ok((ids, spans))
    }

    /// Whether each of the ids of a text is an added token that was found in it.
    #[pyo3(signature = (text, specials, /))]
    fn find_added(&self, text: &Bound<'_, PyAny>, specials: &SpecialSet) -> PyResult<Vec<bool>> {
        let mut stream = self.stream(specials, false);
        stream.record();
        encode_blocks(text, &mut stream, BLOCK, Vec::new(), &mut |_| true)?;
        let (words, added) = stream.words();
        let mut are_added = vec![false; words.len()];
        for k in added {
            are_added[k as usize] = true;
        }
        Ok(are_added)
    }

    #[pyo3(signature = (text, specials, replace = false, limit = None, n_threads = None, /))]
    fn count(
        &self,
        text: &Bound<'_, PyAny>,
        specials: &SpecialSet,
        replace: bool,
        limit: Option<usize>,
        n_threads: Option<usize>,
    ) -> PyResult<usize> {
        let mut count = 0;
        if limit.is_none() {
            let n_threads = self.n_threads(text, specials, n_threads)?;
            if n_threads > 1 {
                let encoder = self.encoder(specials, replace);
                let mut take = |ids: &[u32]| {
                    count += ids.len();
                    Ok(())
                };
                let done = parallel::encode(text, &encoder, n_threads, parallel::PART, &mut take)?;
                if done.is_err() {
                    // The ids before the fault, which nobody kept, belong to the error.
                    let how = InParts { n_threads, size: parallel::PART, as_array: true };
                    self.parts(text, specials, replace, false, &how)?;
                }
                return Ok(count);
            }
        }
        let first_block = if limit.is_some() { LIMITED_BLOCK } else { BLOCK };
        let mut stream = self.stream(specials, replace);
        encode_blocks(text, &mut stream, first_block, Vec::new(), &mut |ids| {
            count += ids.len();
            ids.clear();
            limit.is_none_or(|limit| count <= limit)
        })?;
        Ok(limit.map_or(count, |limit| count.min(limit.saturating_add(1))))
    }

    #[pyo3(signature = (
        texts, specials, replace, as_array, n_threads = None, with_template = false, size = None, /
    ))]
    #[allow(clippy::too_many_arguments, reason = "called from one place, by position")]
    fn encode_batch<'py>(
        &self,
        texts: &Bound<'py, PyList>,
        specials: &SpecialSet,
        replace: bool,
        as_array: bool,
        n_threads: Option<usize>,
        with_template: bool,
        size: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let encoder = self.encoder(specials, replace);
        let how = batch::How { as_array, with_template, n_threads, size };
        batch::encode(texts, &encoder, &how)
    }

    /// Write the tables into the new file `path`, with `sections` before them; see `Prepared`.
    #[pyo3(signature = (path, sections, /))]
    fn write(&self, py: Python<'_>, path: PathBuf, sections: Vec<PyBackedBytes>) -> PyResult<()> {
        prepared::write(py, &self.0, path, sections)
    }

    /// Bytes of the tokens `ids`, joined.
    #[pyo3(signature = (ids, /))]
    fn decode<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(decode::joined(&self.0, ids)?)
    }

    /// The same; if no token has one of the ids, that id and its index, which cost less than an
    /// exception.
    #[pyo3(signature = (ids, /))]
    fn decode_or_fault<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match decode::joined(&self.0, ids) {
            Ok(bytes) => Ok(bytes.into_any()),
            Err(Fault::Unknown(id, index)) => Ok((id, index).into_pyobject(ids.py())?.into_any()),
            Err(Fault::Other(error)) => Err(error),
        }
    }

    /// Bytes of each of the tokens `ids`.
    #[pyo3(signature = (ids, /))]
    fn each_token<'py>(&self, ids: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        decode::each(&self.0, ids)
    }

    /// Length in bytes of each of the tokens `ids`.
    #[pyo3(signature = (ids, /))]
    fn token_lengths(&self, ids: Vec<u32>) -> PyResult<Vec<usize>> {
        decode::lengths(&self.0, ids)
    }

    /// Bytes of one token, `None` if there is no such id.
    #[pyo3(signature = (id, /))]
    fn token_bytes<'py>(&self, py: Python<'py>, id: u32) -> Option<Bound<'py, PyBytes>> {
        self.0.token_bytes(id).map(|bytes| PyBytes::new(py, bytes))
    }

    /// Id of the vocabulary entry with these bytes, `None` if there is none.
    #[pyo3(signature = (bytes, /))]
    fn token_id(&self, bytes: &[u8]) -> Option<u32> {
        self.0.token_id(bytes)
    }

    /// Ids of any bytes merged as one pretoken; an entry that merging does not produce is its
    /// token only with `as_whole`.
    #[pyo3(signature = (piece, as_whole, /))]
    fn merge<'py>(
        &self,
        py: Python<'py>,
        piece: &[u8],
        as_whole: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ids = if piece.len() < LIMITED_BLOCK {
            self.0.merge(piece, as_whole)
        } else {
            py.detach(|| self.0.merge(piece, as_whole))
        };
        output::ids(py, ids, false)
    }

    /// Bytes of the longest token that merging produces.
    #[getter]
    fn longest_token(&self) -> usize {
        self.0.vocabulary().longest()
    }

    /// How the pattern reads text: "plain", or in blocks: "scalar", "avx2", "avx512".
    #[getter]
    fn reads_by(&self) -> &'static str {
        self.0.reads_by()
    }

    /// If text is one pretoken that is taken apart: before it is normalized?
    #[getter]
    fn takes_source_apart(&self) -> Option<bool> {
        self.0.takes_source_apart()
    }

    /// Ids of entries that merging never produces.
    #[getter]
    fn unreachable_ids(&self) -> Vec<u32> {
        self.0.vocabulary().unreachable_ids().collect()
    }
}
