//! The documents that an editor has open: their texts, what was read from them, and what checks
//! have found about them.

use crate::checks::{Checked, Found};
use crate::language::{Language, path_of};
use crate::lines::Lines;
use crate::reading::{Files, Reading};
use crate::{Outside, findings};
use lsp_types::{Diagnostic, TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Offsets are 32 bits wide; a text that is longer is cut off.
const MAX_TEXT: usize = u32::MAX as usize - 1;

/// An open document.
pub(crate) struct Document {
    pub uri: Uri,
    pub version: i32,
    language: Option<Language>,
    lines: Arc<Lines>,
    reading: Option<Arc<Reading>>,
    /// What was found about this version.
    found: Vec<Found>,
}

/// All open documents.
#[derive(Default)]
pub(crate) struct Documents {
    open: BTreeMap<String, Document>,
}

impl Documents {
    pub(crate) fn open(&mut self, uri: &Uri, version: i32, language_id: &str, text: String) {
        let document = Document {
            language: Language::of(uri, language_id),
            version,
            lines: Arc::new(Lines::new(cut(text))),
            reading: None,
            found: Vec::new(),
            uri: uri.clone(),
        };
        self.open.insert(uri.as_str().to_owned(), document);
        self.forget_dependents();
    }

    pub(crate) fn close(&mut self, uri: &Uri) {
        self.open.remove(uri.as_str());
        self.forget_dependents();
    }

    /// Applies changes in order; one without a range is the whole text.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        let Some(document) = self.open.get_mut(uri.as_str()) else {
            return;
        };
        for change in changes {
            let text = match change.range {
                None => change.text,
                Some(range) => {
                    let lines = &document.lines;
                    let start = lines.offset(range.start) as usize;
                    let end = (lines.offset(range.end) as usize).max(start);
                    let mut text = lines.text().to_owned();
                    text.replace_range(start..end, &change.text);
                    text
                }
            };
            document.lines = Arc::new(Lines::new(cut(text)));
        }
        document.version = version;
        document.reading = None;
        document.found.clear();
        self.forget_dependents();
    }

    /// Formulas and monitors are read together with other files.
    fn forget_dependents(&mut self) {
        for document in self.open.values_mut() {
            if !document.language.is_some_and(Language::is_program) {
                document.reading = None;
            }
        }
    }

    /// The documents whose diagnostics a change of one may change.
    pub(crate) fn dependents(&self, changed: &Uri) -> Vec<Uri> {
        let is_touched = |document: &&Document| {
            document.uri == *changed || !document.language.is_some_and(Language::is_program)
        };
        let touched = self.open.values().filter(is_touched);
        touched.map(|document| document.uri.clone()).collect()
    }

    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    /// What was read from a document, read now if it has not been.
    pub(crate) fn reading(&mut self, uri: &Uri, outside: &dyn Outside) -> Option<Arc<Reading>> {
        let document = self.open.get(uri.as_str())?;
        if let Some(reading) = &document.reading {
            return Some(reading.clone());
        }
        let reading = Arc::new(self.read_as(uri, document.lines.clone(), outside)?);
        let document = self.open.get_mut(uri.as_str())?;
        document.reading = Some(reading.clone());
        Some(reading)
    }

    /// Reads a text as if it were that of a document.
    pub(crate) fn read_as(
        &self,
        uri: &Uri,
        lines: Arc<Lines>,
        outside: &dyn Outside,
    ) -> Option<Reading> {
        let language = self.open.get(uri.as_str())?.language?;
        let text = |path: &str| {
            let open = self.open.values().find(|other| path_of(&other.uri) == path);
            match open {
                Some(document) => Ok(document.lines.text().to_owned()),
                None => outside.read(path).map(cut),
            }
        };
        let files = Files {
            text: &text,
            preprocessed: &|path, text| outside.preprocess(path, text),
        };
        Some(Reading::new(&path_of(uri), language, lines, &files))
    }

    /// Keeps what a check has found, unless the document has changed since.
    pub(crate) fn keep(&mut self, uri: &Uri, version: i32, checked: Checked) {
        let Some(document) = self.open.get_mut(uri.as_str()) else {
            return;
        };
        if document.version == version {
            let replaces = |old: &Found| checked.replaces(old);
            document.found.retain(|old| !replaces(old));
            document.found.extend(checked.found);
        }
    }

    /// Everything there is to show in a document.
    pub(crate) fn diagnostics(&mut self, uri: &Uri, outside: &dyn Outside) -> Vec<Diagnostic> {
        let Some(reading) = self.reading(uri, outside) else {
            return Vec::new();
        };
        let mut shown = findings::of_reading(&reading, uri);
        let found = self
            .get(uri)
            .into_iter()
            .flat_map(|document| &document.found);
        shown.extend(found.filter_map(|found| found.diagnostic.clone()));
        shown
    }

    /// What checks have found about a document.
    pub(crate) fn found(&self, uri: &Uri) -> &[Found] {
        self.get(uri).map_or(&[], |document| &document.found)
    }
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
    }
    text
}
