//! Where a benchmark goes: the tables on standard output, the files that were asked for, and the
//! exit code.

use super::Arguments;
use hardbop_bench::report::{self, Tally};
use hardbop_bench::{Changes, Run, auto_table, performance};
use hardbop_cli::console::Console;
use hardbop_cli::exit::{Exit, Failure};
use hardbop_cli::files;
use hardbop_cli::input::plain_words;
use std::fs;
use std::path::Path;

/// Reads a file of `--json`.
pub fn read(file: &str) -> Result<Run, Failure> {
    let bad = |why: String| Failure::BadInput(format!("cannot read {file}: {why}"));
    let text = fs::read_to_string(file).map_err(|error| bad(plain_words(&error)))?;
    Run::from_json(&text).map_err(|error| bad(error.to_string()))
}

/// Shows and writes everything.
pub fn finish(
    console: &mut Console,
    arguments: &Arguments,
    run: &Run,
    interrupted: bool,
) -> Result<Exit, Failure> {
    console.print(&report::render(
        &run.records,
        arguments.compare.map(Into::into),
    ));
    for (name, why) in &run.absent {
        console.print(&format!("not measured: {name}, {why}\n"));
    }
    let output = &arguments.output;
    if let Some(file) = &output.csv {
        files::replace(file, &hardbop_bench::csv::render(&run.records))?;
    }
    if let Some(file) = &output.json {
        let text = run.to_json();
        let text = text.map_err(|error| Failure::Internal(format!("no JSON: {error}")))?;
        files::replace(file, &text)?;
    }
    if let Some(file) = &output.html {
        files::replace(file, &performance::page(run).html())?;
    }
    if let Some(file) = &output.page {
        write_page(file, run)?;
    }
    if arguments.auto {
        let (table, broken) = auto_table::render(&run.records);
        console.print(&format!(
            "\nThe portfolio beside the best single engine (at most 3 times with one job, 2 with \
             two, plus 50 ms)\n{table}promises not kept: {broken}\n"
        ));
    }
    let mut got_slower = false;
    if let Some(file) = &arguments.against {
        let changes = Changes::between(&read(file)?, run, arguments.tolerance);
        console.print(&format!("\n{}", changes.render()));
        got_slower = changes.has_worse();
    }
    let tally = Tally::of(&run.records);
    Ok(if tally.wrong > 0 || got_slower {
        Exit::Found
    } else if tally.own_failures > 0 {
        Exit::Internal
    } else if interrupted {
        Exit::Unknown
    } else {
        Exit::Fine
    })
}

/// The page as Markdown; its pictures go to a folder with the name of the page.
fn write_page(file: &str, run: &Run) -> Result<(), Failure> {
    let folder = Path::new(file).with_extension("");
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let page = performance::page(run);
    let (text, pictures) = page.markdown(&name);
    fs::create_dir_all(&folder).map_err(|error| {
        let (folder, why) = (folder.display(), plain_words(&error));
        Failure::BadInput(format!("cannot make the folder {folder}: {why}"))
    })?;
    for (name, svg) in pictures {
        files::replace(&folder.join(name).to_string_lossy(), svg)?;
    }
    files::replace(file, &text)
}
