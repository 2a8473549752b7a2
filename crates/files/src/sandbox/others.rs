//! Programs of others, such as tesseract and pdftoppm, inside the same walls (SEC-10): they
//! take apart what strangers made, and one hole in them must not open the home directory.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{INSIDE, Input, Limits, OTHERS, Sandbox, command::Inside, job::Ending, place::Place};
use crate::programs::{Ended, Word};

impl Sandbox {
    /// The program as it is called inside, if it is seen there: below `/usr`.
    pub(crate) fn sees(&self, program: &Path) -> Option<PathBuf> {
        let program = program.canonicalize().ok()?;
        program.starts_with("/usr").then_some(program)
    }

    /// Runs a program of the system. Its inputs are read-only, and what it writes beside its
    /// output's name comes out into that directory.
    pub(crate) async fn run_program(
        &self,
        program: PathBuf,
        words: &[Word<'_>],
        time: Duration,
        bytes: usize,
    ) -> io::Result<Ended> {
        let nobody = self.setpriv.is_some();
        let (mut inside, mut inputs) = (vec![program.into_os_string()], Vec::new());
        let mut out = None;
        for word in words {
            inside.push(match word {
                Word::Text(text) => OsString::from(text),
                Word::Input(path) => {
                    let name = format!("{}", inputs.len());
                    inputs.push(Input { name: name.clone(), path: (*path).to_owned() });
                    format!("/input/{name}").into()
                }
                Word::Output(directory, name) => {
                    out = Some(*directory);
                    format!("{INSIDE}/{name}").into()
                }
            });
        }
        // Nobody may not see what belongs to root, so it gets copies; others see the files
        // themselves.
        let copied: &[Input] = if nobody { &inputs } else { &[] };
        let place = Place::make(None, copied, nobody)?;
        let from = |input: &Input| match nobody {
            true => place.input(&input.name),
            false => input.path.clone(),
        };
        let seen = inputs.iter().map(|input| (from(input), format!("/input/{}", input.name)));
        let mut seen: Vec<_> = seen.collect();
        let mut environment = vec![("OMP_THREAD_LIMIT", OsString::from("1"))];
        // Where the user keeps the languages of tesseract.
        let data = std::env::var_os("TESSDATA_PREFIX").map(PathBuf::from);
        if let Some(data) = data.filter(|data| data.is_dir()) {
            seen.push((data, "/input/tessdata".to_owned()));
            environment.push(("TESSDATA_PREFIX", OsString::from("/input/tessdata")));
        }
        let limits: &Limits = &OTHERS;
        let task = Inside { words: inside, seen, environment, limits, time };
        let outcome = self.run_inside(place, task, HashSet::new(), bytes).await?;
        if let Some(directory) = out {
            for output in &outcome.outputs {
                fs::copy(&output.path, directory.join(&output.name))?;
            }
        }
        let failed = |why: &str| Ended::Done {
            success: false,
            stdout: Vec::new(),
            stderr: why.as_bytes().to_vec(),
        };
        Ok(match outcome.ending {
            Ending::Exited(code) => Ended::Done {
                success: code == 0,
                stdout: outcome.stdout.into_head(),
                stderr: outcome.stderr.into_head(),
            },
            Ending::TimedOut => Ended::TimedOut,
            Ending::TalkedTooMuch => failed("it said more than 16 MB"),
            Ending::Overdrew(_) => failed("it took more memory or disk than it may"),
        })
    }
}
