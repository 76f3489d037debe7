//! Tuples of relations in the words of the source: places with their line, procedure and text,
//! values with the names of their variables.
//!
//! A module and the program counter behind it are a place; the locals and globals beside them are
//! what is known there. In sliced relations a variable that does not matter at a place is open, and
//! not shown.

use crate::encoding::problem::Program;
use crate::encoding::source_names::place_text;
use hardbop_fixpoint::Binding;
use hardbop_machine::{NodeId, ProcId, Variable};

/// Tells tuples.
pub struct TupleWords<'p>(pub &'p Program<'p>);

/// One thing that a tuple tells.
struct Item {
    /// The variable of the formula, such as `u` or `m, p`.
    name: String,
    value: String,
    /// What it is sorted by.
    key: u64,
    is_place: bool,
}

impl TupleWords<'_> {
    /// A tuple, a line for each of its parts.
    pub(crate) fn lines(&self, tuple: &[Binding]) -> Vec<String> {
        let items = self.items(tuple).into_iter();
        items
            .map(|item| {
                let verb = if item.is_place { "at" } else { "=" };
                format!("{} {verb} {}", item.name, item.value)
            })
            .collect()
    }

    /// Tuples in order of the text. Those that differ in their last part alone share a line.
    pub(crate) fn table(&self, tuples: &[Vec<Binding>]) -> Vec<String> {
        let mut rows: Vec<Vec<Item>> = tuples.iter().map(|tuple| self.items(tuple)).collect();
        rows.sort_by_cached_key(|row| row.iter().map(|item| item.key).collect::<Vec<u64>>());
        let mut lines: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        let mut widths: Vec<usize> = Vec::new();
        for row in rows {
            let mut parts: Vec<String> = row.into_iter().map(|item| item.value).collect();
            let last = parts.pop().unwrap_or_default();
            widths.resize(widths.len().max(parts.len()), 0);
            for (width, part) in widths.iter_mut().zip(&parts) {
                *width = part.chars().count().max(*width);
            }
            match lines.last_mut() {
                Some((known, values)) if !parts.is_empty() && *known == parts => values.push(last),
                _ => lines.push((parts, vec![last])),
            }
        }
        let line = |(parts, values): &(Vec<String>, Vec<String>)| {
            let parts = parts.iter().zip(&widths);
            let parts = parts.map(|(part, &width)| format!("{part:width$}  "));
            let parts: String = parts.collect();
            format!("{parts}{}", values.join(", "))
        };
        lines.iter().map(line).collect()
    }

    fn items(&self, tuple: &[Binding]) -> Vec<Item> {
        let mut items = Vec::new();
        let mut rest = tuple;
        while let [first, others @ ..] = rest {
            rest = others;
            if is_of(first, "Module")
                && let Some((procedure, node)) = self.place(first, others)
            {
                let pc = &others[0];
                rest = &others[1..];
                let owner = owner(&first.place);
                let held = |part: &str| format!("{owner}.{part}.");
                let (locals, globals) = (held("CL"), held("CG"));
                let is_value =
                    |b: &Binding| b.place.starts_with(&locals) || b.place.starts_with(&globals);
                let count = match owner {
                    "" => 0,
                    _ => rest.iter().take_while(|binding| is_value(binding)).count(),
                };
                let (values, after) = rest.split_at(count);
                rest = after;
                let mut value = place_text(self.0.machine, node);
                let values = self.values(procedure, node, values);
                if !values.is_empty() {
                    value = format!("{value}  {values}");
                }
                let name = match owner {
                    "" => format!("{}, {}", first.place, pc.place),
                    owner => owner.to_owned(),
                };
                items.push(Item {
                    name,
                    value,
                    key: node.index() as u64,
                    is_place: true,
                });
                continue;
            }
            items.push(Item {
                name: first.place.clone(),
                value: self.name_of(first),
                key: first.code,
                is_place: false,
            });
        }
        items
    }

    /// The place that a module and the binding behind it are.
    fn place(&self, module: &Binding, others: &[Binding]) -> Option<(ProcId, NodeId)> {
        let pc = others.first()?;
        if !is_of(pc, "PC") || owner(&pc.place) != owner(&module.place) {
            return None;
        }
        let procedure = self.0.layout.procedure(module.code)?;
        let node = self.0.layout.node(procedure, pc.code)?;
        Some((procedure, node))
    }

    /// The variables of a state that mean something where it is.
    fn values(&self, procedure: ProcId, node: NodeId, fields: &[Binding]) -> String {
        let layout = &self.0.layout;
        let machine = self.0.machine;
        let locals = layout.local_fields.len().max(1);
        let mut shown: Vec<(Variable, u64)> = Vec::new();
        for ((variable, bit), field) in layout.bits(procedure) {
            let first = match field.class {
                crate::encoding::layout::Class::Local => 0,
                crate::encoding::layout::Class::Global => locals,
            };
            let Some(binding) = fields.get(first + field.index as usize) else {
                continue;
            };
            if !layout.matters(machine, node, variable) {
                continue;
            }
            let value = binding.code << bit;
            match shown.last_mut() {
                Some((last, sum)) if *last == variable => *sum |= value,
                _ => shown.push((variable, value)),
            }
        }
        let results = machine.procedure(procedure).results();
        let results: Vec<Variable> = results.map(Variable::Local).collect();
        let is_exit = machine.procedure(procedure).exit == node;
        let shown = shown.into_iter();
        // What a procedure will return is not known before it ends.
        let shown = shown.filter(|(variable, _)| is_exit || !results.contains(variable));
        let shown: Vec<String> = shown
            .map(|(variable, value)| format!("{}={value}", machine.name_of(procedure, variable)))
            .collect();
        shown.join(" ")
    }

    fn name_of(&self, binding: &Binding) -> String {
        let names = &self.0.names;
        let code = binding.code as usize;
        let name = match binding.enumeration.as_deref() {
            Some("Module") => {
                let procedure = self.0.layout.procedure(binding.code);
                procedure.map(|id| &self.0.machine.procedure(id).name)
            }
            Some("Label") => names.labels.get(code),
            Some("Variable") => names.variable_names.get(code),
            Some("Thread") => names.threads.get(code),
            _ => None,
        };
        name.unwrap_or(&binding.value).clone()
    }
}

fn is_of(binding: &Binding, enumeration: &str) -> bool {
    binding.enumeration.as_deref() == Some(enumeration)
}

/// What a field belongs to: `u` for `u.mod`, nothing for a variable.
fn owner(place: &str) -> &str {
    place.rsplit_once('.').map_or("", |(owner, _)| owner)
}
