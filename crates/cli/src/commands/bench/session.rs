//! One run after the other: the command of each contender, and what its output says.

use super::measured_process::{self, Limits};
use super::scratch::Scratch;
use crate::engine_arguments as engines;
use crate::exit::Failure;
use crate::interrupt::Patience;
use hardbop_bench::{Case, End, Kind, Peer, Sample, Source, check_output};
use hardbop_outcome::Interrupt as _;
use std::ffi::OsString;

/// Who is measured.
pub enum Contender {
    /// An engine of hardbop.
    Engine(String),
    /// Another program.
    Peer(Peer),
    /// Hardbop without an engine.
    FrontEnd,
}

impl Contender {
    /// What tables call it.
    pub fn name(&self) -> &str {
        match self {
            Contender::Engine(name) => name,
            Contender::Peer(peer) => &peer.name,
            Contender::FrontEnd => "front end",
        }
    }

    /// Whether it can say something about whole runs.
    fn answers_about_runs(&self) -> bool {
        match self {
            Contender::Engine(name) => {
                let name = name.split_whitespace().next();
                name.is_some_and(|name| [engines::AUTO, "explicit"].contains(&name))
            }
            Contender::Peer(_) => false,
            Contender::FrontEnd => true,
        }
    }

    /// How its exit codes are read.
    pub fn kind(&self) -> Kind {
        match self {
            Contender::Engine(_) => Kind::Engine,
            Contender::Peer(_) => Kind::Peer,
            Contender::FrontEnd => Kind::FrontEnd,
        }
    }
}

/// What all runs share.
pub struct Session {
    hardbop: OsString,
    scratch: Scratch,
    limits: Limits,
    patience: Patience,
}

impl Session {
    /// Gets ready to run.
    pub fn new(limits: Limits) -> Result<Self, Failure> {
        let hardbop = std::env::current_exe()
            .map_err(|error| Failure::Internal(format!("cannot find hardbop itself: {error}")))?;
        Ok(Self {
            hardbop: hardbop.into_os_string(),
            scratch: Scratch::new()?,
            limits,
            patience: Patience::for_at_most(None),
        })
    }

    /// Whether the user has asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.patience.check().is_some()
    }

    /// The file of a case; a generated one takes the place of the one before.
    pub fn file_of(&self, case: &Case) -> Result<String, Failure> {
        match (&case.source, case.size, case.seed) {
            (Source::Generated(family), Some(size), Some(seed)) => self
                .scratch
                .write_program(&family.generate(size, seed).text),
            (Source::File(file), ..) => Ok(file.clone()),
            _ => Err(Failure::Internal(
                "a generated program without a size".to_owned(),
            )),
        }
    }

    /// Runs a contender once, if the question is one for it.
    pub fn sample(
        &self,
        contender: &Contender,
        file: &str,
        case: &Case,
    ) -> Result<Sample, Failure> {
        if case.asks_about_runs() && !contender.answers_about_runs() {
            return Ok(Sample::ended(End::Skipped));
        }
        let words = self.command(contender, file, case);
        let measured = measured_process::run(&words, &self.scratch, &self.limits, &self.patience)?;
        let mut sample = Sample {
            end: measured.end,
            wall: measured.wall,
            cpu: measured.cpu,
            peak_kib: measured.peak_kib,
            ..Sample::ended(End::Crashed)
        };
        if let End::Exited(code) = sample.end {
            self.read_output(contender, code, &mut sample)?;
        }
        Ok(sample)
    }

    fn command(&self, contender: &Contender, file: &str, case: &Case) -> Vec<OsString> {
        let own = |words: &[&str]| {
            let words = words.iter().map(OsString::from);
            std::iter::once(self.hardbop.clone()).chain(words).collect()
        };
        match contender {
            Contender::FrontEnd => own(&["parse", "--quiet", "--json", "--stats", file]),
            Contender::Engine(engine) => {
                // What is measured is the search, not the writing of runs.
                let mut words = vec!["check", "--quiet", "--json", "--stats"];
                words.extend(["--trace", "none", "--engine"]);
                words.extend(engine.split_whitespace());
                words.extend(case.options.iter().map(String::as_str));
                words.push(file);
                own(&words)
            }
            Contender::Peer(peer) => {
                let words = peer.command(file, case.label.as_deref());
                words.into_iter().map(OsString::from).collect()
            }
        }
    }

    fn read_output(
        &self,
        contender: &Contender,
        code: i32,
        sample: &mut Sample,
    ) -> Result<(), Failure> {
        let output = self.scratch.output()?;
        match contender {
            Contender::Engine(_) => {
                let read = check_output::read(&output);
                sample.verdict = read.verdict;
                sample.work = read.work;
                sample.take_usage(read.usage);
            }
            Contender::FrontEnd => {
                let read = check_output::read_counts(&output);
                sample.work = read.work;
                sample.take_usage(read.usage);
            }
            Contender::Peer(peer) => {
                let all = output + "\n" + &self.scratch.messages()?;
                sample.verdict = peer.verdict(&all, code);
            }
        }
        Ok(())
    }
}
