//! A directory of files that live as long as a benchmark: the program under test and the output of
//! the run.
//!
//! Output goes to files, not pipes: a process that prints a lot is never held up by a reader.

use hardbop_cli::exit::Failure;
use hardbop_cli::input::plain_words;
use hardbop_cli::temporary::TemporaryFolder;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

/// The directory; removed in the end.
pub struct Scratch {
    directory: TemporaryFolder,
}

impl Scratch {
    /// A new directory among the system's temporary files.
    pub fn new() -> Result<Self, Failure> {
        let directory = TemporaryFolder::new("bench")?;
        Ok(Self { directory })
    }

    /// Writes the program under test.
    pub fn write_program(&self, text: &str) -> Result<(), Failure> {
        fs::write(self.program()?, text)
            .map_err(|error| trouble("write a generated program", &error))
    }

    /// The file of the program under test.
    pub fn program(&self) -> Result<String, Failure> {
        self.named("program.bp")
    }

    /// The file of the program in a format of another tool. Some tools go by the ending.
    pub fn exported(&self, format: &str) -> Result<String, Failure> {
        let ending = match format {
            "chc" => "smt2",
            "moped" => "moped.bp",
            "dimacs" => "cnf",
            other => other,
        };
        self.named(&format!("program.{ending}"))
    }

    /// Writes a property file, and says where it is.
    pub fn write_property(&self, text: &str) -> Result<String, Failure> {
        let file = self.named("question.prp")?;
        fs::write(&file, text).map_err(|error| trouble("write a property", &error))?;
        Ok(file)
    }

    fn named(&self, name: &str) -> Result<String, Failure> {
        let path = self.directory.path(name).into_os_string();
        path.into_string().map_err(|_| {
            Failure::BadInput("the temporary directory's name is not UTF-8".to_owned())
        })
    }

    /// New, empty files for the two output streams of a run.
    pub fn streams(&self) -> io::Result<(File, File)> {
        Ok((
            File::create(self.output_path())?,
            File::create(self.messages_path())?,
        ))
    }

    /// What the run has written to its standard output.
    pub fn output(&self) -> Result<String, Failure> {
        read(&self.output_path())
    }

    /// What the run has written to its standard error.
    pub fn messages(&self) -> Result<String, Failure> {
        read(&self.messages_path())
    }

    fn output_path(&self) -> PathBuf {
        self.directory.path("output")
    }

    fn messages_path(&self) -> PathBuf {
        self.directory.path("messages")
    }
}

fn read(path: &PathBuf) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(|error| trouble("read the output of a run", &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn trouble(what: &str, error: &io::Error) -> Failure {
    Failure::BadInput(format!("cannot {what}: {}", plain_words(error)))
}
