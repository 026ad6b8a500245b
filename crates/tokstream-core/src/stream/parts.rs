//! A stream that ends, or begins, where a text is cut so that several threads encode it.

use crate::core::Core;
use crate::error::Error;
use crate::parallel::{Cut, Entry};
use crate::scratch::Scratch;

use super::general::Context;
use super::{Run, Stream};

impl Stream {
    /// Begin inside a pretoken, read in `state`, at a boundary that no token spans. To be said
    /// before anything is fed.
    pub(crate) fn begin_inside(&mut self, state: u16) {
        self.run = Run::inside(state);
    }

    /// Begin where a token ends in text that is one pretoken, behind its first character. To be said
    /// before anything is fed.
    pub(crate) fn begin_between(&mut self) {
        match &mut self.general {
            Some(general) => general.begin_between(),
            None => self.run.begin_between(),
        }
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
            entry = match cut.entry {
                Entry::Between => stream.close_between(scratch, out).then_some(Entry::Between),
                Entry::Pretoken => {
                    let ends = |run: &mut Run, core: &Core, scratch: &mut Scratch, out: &mut _| {
                        run.ends_before(core, scratch, cut.after(), out)
                    };
                    stream.at_run(scratch, out, ends).filter(|ends| *ends).map(|_| Entry::Pretoken)
                }
                Entry::Inside(_) => {
                    stream.at_run(scratch, out, Run::part_here).flatten().map(Entry::Inside)
                }
            };
            Ok(())
        })?;
        Ok(entry)
    }

    /// Let `act` see the run that has all of the text so far; `None` if there is none.
    fn at_run<T>(
        &mut self,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
        act: impl FnOnce(&mut Run, &Core, &mut Scratch, &mut Vec<u32>) -> T,
    ) -> Option<T> {
        let Self { core, specials, run, general, .. } = self;
        let run = match general {
            Some(general) => {
                let passes = specials.passes();
                general.cut(&mut Context { core, scratch, out, passes })?
            }
            None => run,
        };
        Some(act(run, core, scratch, out))
    }

    /// A token ends behind the text so far, which is one pretoken that goes on: give out all ids.
    /// False if that cannot be.
    fn close_between(&mut self, scratch: &mut Scratch, out: &mut Vec<u32>) -> bool {
        let Self { core, specials, run, general, .. } = self;
        if let Some(general) = general {
            let passes = specials.passes();
            general.close_between(&mut Context { core, scratch, out, passes })
        } else {
            run.close_here(core, scratch, out);
            true
        }
    }
}
