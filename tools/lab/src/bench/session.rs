//! One run after the other: the command of each contender, and what its output says.

use super::instructions::Counter;
use super::measured_process::{self, Limits};
use super::scratch::Scratch;
use hardbop_bench::{Case, End, Kind, Peer, Sample, Verdict, check_output};
use hardbop_cli::engine_arguments as engines;
use hardbop_cli::exit::Failure;
use hardbop_cli::interrupt::Patience;
use hardbop_outcome::Interrupt as _;
use hardbop_satcheck::LEFT_OUT;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

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

    /// The bounds with which it is run until there is an answer.
    fn bounds(&self) -> &'static [u32] {
        match self {
            Contender::Peer(peer) => peer.bounds(),
            Contender::Engine(_) | Contender::FrontEnd => &[1],
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

    /// Writes the files of a case, which take the place of those before: the program if it is a
    /// generated one, and what the peers read instead. A peer whose file cannot be written does not
    /// take part; `say` hears why.
    pub fn prepare(
        &self,
        case: &Case,
        contenders: &[Contender],
        mut say: impl FnMut(&str),
    ) -> Result<(), Failure> {
        if let (Some(size), Some(seed)) = (case.size, case.seed) {
            let family = hardbop_families::find(&case.name);
            let family = family
                .ok_or_else(|| Failure::Internal(format!("there is no family {}", case.name)))?;
            let text = family.generate(size, seed).text;
            self.scratch.write_program(&text)?;
        }
        let peers = contenders.iter().filter_map(|contender| match contender {
            Contender::Peer(peer) => Some(peer),
            _ => None,
        });
        let formats: BTreeSet<&str> = peers.flat_map(Peer::formats).collect();
        for format in formats {
            let file = self.scratch.exported(format)?;
            // Nothing of the case before may be left.
            let _ = fs::remove_file(&file);
            if case.asks_about_runs() {
                continue;
            }
            // Moped asks for one label.
            if format == "moped" && case.label.is_none() {
                continue;
            }
            let mut words = vec!["export", "--to", format];
            words.extend(case.options.iter().map(String::as_str));
            let program = self.program_of(case)?;
            words.extend(["-o", &file, &program]);
            let words = self.own(&words);
            let made = measured_process::run(&words, &self.scratch, &self.limits, &self.patience)?;
            if made.end != End::Exited(0) {
                let _ = fs::remove_file(&file);
                let messages = self.scratch.messages()?;
                let why = match made.end {
                    End::Exited(_) => messages.lines().next().unwrap_or_default().to_owned(),
                    stopped => stopped.word(),
                };
                say(&format!("{} is not written as {format}: {why}", case.name));
            }
        }
        Ok(())
    }

    /// The file of a case.
    fn program_of(&self, case: &Case) -> Result<String, Failure> {
        match case.size {
            Some(_) => self.scratch.program(),
            None => Ok(case.name.clone()),
        }
    }

    /// Measures a contender once, if the question is one for it.
    pub fn sample(&self, contender: &Contender, case: &Case) -> Result<Sample, Failure> {
        self.run(contender, case, &[], self.limits, || Ok(()))
    }

    /// The instructions of one more run, if it ends: one that takes long gets a multiple of the
    /// time it took before, and not much more than the limit of all runs.
    pub fn count(
        &self,
        contender: &Contender,
        case: &Case,
        counter: Counter,
        wall: Duration,
    ) -> Result<Option<u64>, Failure> {
        let expected = wall * counter.patience();
        if expected > 4 * self.limits.time {
            return Ok(None);
        }
        let limits = Limits {
            time: expected + self.limits.time,
            cpu: None,
            memory_kib: None,
        };
        let mut total = Some(0);
        let run = self.run(contender, case, &counter.before(), limits, || {
            let count = counter.read(&self.scratch.messages()?);
            total = total.zip(count).map(|(total, count)| total + count);
            Ok(())
        })?;
        Ok(match run.end {
            End::Exited(_) => total,
            _ => None,
        })
    }

    /// Runs a contender, if the question is one for it: once, or with growing bounds within the
    /// same limits until there is an answer. The words come before its command, and `look` sees
    /// what each process has left behind.
    fn run(
        &self,
        contender: &Contender,
        case: &Case,
        before: &[OsString],
        mut limits: Limits,
        mut look: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Sample, Failure> {
        let mut spent: Option<Sample> = None;
        for &bound in contender.bounds() {
            let Some(command) = self.command(contender, case, bound)? else {
                return Ok(Sample::ended(End::Unsuited));
            };
            let words = [before, &command].concat();
            let measured = measured_process::run(&words, &self.scratch, &limits, &self.patience)?;
            limits.time = limits.time.saturating_sub(measured.wall);
            let mut sample = Sample {
                end: measured.end,
                wall: measured.wall,
                cpu: measured.cpu,
                peak_kib: measured.peak_kib,
                ..Sample::ended(End::Crashed)
            };
            if let End::Exited(code) = sample.end {
                self.read_output(contender, code, &mut sample)?;
                look()?;
            }
            let goes_on =
                matches!(sample.end, End::Exited(_)) && sample.verdict == Some(Verdict::Unknown);
            let all = match &spent {
                Some(earlier) => sample.after(earlier),
                None => sample,
            };
            if !goes_on {
                return Ok(all);
            }
            spent = Some(all);
        }
        Ok(spent.unwrap_or_else(|| Sample::ended(End::Unsuited)))
    }

    fn own(&self, words: &[&str]) -> Vec<OsString> {
        let words = words.iter().map(OsString::from);
        std::iter::once(self.hardbop.clone()).chain(words).collect()
    }

    /// Whether a file that a peer reads leaves out deep recursion, so that only what is reached is
    /// an answer.
    fn is_bounded(&self, peer: &Peer) -> Result<bool, Failure> {
        for format in peer.formats().filter(|&format| format == "dimacs") {
            let text = fs::read_to_string(self.scratch.exported(format)?).unwrap_or_default();
            let mut head = text.lines().take_while(|line| line.starts_with("c "));
            if head.any(|line| line.ends_with(LEFT_OUT)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The command of a contender; `None` if it does not support the question.
    fn command(
        &self,
        contender: &Contender,
        case: &Case,
        bound: u32,
    ) -> Result<Option<Vec<OsString>>, Failure> {
        if case.asks_about_runs() && !contender.answers_about_runs() {
            return Ok(None);
        }
        let file = self.program_of(case)?;
        Ok(Some(match contender {
            Contender::FrontEnd => self.own(&["parse", "--quiet", "--json", "--stats", &file]),
            Contender::Engine(engine) => {
                // What is measured is the search, not the writing of runs.
                let mut words = vec!["check", "--quiet", "--json", "--stats"];
                words.extend(["--trace", "none", "--engine"]);
                words.extend(engine.split_whitespace());
                words.extend(case.options.iter().map(String::as_str));
                words.push(&file);
                self.own(&words)
            }
            Contender::Peer(peer) => {
                let mut files = Vec::new();
                for format in peer.formats() {
                    let exported = self.scratch.exported(format)?;
                    if !Path::new(&exported).exists() {
                        return Ok(None);
                    }
                    files.push((format, exported));
                }
                let words = peer.command(|name| match name {
                    "file" => Some(file.clone()),
                    "label" => Some(case.label.clone().unwrap_or_default()),
                    "bound" => Some(bound.to_string()),
                    _ => {
                        let mut files = files.iter();
                        Some(files.find(|(format, _)| *format == name)?.1.clone())
                    }
                });
                words.into_iter().map(OsString::from).collect()
            }
        }))
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
            Contender::Peer(peer) if peer.has_failed(code) => sample.end = End::Failed(code),
            Contender::Peer(peer) => {
                let all = output + "\n" + &self.scratch.messages()?;
                sample.verdict = peer.verdict(&all, code);
                if sample.verdict == Some(Verdict::Unreachable) && self.is_bounded(peer)? {
                    sample.verdict = Some(Verdict::Unknown);
                }
            }
        }
        Ok(())
    }
}
