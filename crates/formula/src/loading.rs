//! From a root text to the tree of all files it loads.
//!
//! A loaded file stands for its text at the place of the `load`. Each file is read once; loading it
//! again does nothing, unless it is still being read: that is a cycle. Nothing here touches the
//! disk: the caller says how a path is read.

use crate::ast::{Ast, Item, LoadName};
use crate::check;
use crate::parser;
use crate::plain::{Plain, Replacements};
use crate::sources::Sources;
use crate::system::System;
use crate::vocabulary::Vocabulary;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::{Diagnostic, Source, Span};
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// How a loaded file is read: from its path to its text, or to the reason why there is none.
pub type Loader<'a> = dyn FnMut(&str) -> Result<Source, String> + 'a;

/// The outcome of reading and checking a system.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The system, if there are no errors.
    pub system: Option<System>,
    /// All texts; every span counts in their addresses.
    pub sources: Sources,
    /// Errors and warnings in order of discovery.
    pub diagnostics: Vec<Diagnostic>,
    /// Which names of the host occur.
    pub named: Named,
    plain: Replacements,
}

impl Checked {
    /// One of the texts in plain words, for solvers that know neither the names of a host nor
    /// `needs`, with the files that it loads in their places; none if no text has that name.
    pub fn plain_text(&self, name: &str) -> Option<String> {
        let file = self.sources.number(name)?;
        Some(self.plain.text(&self.sources, file))
    }
}

/// Which names of a host's vocabulary occur in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// A value of an enumeration.
    pub values: bool,
    /// A field.
    pub fields: bool,
    /// What the text needs of a program, declared by `needs`.
    pub needs: bool,
}

/// Reads a system: the root text and all files that it loads, relative to the name of the text.
pub fn load(root: &Source, loader: &mut Loader<'_>) -> Checked {
    load_with(root, loader, &Vocabulary::default())
}

/// The same where a host gives names to values and to parts of classes.
pub fn load_with(root: &Source, loader: &mut Loader<'_>, vocabulary: &Vocabulary) -> Checked {
    let reading = read(root, loader);
    let mut diagnostics = reading.diagnostics;
    // What a broken text fails to define would be reported at each use.
    let mut named = Named::default();
    let mut plain = reading.plain;
    let system = if has_errors(&diagnostics) {
        None
    } else {
        let (system, found) = check::check(&reading.ast, vocabulary, &mut named, &mut plain);
        diagnostics.extend(found);
        system
    };
    Checked {
        system,
        sources: reading.sources,
        diagnostics,
        named,
        plain,
    }
}

/// Reads a system that stands in one text.
pub fn load_text(root: &Source) -> Checked {
    load(root, &mut |_| Err("there are no other files".to_owned()))
}

/// Whether a text says what it needs of a program.
pub fn declares_needs(text: &str) -> bool {
    let parsed = parser::parse(text, 0, &mut Ast::default());
    let mut items = parsed.items.iter();
    items.any(|item| matches!(item, Item::Needs(..)))
}

/// What is still to be done, the next last.
enum Work {
    Item(Item),
    Load(LoadName, PathBuf),
    /// All files of a `load` have been read.
    Loaded(Span),
    /// The file has been read.
    Leave(PathBuf),
}

/// Parses the root text and all files that it loads.
pub(crate) fn read(root: &Source, loader: &mut Loader<'_>) -> Reading {
    let mut reading = Reading::default();
    reading.enter(normal(Path::new(root.name())), root);
    while let Some(work) = reading.work.pop() {
        match work {
            Work::Item(Item::Load(names, span)) => {
                let including = reading.folders.last().cloned().unwrap_or_default();
                reading.work.push(Work::Loaded(span));
                let loads = names.into_iter().rev();
                let loads = loads.map(|name| Work::Load(name, including.clone()));
                reading.work.extend(loads);
                reading.loaded.push(Vec::new());
            }
            Work::Loaded(span) => {
                let files = reading.loaded.pop().unwrap_or_default();
                reading.plain.add(span, Plain::Files(files));
            }
            Work::Item(item) => {
                if let Item::Needs(_, span) = &item {
                    reading.plain.add(*span, Plain::Comment);
                }
                let quits = matches!(&item, Item::Command(command)
                    if reading.ast.text(command.name) == "quit");
                reading.ast.items.push(item);
                if quits {
                    reading.quit();
                    break;
                }
            }
            Work::Load(name, including) => reading.load(&name, &including, loader),
            Work::Leave(path) => {
                reading.open.remove(&path);
                reading.folders.pop();
                reading.loads.pop();
            }
        }
    }
    reading
}

#[derive(Default)]
pub(crate) struct Reading {
    /// The tree of all files.
    pub(crate) ast: Ast,
    pub(crate) sources: Sources,
    /// What could not be read.
    diagnostics: Vec<Diagnostic>,
    work: Vec<Work>,
    /// Files that are being read.
    open: HashSet<PathBuf>,
    /// Files that have been or are being read.
    read: HashSet<PathBuf>,
    /// The folders of the files that are being read, the innermost last.
    folders: Vec<PathBuf>,
    /// The names by which those but the root were reading.
    loads: Vec<Span>,
    /// Per `load` that is being carried out, the files that it brought.
    loaded: Vec<Vec<usize>>,
    /// Needs and loads, for a text without them.
    plain: Replacements,
}

impl Reading {
    fn enter(&mut self, path: PathBuf, source: &Source) {
        let base = self.sources.add(source.clone());
        let parsed = parser::parse(source.text(), base, &mut self.ast);
        self.diagnostics.extend(parsed.diagnostics);
        self.folders
            .push(path.parent().map(Path::to_owned).unwrap_or_default());
        self.open.insert(path.clone());
        self.read.insert(path.clone());
        self.work.push(Work::Leave(path));
        let items = parsed.items.into_iter().rev();
        self.work.extend(items.map(Work::Item));
    }

    fn load(&mut self, name: &LoadName, folder: &Path, loader: &mut Loader<'_>) {
        let mut path = folder.join(&name.text);
        if !name.is_quoted || path.extension().is_none() {
            path.as_mut_os_string().push(".mu");
        }
        let path = normal(&path);
        let shown = path.to_string_lossy().into_owned();
        if self.open.contains(&path) {
            let message = format!("`{shown}` is loaded while it is being read");
            self.diagnostics
                .push(Diagnostic::new(codes::LOAD_CYCLE, name.span, message));
            return;
        }
        if self.read.contains(&path) {
            return;
        }
        match loader(&shown) {
            Ok(source) if self.sources.has_room_for(&source) => {
                self.loads.push(name.span);
                if let Some(files) = self.loaded.last_mut() {
                    files.push(self.sources.iter().count());
                }
                self.enter(path, &source);
            }
            Ok(_) => self.missing(name, &shown, "all files together exceed 4 GiB"),
            Err(why) => self.missing(name, &shown, &why),
        }
    }

    /// After `#quit` nothing is looked at, so nothing is wrong there: neither in the files that are
    /// being read, after the place where they load the one with the `#quit`.
    fn quit(&mut self) {
        for load in &self.loads {
            let after = load.end..self.sources.end_of(*load);
            let found = &mut self.diagnostics;
            found.retain(|diagnostic| !after.contains(&diagnostic.primary.span.start));
        }
    }

    fn missing(&mut self, name: &LoadName, shown: &str, why: &str) {
        let message = format!("cannot load `{shown}`: {why}");
        self.diagnostics
            .push(Diagnostic::new(codes::MISSING_FILE, name.span, message));
    }
}

/// The path without `.` and, where that is plain from the path alone, without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(normal.components().next_back(), Some(Component::Normal(_))) =>
            {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
