//! What is put into the text of a program: which line calls for an input or checks something, and
//! values for locals without an initial one.

use crate::inputs::local_key;
use hardbop_c::{CheckMeaning, Site, SiteKind};
use hardbop_machine::Machine;
use hardbop_syntax::Span;
use std::fmt::Write;

/// Insertions, and what cannot be forced by one.
pub(crate) struct Hooks {
    /// Offsets with what is put there, in order.
    pub insertions: Vec<(u32, String)>,
    pub doubts: Vec<String>,
    /// Error functions whose body the program has, so that the harness must not define them.
    pub defined: Vec<String>,
}

pub(crate) fn of(machine: &Machine, sites: &[Site]) -> Hooks {
    let mut hooks = Hooks {
        insertions: Vec::new(),
        doubts: Vec::new(),
        defined: Vec::new(),
    };
    for site in sites {
        hooks.site(machine, site);
    }
    for name in errors(sites) {
        hooks.body_of_error(machine.source.text(), name);
    }
    hooks.insertions.sort_by_key(|(offset, _)| *offset);
    hooks
}

/// The functions that are errors to call and have a body of the program's own.
fn errors(sites: &[Site]) -> Vec<&str> {
    let own = sites.iter().filter_map(|site| match &site.kind {
        SiteKind::Check {
            function,
            meaning: CheckMeaning::Error,
            ..
        } => Some(function.as_str()),
        _ => None,
    });
    let mut own: Vec<&str> = own.chain(["reach_error", "__VERIFIER_error"]).collect();
    own.sort_unstable();
    own.dedup();
    own
}

impl Hooks {
    fn site(&mut self, machine: &Machine, site: &Site) {
        let line = machine.source.line(site.span.start);
        let text = machine.source.slice(site.span);
        match &site.kind {
            SiteKind::Choice { function } if text.starts_with(function.as_str()) => {
                self.around(site.span, &format!("(hb_line = {line}, "));
            }
            SiteKind::Check { .. } if is_call(text) => {
                self.around(site.span, &format!("(hb_check = {line}, "));
            }
            SiteKind::Local {
                function,
                name,
                end,
            } => self.local(machine, site.span, function, name, *end),
            _ => {}
        }
    }

    fn around(&mut self, span: Span, before: &str) {
        self.insertions.push((span.start, before.to_owned()));
        self.insertions.push((span.end, ")".to_owned()));
    }

    /// Assignments behind the declaration of a local.
    fn local(&mut self, machine: &Machine, span: Span, function: &str, name: &str, end: u32) {
        let text = machine.source.text();
        let line = machine.source.line(span.start);
        let before = text
            .get(..span.start as usize)
            .unwrap_or_default()
            .trim_end();
        let rest = text.get(end as usize..).unwrap_or_default();
        let end = match rest.find(';') {
            Some(at) if rest[..at].trim().is_empty() => end + at as u32 + 1,
            _ => end,
        };
        let declaration = text.get(..end as usize).unwrap_or_default();
        let start = declaration.rfind(['{', '}', '(']).map_or(0, |at| at + 1);
        let start = match declaration.trim_end_matches(';').rfind(';') {
            Some(at) => start.max(at + 1),
            None => start,
        };
        let is_in_head = text.get(..start).is_some_and(|text| text.ends_with('('));
        let written = machine.source.slice(span);
        if before.ends_with('*') || is_in_head || !declaration.ends_with(';') {
            let doubt = format!("`{written}` of line {line} cannot be given its initial value");
            self.doubts.push(doubt);
            return;
        }
        let mut assignments = String::new();
        for (key, variable) in variables(machine, function, name) {
            let part = &variable[name.len()..];
            let _ = write!(assignments, " {written}{part} = hb_take(\"{key}\", 0);");
        }
        self.insertions.push((end, assignments));
    }

    /// The body of an error is not executed: the error is what counts.
    fn body_of_error(&mut self, text: &str, name: &str) {
        for (at, _) in text.match_indices(name) {
            let rest = &text[at + name.len()..];
            let Some(close) = rest.find(')') else {
                continue;
            };
            if !rest.trim_start().starts_with('(') {
                continue;
            }
            let behind = &rest[close + 1..];
            let body = behind.trim_start();
            if body.starts_with('{') {
                let offset = at + name.len() + close + 1 + (behind.len() - body.len()) + 1;
                let hook = " hb_end(\"fails\", hb_check);".to_owned();
                self.insertions.push((offset as u32, hook));
                self.defined.push(name.to_owned());
            }
        }
    }
}

/// The variables of the machine that make up a local, with their names among the inputs.
fn variables<'m>(machine: &'m Machine, function: &str, name: &str) -> Vec<(String, &'m str)> {
    let is_part = |other: &str| {
        let rest = other.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let procedure = machine.procedures.iter().find(|p| p.name == function);
    let locals = procedure
        .into_iter()
        .flat_map(|procedure| procedure.locals.iter());
    let locals = locals.map(|local| (local_key(function, &local.name), local.name.as_str()));
    let mut all: Vec<(String, &str)> = locals.filter(|(_, name)| is_part(name)).collect();
    // A local whose address is taken is a global with the name of its function.
    let lifted = format!("{function}::");
    let globals = machine.globals.iter().filter_map(|global| {
        let rest = global.name.strip_prefix(&lifted)?;
        Some((global.name.clone(), rest))
    });
    all.extend(globals.filter(|(_, name)| is_part(name)));
    all
}

/// Whether a text is a call.
fn is_call(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let behind = text.trim_start_matches(is_letter);
    behind.len() < text.len() && behind.trim_start().starts_with('(') && text.ends_with(')')
}
