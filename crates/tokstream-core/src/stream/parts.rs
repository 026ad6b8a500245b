//! A stream that ends, or begins, where a text is cut so that several threads encode it.

use crate::error::Error;
use crate::parallel::{Cut, Entry};

use super::general::Context;
use super::{Run, Stream};

impl Stream {
    /// Begin inside a pretoken, read in `state`, at a boundary that no token spans. To be said
    /// before anything is fed.
    pub(crate) fn begin_inside(&mut self, state: u16) {
        self.run = Run::inside(state);
    }

    /// Try to end at `cut`, where the text so far ends: append the ids of all of it. Returns how
    /// the text behind begins; `None` if not all of it is known to be, then this stream is of no
    /// use any more.
    pub(crate) fn cut(&mut self, cut: &Cut, out: &mut Vec<u32>) -> Result<Option<Entry>, Error> {
        let mut entry = None;
        self.guard(out, |stream, scratch, out| {
            if stream.decoder.n_held() > 0 {
                return Ok(());
            }
            stream.release(scratch, out)?;
            let Self { core, specials, run, general, .. } = stream;
            let run = match general {
                Some(general) => {
                    let passes = specials.passes();
                    general.cut(&mut Context { core, scratch, out, passes })
                }
                None => Some(run),
            };
            entry = match (run, cut.entry) {
                (Some(run), Entry::Pretoken) => {
                    let is_end = run.ends_before(core, scratch, cut.after(), out);
                    is_end.then_some(Entry::Pretoken)
                }
                (Some(run), Entry::Inside(_)) => {
                    run.part_here(core, scratch, out).map(Entry::Inside)
                }
                (None, _) => None,
            };
            Ok(())
        })?;
        Ok(entry)
    }
}
