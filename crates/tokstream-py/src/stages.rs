//! The first three stages one by one, for tests and for showing how a text is read.
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::ops::ControlFlow;
use std::sync::Arc;
use tokstream_core::chunks::{Decoder, OnInvalid};
use tokstream_core::error::{Error, ErrorKind};
use tokstream_core::pretokens::{Automaton, Ends, Scan, Stop};
use tokstream_core::segments;
use tokstream_core::segments::{Segment, Segmenter};

use crate::errors::{input_error, table_error};
use crate::input::{BLOCK, for_each_block};
use crate::tokenizer::{SpecialSet, on_invalid};

/// Chunks → complete code points.
#[pyclass(module = "tokstream._core")]
#[derive(Clone)]
pub struct Chunks {
    decoder: Decoder,
    on_invalid: OnInvalid,
}

#[pymethods]
impl Chunks {
    #[new]
    #[pyo3(signature = (replace, /))]
    fn new(replace: bool) -> Self {
        Self { decoder: Decoder::default(), on_invalid: on_invalid(replace) }
    }

    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let mut text = Vec::new();
        for_each_block(chunk, BLOCK, &mut |block, source| {
            let mut sink = |run: &[u8], _| {
                text.extend_from_slice(run);
                Ok(())
            };
            let result = self.decoder.push(block, source, self.on_invalid, &mut sink);
            result.map_err(|error| input_error(&error, vec![]))?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(PyBytes::new(chunk.py(), &text))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut text = Vec::new();
        let mut sink = |run: &[u8], _| {
            text.extend_from_slice(run);
            Ok(())
        };
        let result = self.decoder.finish(self.on_invalid, &mut sink);
        result.map_err(|error| input_error(&error, vec![]))?;
        Ok(PyBytes::new(py, &text))
    }

    #[getter]
    fn n_held(&self) -> usize {
        self.decoder.n_held()
    }

    #[getter]
    fn n_bytes(&self) -> u64 {
        self.decoder.n_bytes()
    }

    fn copy(&self) -> Self {
        self.clone()
    }
}

/// Code points → runs of text (`bytes`) and special tokens (`int`).
#[pyclass(module = "tokstream._core")]
#[derive(Clone)]
pub struct Segments {
    set: Arc<segments::SpecialSet>,
    segmenter: Segmenter,
    n_bytes: u64,
}

impl Segments {
    fn list<'py>(
        &mut self,
        py: Python<'py>,
        step: impl FnOnce(
            &mut Segmenter,
            &segments::SpecialSet,
            &mut dyn FnMut(Segment<'_>) -> PyResult<()>,
        ) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let n_bytes = &mut self.n_bytes;
        step(&mut self.segmenter, &self.set, &mut |segment| match segment {
            Segment::Text(text) => {
                *n_bytes += text.len() as u64;
                if text.is_empty() { Ok(()) } else { list.append(PyBytes::new(py, text)) }
            }
            Segment::Special { id, n_bytes: n } => {
                *n_bytes += n as u64;
                list.append(id)
            }
            Segment::Dropped { n_bytes: n } => {
                *n_bytes += n as u64;
                Ok(())
            }
            Segment::Forbidden { name, n_before } => {
                let kind = ErrorKind::DisallowedSpecial(name.to_owned());
                Err(input_error(&Error { kind, offset: *n_bytes + n_before as u64 }, vec![]))
            }
        })?;
        Ok(list)
    }
}

#[pymethods]
impl Segments {
    #[new]
    #[pyo3(signature = (specials, /))]
    fn new(specials: &SpecialSet) -> Self {
        Self { set: specials.0.clone(), segmenter: Segmenter::default(), n_bytes: 0 }
    }

    #[pyo3(signature = (text, /))]
    fn push<'py>(&mut self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |segmenter, set, sink| segmenter.push(set, text.as_bytes(), sink))
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |segmenter, set, sink| segmenter.release(set, sink))
    }

    #[pyo3(signature = (specials, /))]
    fn set_specials<'py>(
        &mut self,
        py: Python<'py>,
        specials: &SpecialSet,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = self.finish(py)?;
        self.set = specials.0.clone();
        Ok(list)
    }

    #[getter]
    fn n_held(&self) -> usize {
        self.segmenter.n_held()
    }

    fn copy(&self) -> Self {
        self.clone()
    }
}

/// Text → text that surely belongs to the live pretoken (`bytes`), and its ends (`None`).
#[pyclass(module = "tokstream._core")]
#[derive(Clone)]
pub struct Pretokens {
    automaton: Arc<Automaton>,
    scan: Scan,
    pending: Vec<u8>,
    origin: u64,
}

impl Pretokens {
    /// Give `pending` up to `end`, counted from the segment's beginning.
    fn give(&mut self, list: &Bound<'_, PyList>, end: u64) -> PyResult<()> {
        let n = end.saturating_sub(self.origin) as usize;
        if n > 0 {
            list.append(PyBytes::new(list.py(), &self.pending[..n]))?;
            self.pending.drain(..n);
            self.origin += n as u64;
        }
        Ok(())
    }

    fn give_ends(&mut self, list: &Bound<'_, PyList>, ends: &Ends) -> PyResult<()> {
        let origin = self.origin;
        for &end in ends.as_slice() {
            self.give(list, origin + end as u64)?;
            list.append(list.py().None())?;
        }
        Ok(())
    }
}

#[pymethods]
impl Pretokens {
    #[new]
    #[pyo3(signature = (automaton, /))]
    fn new(automaton: &[u8]) -> PyResult<Self> {
        let automaton = Automaton::from_bytes(automaton).map_err(|error| table_error(&error))?;
        Ok(Self {
            automaton: Arc::new(automaton),
            scan: Scan::default(),
            pending: Vec::new(),
            origin: 0,
        })
    }

    #[pyo3(signature = (text, /))]
    fn push<'py>(&mut self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut ends = Ends::default();
        self.pending.extend_from_slice(text.as_bytes());
        let mut stop = Stop::Full;
        while stop != Stop::End {
            ends.clear();
            stop =
                self.scan.run(&self.automaton, &self.pending, self.origin, self.origin, &mut ends);
            self.give_ends(&list, &ends)?;
        }
        if self.scan.ends_here(&self.automaton) {
            self.give(&list, self.scan.position())?;
            list.append(py.None())?;
            self.scan.cut_here();
        } else {
            self.give(&list, self.scan.certain(&self.automaton))?;
        }
        Ok(list)
    }

    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut ends = Ends::default();
        let mut is_done = false;
        while !is_done {
            ends.clear();
            is_done = self.scan.finish(
                &self.automaton,
                &self.pending,
                self.origin,
                self.origin,
                &mut ends,
            );
            self.give_ends(&list, &ends)?;
        }
        (self.scan, self.origin) = (Scan::default(), 0);
        Ok(list)
    }

    #[getter]
    fn n_held(&self) -> usize {
        self.pending.len()
    }

    fn copy(&self) -> Self {
        self.clone()
    }
}
