//! The languages and how a document says which one it is in.

use hardbop_syntax::ast::Form;
use lsp_types::Uri;
use std::fmt::Write;

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// `.bp`, `.gp`, or `.c`
    Program(Form),
    /// `.mu`
    Formulas,
    /// `.mon`
    Monitor,
}

impl Language {
    /// By the extension of the file, and for a document without one by what the editor calls it.
    pub(crate) fn of(uri: &Uri, language_id: &str) -> Option<Self> {
        let path = uri.path().as_str();
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        let known = ["bp", "gp", "c", "i", "mu", "mon"];
        let word = extension.filter(|extension| known.contains(extension));
        match word.unwrap_or(language_id) {
            "bp" | "boolean-program" => Some(Self::Program(Form::Procedures)),
            "gp" | "guarded-program" => Some(Self::Program(Form::GuardedBlocks)),
            "c" | "i" => Some(Self::Program(Form::C)),
            "mu" | "fixpoint-calculus" => Some(Self::Formulas),
            "mon" | "hardbop-monitor" => Some(Self::Monitor),
            _ => None,
        }
    }

    pub(crate) fn is_program(self) -> bool {
        matches!(self, Self::Program(_))
    }
}

/// The path of a `file:` address; of another one its path, which no file has.
pub(crate) fn path_of(uri: &Uri) -> String {
    uri.path()
        .as_estr()
        .decode()
        .into_string_lossy()
        .into_owned()
}

/// The address of a file.
pub(crate) fn uri_of(path: &str) -> Option<Uri> {
    let mut text = String::from("file://");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_to_addresses_and_back() {
        for path in ["/a/b.mu", "/with space/ä%#?.mu", "/c:/x.mu"] {
            let uri = uri_of(path).expect("every path has an address");
            assert_eq!(path_of(&uri), path);
        }
    }
}
