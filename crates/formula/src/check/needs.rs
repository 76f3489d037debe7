//! What a file needs of a program: `needs global lock; needs label DONE;`.
//!
//! With a program, what it lacks is one sentence at the place of the need, instead of an error at
//! every use. Without one, the needs are all the names there are, so that a name which nobody
//! declared is an error as it would be with a program. A host that is no program at all meets no
//! need.

use super::Checker;
use super::named::report_help;
use crate::ast::{Item, Need, NeedKind};
use crate::vocabulary::NamedField;
use hardbop_syntax::codes::calculus as codes;
use hardbop_syntax::{Diagnostic, Span, suggest};
use std::collections::{BTreeMap, BTreeSet};

/// The names that a file declares as those of a program.
#[derive(Default)]
pub(super) struct Needs {
    /// Whether there are any.
    pub are_declared: bool,
    /// Variables behind a state.
    pub fields: BTreeMap<String, NamedField>,
    /// By enumeration.
    pub values: BTreeMap<&'static str, BTreeSet<String>>,
}

impl NeedKind {
    /// The word for it.
    pub(crate) const ALL: [(&'static str, Self); 5] = [
        ("global", Self::Global),
        ("local", Self::Local),
        ("label", Self::Label),
        ("procedure", Self::Procedure),
        ("relation", Self::Relation),
    ];

    fn word(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, kind)| *kind == self)
            .map_or("", |(word, _)| word)
    }

    /// The enumeration in which its name has a code.
    fn enumeration(self) -> Option<&'static str> {
        match self {
            Self::Global | Self::Local => Some("Variable"),
            Self::Label => Some("Label"),
            Self::Procedure => Some("Module"),
            Self::Relation => None,
        }
    }
}

impl Checker<'_> {
    /// Notes what is needed, and reports what is not there.
    pub(super) fn take_needs(&mut self) {
        let ast = self.ast;
        let needs = ast.items.iter().filter_map(|item| match item {
            Item::Needs(needs, _) => Some(needs),
            _ => None,
        });
        for need in needs.flatten() {
            self.needs.are_declared = true;
            self.named.needs = true;
            let is_said = self.vocabulary.values.is_empty() && !self.refused.is_empty();
            if let Some(unmet) = self.unmet(need).filter(|_| !is_said) {
                self.refused.push(unmet);
            }
            self.declare_need(need);
        }
    }

    fn declare_need(&mut self, need: &Need) {
        let field = NamedField {
            width: need.width.map_or(1, |(width, _)| width as u32),
            ..NamedField::default()
        };
        let mut names = vec![need.name.clone()];
        if let (NeedKind::Local, Some((_, own))) = (need.kind, need.name.rsplit_once('.')) {
            names.push(own.to_owned());
        }
        for name in names {
            if let Some(enumeration) = need.kind.enumeration() {
                let values = self.needs.values.entry(enumeration);
                values.or_default().insert(name.clone());
            }
            if matches!(need.kind, NeedKind::Global | NeedKind::Local) {
                self.needs.fields.insert(name, field.clone());
            }
        }
    }

    /// What the host lacks of a need.
    fn unmet(&mut self, need: &Need) -> Option<Diagnostic> {
        let vocabulary = self.vocabulary;
        let (kind, name) = (need.kind.word(), &need.name);
        let report = |message: String| Diagnostic::new(codes::UNMET_NEED, need.span, message);
        if need.kind == NeedKind::Relation {
            let known = |known: &&str| *known == name.as_str();
            let relations = self.heads.relations.iter();
            let mut relations = relations.map(|head| self.ast.text(head.name));
            if relations.any(|relation| known(&relation)) {
                return None;
            }
        }
        if vocabulary.values.is_empty() {
            let message = format!("this file needs a program, with the {kind} `{name}`");
            return Some(report(message).help("`--program FILE` gives it one"));
        }
        let Some(enumeration) = need.kind.enumeration() else {
            let message = format!("there is no relation `{name}`, which this file needs");
            let help = "relations of threads are there with --contexts or --rounds";
            return Some(report(message).help(help));
        };
        if vocabulary.is_open {
            return None;
        }
        let values = vocabulary.values.get(enumeration)?;
        let is_global = |name: &str| {
            let field = vocabulary.fields.get(name);
            field.is_some_and(|f| {
                f.missing.is_some() || f.places.iter().any(|place| place.when.is_none())
            })
        };
        let fits = |name: &str| match need.kind {
            NeedKind::Global => is_global(name),
            NeedKind::Local => name.contains('.'),
            _ => true,
        };
        if values.code(name).is_none() || !fits(name) {
            let known = values.names.keys().map(String::as_str);
            let known: Vec<&str> = known.filter(|name| fits(name)).collect();
            let message = format!("the program has no {kind} `{name}`, which this file needs");
            return Some(report_help(report(message), name, &known));
        }
        let field = vocabulary.fields.get(name);
        let field = field.filter(|field| field.missing.is_none());
        let width = field.map(|field| field.width);
        let wanted = need.width.map_or(1, |(width, _)| width as u32);
        match width {
            Some(width) if need.kind != NeedKind::Label && width != wanted => {
                let bits = |width: u32| match width {
                    1 => "a Boolean".to_owned(),
                    width => format!("an integer of {width} bits"),
                };
                let (is, wanted) = (bits(width), bits(wanted));
                let message =
                    format!("`{name}` is {is} in the program, and this file needs {wanted}");
                matches!(need.kind, NeedKind::Global | NeedKind::Local).then(|| report(message))
            }
            _ => None,
        }
    }

    /// Reports a name that a file uses and does not need, where there is no program.
    pub(super) fn report_undeclared(&mut self, what: &str, name: &str, span: Span) {
        let known: Vec<String> = match what {
            "label" => self.needed("Label"),
            "procedure" => self.needed("Module"),
            _ => self.needed("Variable"),
        };
        let message = format!("this file needs no {what} `{name}`");
        let diagnostic = Diagnostic::new(codes::UNKNOWN_VARIABLE, span, message);
        let nearest = suggest::nearest(name, known.iter().map(String::as_str));
        let help = nearest.map_or_else(
            || format!("say so if it does: `needs {} {name};`", declaring(what)),
            suggest::did_you_mean,
        );
        self.diagnostics.push(diagnostic.help(help));
    }

    fn needed(&self, enumeration: &str) -> Vec<String> {
        let names = self.needs.values.get(enumeration);
        names.into_iter().flatten().cloned().collect()
    }
}

/// The word that declares such a name.
fn declaring(what: &str) -> &str {
    match what {
        "variable" => "global",
        other => other,
    }
}
