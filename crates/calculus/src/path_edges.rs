//! Which bits of a solved relation hold which part of a path edge.
//!
//! A summary relation relates the state in which a module was entered to a current state of the same invocation: a path edge in the words of
//! Bebop. It comes in two shapes: `R(State u, State v)` as in section 4 (with a bit before it in section 4.3, which is 1), and
//! `R(Conf s)` as in the appendix. Both are recognised by the names of their parts.

use crate::layout::{Class, Field};
use hardbop_formula::System;
use hardbop_formula::system::{Formula, FormulaId, Leaf, RelationId, RelationKind, VariableId};

/// A bit of a parameter.
pub type ParameterBit = (VariableId, u32);

/// The parts of one state, as bits.
#[derive(Clone, Debug, Default)]
pub struct StateBits {
    /// The module, most significant bit first.
    pub module: Vec<ParameterBit>,
    /// The program counter, most significant bit first.
    pub pc: Vec<ParameterBit>,
    /// The locals, by field.
    pub locals: Vec<ParameterBit>,
    /// The globals, by field.
    pub globals: Vec<ParameterBit>,
}

impl StateBits {
    /// The bit of a field.
    pub fn field(&self, field: Field) -> Option<ParameterBit> {
        let bits = match field.class {
            Class::Local => &self.locals,
            Class::Global => &self.globals,
        };
        bits.get(field.index as usize).copied()
    }

    fn add(&mut self, variable: VariableId, leaf: &Leaf, prefix: &str) {
        let Some(path) = leaf.path.strip_prefix(prefix) else {
            return;
        };
        let bits = leaf.bits.clone().map(|bit| (variable, bit));
        match path {
            "mod" => self.module.extend(bits),
            "pc" => self.pc.extend(bits),
            _ if path.starts_with("CL.") => self.locals.extend(bits),
            _ if path.starts_with("CG.") => self.globals.extend(bits),
            _ => {}
        }
    }
}

/// A relation whose tuples are path edges.
#[derive(Clone, Debug)]
pub struct PathEdges {
    /// The relation.
    pub relation: RelationId,
    /// The bit that is 1 in the tuples that count.
    pub flag: Option<ParameterBit>,
    /// Where the module was entered. Its module and program counter, if there are any, are the current module and 0.
    pub entry: StateBits,
    /// The current state.
    pub now: StateBits,
}

impl PathEdges {
    /// The first least fixed point with the shape of path edges that a formula speaks of.
    pub fn find(system: &System, formula: FormulaId) -> Option<Self> {
        let mut pending = vec![formula];
        let mut seen = std::collections::BTreeSet::new();
        let mut found = Vec::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match system.formula(id) {
                Formula::Apply(relation, _) => found.extend(Self::recognise(system, *relation)),
                Formula::Not(a) | Formula::Exists(_, a) | Formula::Forall(_, a) => pending.push(*a),
                Formula::And(parts) | Formula::Or(parts) => pending.extend(parts),
                Formula::Iff(a, b) | Formula::Cofactor(a, b) => pending.extend([*a, *b]),
                Formula::Ite(c, a, b) => pending.extend([*c, *a, *b]),
                Formula::Constant(_) | Formula::Bit(..) => {}
            }
        }
        found.sort_by_key(|edges| edges.relation);
        found.into_iter().next()
    }

    fn recognise(system: &System, id: RelationId) -> Option<Self> {
        let relation = system.relation(id);
        if relation.kind != RelationKind::Least {
            return None;
        }
        let mut parameters = relation.parameters.as_slice();
        let mut flag = None;
        if let [first, _, _] = parameters
            && system.variable(*first).bits == 1
        {
            flag = Some((*first, 0));
            parameters = &parameters[1..];
        }
        let mut edges = Self {
            relation: id,
            flag,
            entry: StateBits::default(),
            now: StateBits::default(),
        };
        match *parameters {
            [conf] => {
                for leaf in &system.variable(conf).leaves {
                    edges.now.add(conf, leaf, ".");
                    edges.entry.add(conf, leaf, ".ENTRY_");
                }
            }
            [entry, now] => {
                for leaf in &system.variable(entry).leaves {
                    edges.entry.add(entry, leaf, ".");
                }
                for leaf in &system.variable(now).leaves {
                    edges.now.add(now, leaf, ".");
                }
            }
            _ => return None,
        }
        let same = |a: &[ParameterBit], b: &[ParameterBit]| a.len() == b.len();
        let is_pair = !edges.now.pc.is_empty()
            && !edges.now.module.is_empty()
            && same(&edges.now.locals, &edges.entry.locals)
            && same(&edges.now.globals, &edges.entry.globals);
        is_pair.then_some(edges)
    }
}
