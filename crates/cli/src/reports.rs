//! The reports of a command: its results, for other tools and for browsers, all made from one
//! value ([`Document`]). A file is written whole or not at all.

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::witnesses;
use hardbop_machine::Machine;
use hardbop_outcome::{Coverage, Outcome};
use hardbop_report::{Document, DocumentOptions, Page};

/// The version of the tool, which every report names.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A page has at most this many steps of a run, unless there are more with all calls folded.
const STEPS_OF_PAGE: u64 = 100_000;

/// Files to write.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ReportArguments {
    /// Write an HTML page to step through counterexamples and read proofs
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<String>,
    /// Write a SARIF 2.1.0 report, for code hosts and editors
    #[arg(long, value_name = "FILE.sarif")]
    pub sarif: Option<String>,
    #[arg(
        long,
        value_name = "FILE.xml",
        help = "Write a JUnit XML report, for build servers"
    )]
    pub junit: Option<String>,
    /// Write a verification witness 2.0 of a C program, for other verifiers
    #[arg(long, value_name = "FILE.yml")]
    pub witness: Option<String>,
}

/// What reports are about.
pub struct Reported<'a> {
    pub machine: &'a Machine,
    pub outcome: &'a Outcome,
    /// How many steps runs have where calls are written out.
    pub most_steps: Option<u64>,
    /// Where the certificates are.
    pub certificate_file: Option<&'a str>,
}

impl ReportArguments {
    /// Makes sure that the files can be written, each only once; `other` is written besides.
    pub fn prepare(&self, other: Option<&str>) -> Result<(), Failure> {
        let own = [&self.html, &self.sarif, &self.junit, &self.witness];
        let mut seen: Vec<&str> = other.into_iter().collect();
        for file in own.into_iter().flatten() {
            if seen.contains(&file.as_str()) {
                let why = format!("{file} is given for two outputs");
                return Err(Failure::BadInput(why));
            }
            seen.push(file);
            files::prepare(file)?;
        }
        Ok(())
    }

    /// Writes the files. `coverage` is asked for only if it is shown.
    pub fn write(
        &self,
        console: &mut Console,
        reported: &Reported<'_>,
        coverage: impl FnOnce() -> Result<Option<Coverage>, Failure>,
    ) -> Result<(), Failure> {
        if self.sarif.is_some() || self.junit.is_some() {
            let document = reported.document(Some(reported.most_steps.unwrap_or(0)))?;
            if let Some(file) = &self.sarif {
                files::replace(file, &hardbop_report::sarif(&document).map_err(internal)?)?;
            }
            if let Some(file) = &self.junit {
                files::replace(file, &hardbop_report::junit(&document).map_err(internal)?)?;
            }
        }
        if let Some(file) = &self.witness {
            match witnesses::of(reported)? {
                Ok(witness) => files::replace(file, &witness)?,
                Err(why) => console.note(&format!("{why}; {file} was not written")),
            }
        }
        if let Some(file) = &self.html {
            let document = reported.document(Some(STEPS_OF_PAGE))?;
            let coverage = coverage()?;
            let page = Page {
                machine: reported.machine,
                document: Some(&document),
                certificates: &reported.outcome.certificates,
                coverage: coverage.as_ref(),
                hardbop: VERSION,
            };
            files::replace(file, &hardbop_report::html(&page).map_err(internal)?)?;
        }
        Ok(())
    }
}

impl<'a> Reported<'a> {
    /// The value that reports are made of, with that many steps where calls are written out.
    pub fn document(&self, most_steps: Option<u64>) -> Result<Document<'a>, Failure> {
        let options = DocumentOptions {
            most_steps,
            certificate_file: self.certificate_file,
        };
        let document = Document::new(self.machine, self.outcome, VERSION, options);
        // A run that does not replay is an internal error here: it was judged before.
        document.map_err(internal)
    }
}

/// The page about what can be reached.
pub fn coverage_page(machine: &Machine, coverage: &Coverage) -> Result<String, Failure> {
    let page = Page {
        machine,
        document: None,
        certificates: &[],
        coverage: Some(coverage),
        hardbop: VERSION,
    };
    hardbop_report::html(&page).map_err(internal)
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("internal error: {error}"))
}
