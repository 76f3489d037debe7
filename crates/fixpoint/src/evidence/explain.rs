//! The plan of evaluation in words, for `--explain-plan`: what is solved together and how, the
//! order of conjunctions, where variables are quantified, and which bits share a BDD variable.

use crate::encoding::allocation::Allocation;
use crate::encoding::model::Model;
use crate::encoding::term::{BitId, PredicateId};
use crate::search::groups::{GroupId, InnerGroup, Shape};
use crate::search::iteration::Iteration;
use crate::search::product::Product;
use crate::search::program::{Program, Step};
use crate::search::semi_naive::{DifferenceBody, Mode};
use hardbop_formula::System;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Names that are listed before the rest becomes a number.
const MAX_NAMES: usize = 6;

pub(crate) fn explain(
    system: &System,
    allocation: &Allocation,
    iteration: &mut Iteration<'_>,
) -> String {
    let names = Names::new(system, &iteration.model, allocation);
    let mut text = String::from("evaluation, what is read first:\n");
    let mut work: Vec<(usize, InnerGroup)> = outermost(iteration)
        .into_iter()
        .rev()
        .map(|g| (1, g))
        .collect();
    while let Some((depth, inner)) = work.pop() {
        let heads = group(&mut text, &names, iteration, depth, &inner);
        for head in heads.into_iter().rev() {
            let inside = iteration
                .groups
                .inside(&iteration.dependencies, inner.group, head);
            work.extend(inside.iter().rev().map(|g| (depth + 1, g.clone())));
        }
    }
    text.push_str(&names.table(allocation));
    text
}

/// The outermost groups in order, each with the members that others ask for.
fn outermost(iteration: &Iteration<'_>) -> Vec<InnerGroup> {
    let model = &iteration.model;
    let mut asked: BTreeMap<GroupId, BTreeSet<PredicateId>> = BTreeMap::new();
    // Relations are counted only if that is asked for, and then they are solved already.
    let readers = model
        .predicate_ids()
        .filter(|&reader| !model.is_for_counting(reader));
    for reader in readers {
        let own = iteration.groups.outermost(reader);
        asked.entry(own).or_default();
        for &(read, _) in iteration.dependencies.reads(reader) {
            let group = iteration.groups.outermost(read);
            if group != own {
                asked.entry(group).or_default().insert(read);
            }
        }
    }
    let fill = |(group, asked): (GroupId, BTreeSet<PredicateId>)| {
        let members = &iteration.groups.get(group).members;
        let first = members
            .iter()
            .filter(|&&m| model.predicate(m).is_fixed_point)
            .min();
        let asked = match (asked.is_empty(), first) {
            (true, Some(&first)) => vec![first],
            _ => asked.into_iter().collect(),
        };
        InnerGroup { group, asked }
    };
    asked.into_iter().map(fill).collect()
}

/// Describes a group; gives the heads whose insides are to be described after it.
fn group(
    text: &mut String,
    names: &Names,
    iteration: &Iteration<'_>,
    depth: usize,
    inner: &InnerGroup,
) -> Vec<PredicateId> {
    let group = iteration.groups.get(inner.group);
    let model = &iteration.model;
    let indent = "  ".repeat(depth);
    let list = |members: &[PredicateId]| {
        let names = members.iter().map(|&m| model.predicate(m).name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    match group.shape {
        Shape::Once => {
            let _ = writeln!(text, "{indent}{}: once", list(&group.members));
            let body = &iteration.evaluator.bodies[group.members[0].index()];
            products(text, names, model, &body.program, depth + 1);
        }
        Shape::Together => {
            let _ = writeln!(
                text,
                "{indent}{}: together, by what is new",
                list(&group.members)
            );
            let members: BTreeSet<PredicateId> = group.members.iter().copied().collect();
            for &member in &group.members {
                let program = &iteration.evaluator.bodies[member.index()].program;
                let body = DifferenceBody::new(program, member, &members);
                rules(text, names, model, program, &body, depth + 1);
            }
        }
        Shape::Nested => {
            let heads: Vec<PredicateId> = inner
                .asked
                .iter()
                .copied()
                .filter(|&asked| model.predicate(asked).is_fixed_point)
                .collect();
            let is_monotone = if group.is_monotone() {
                "alternating, but monotone"
            } else {
                "not monotone, may not end"
            };
            let heads_text = if heads.is_empty() {
                list(&group.members)
            } else {
                list(&heads)
            };
            let _ = writeln!(
                text,
                "{indent}{heads_text}: round by round ({is_monotone}); inside each:"
            );
            return heads;
        }
    }
    Vec::new()
}

/// The rules of a member: one for each changing part of each product.
fn rules(
    text: &mut String,
    names: &Names,
    model: &Model,
    program: &Program,
    body: &DifferenceBody,
    depth: usize,
) {
    let indent = "  ".repeat(depth);
    for (step, mode, product) in body.describe() {
        match (mode, product, &program.steps[step]) {
            (Mode::Recomputed, ..) => {
                let what = phrase(names, model, program, step);
                let _ = writeln!(text, "{indent}in full when it changes: {what}");
            }
            (Mode::Incremental, Some(product), Step::Product { parts, .. }) => {
                let dynamic =
                    (0..product.clusters.len()).filter(|&at| product.clusters[at].is_dynamic);
                for leader in dynamic {
                    let order = order(names, model, program, parts, product, Some(leader));
                    let _ = writeln!(text, "{indent}new {order}");
                }
            }
            _ => {}
        }
    }
}

/// The products of a body that is evaluated once.
fn products(text: &mut String, names: &Names, model: &Model, program: &Program, depth: usize) {
    let indent = "  ".repeat(depth);
    for step in &program.steps {
        let Step::Product { parts, quantified } = step else {
            continue;
        };
        if quantified.is_empty() {
            continue;
        }
        let is_dynamic = |part: usize| program.is_dynamic[part];
        let product = Product::new(&program.parts(parts, is_dynamic), quantified);
        let order = order(names, model, program, parts, &product, None);
        let _ = writeln!(text, "{indent}{order}");
    }
}

/// A schedule: parts in order, each with what is quantified after it.
fn order(
    names: &Names,
    model: &Model,
    program: &Program,
    parts: &[usize],
    product: &Product,
    leader: Option<usize>,
) -> String {
    let stages = product.schedule(leader);
    let stages = stages.iter().map(|stage| {
        let cluster = &product.clusters[stage.cluster];
        let members = cluster.parts.iter();
        let members = members.map(|&part| phrase(names, model, program, parts[part]));
        let mut text = members.collect::<Vec<_>>().join(" & ");
        if cluster.parts.len() > 1 {
            text = format!("[{text}]");
        }
        let gone: Vec<u32> = cluster
            .private
            .iter()
            .chain(&stage.quantified)
            .copied()
            .collect();
        if !gone.is_empty() {
            let _ = write!(text, " without {}", names.of(&gone));
        }
        text
    });
    stages.collect::<Vec<_>>().join("; then ")
}

/// A step in a few words.
fn phrase(names: &Names, model: &Model, program: &Program, step: usize) -> String {
    match &program.steps[step] {
        Step::Apply(application) => {
            let name = &model.predicate(application.predicate).name;
            let gated = if application.gate.is_some() {
                "what matters of "
            } else {
                ""
            };
            match application.renamed.len() {
                0 => format!("{gated}{name}"),
                count => format!("{gated}{name} ({count} bits renamed)"),
            }
        }
        Step::Not(a) => format!("not {}", phrase_of_operand(names, model, program, *a)),
        Step::Constant(value) => value.to_string(),
        _ => format!("a formula over {}", names.of(&program.support[step])),
    }
}

/// Like [`phrase`], but without looking further down.
fn phrase_of_operand(names: &Names, model: &Model, program: &Program, step: usize) -> String {
    match &program.steps[step] {
        Step::Not(_) => "a formula".to_owned(),
        _ => phrase(names, model, program, step),
    }
}

/// The names of the bits of each BDD variable.
struct Names {
    by_level: BTreeMap<u32, Vec<String>>,
}

impl Names {
    fn new(system: &System, model: &Model, allocation: &Allocation) -> Self {
        let mut by_level: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for bit in (0..model.bit_count() as u32).map(BitId) {
            if let Some(level) = allocation.find(bit) {
                let name = bit_name(system, model, bit);
                let names = by_level.entry(level).or_default();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Self { by_level }
    }

    /// The first name of each of these.
    fn of(&self, levels: &[u32]) -> String {
        let mut list: Vec<&str> = levels
            .iter()
            .filter_map(|level| self.by_level.get(level)?.first())
            .map(String::as_str)
            .collect();
        list.sort_unstable();
        shortened(&list)
    }

    fn table(&self, allocation: &Allocation) -> String {
        let mut text = format!("{} BDD variables, from the top:\n", allocation.count());
        for (level, names) in &self.by_level {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let _ = writeln!(text, "  {level}: {}", shortened(&names));
        }
        text
    }
}

fn shortened(names: &[&str]) -> String {
    match names.len() {
        0 => "nothing".to_owned(),
        count if count > MAX_NAMES => {
            format!(
                "{}, {} more",
                names[..MAX_NAMES].join(", "),
                count - MAX_NAMES
            )
        }
        _ => names.join(", "),
    }
}

fn bit_name(system: &System, model: &Model, bit: BitId) -> String {
    let (variable, place) = model.owner(bit);
    let declared = system.variable(variable);
    let leaf = declared
        .leaves
        .iter()
        .find(|leaf| leaf.bits.contains(&place));
    match leaf {
        Some(leaf) if leaf.bits.len() > 1 => {
            let number = leaf.bits.end - 1 - place;
            format!("{}{}:{number}", declared.name, leaf.path)
        }
        Some(leaf) => format!("{}{}", declared.name, leaf.path),
        None => declared.name.clone(),
    }
}
