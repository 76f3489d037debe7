//! What symbols, terms, triples and functions are called in a file.
//!
//! A symbol is `k` and a number, a function term `t` and its number, a function of symbols that is
//! more than a symbol `f` and a number. Each function is defined once, by the symbol that it tests
//! first, so a file is as large as its BDDs are together.

use crate::encoding::closure::Closure;
use crate::encoding::symbols::Meaning;
use crate::encoding::terms::TermId;
use crate::search::equations::{Goal, Triple};
use hardbop_bdd::Bdd;
use hardbop_machine::{GlobalId, NodeId, ProcId, Variable};
use std::collections::{BTreeMap, HashMap};

/// Names of functions, made as they are needed.
pub(super) struct Names<'c, 'm, 'i> {
    closure: &'c Closure<'m, 'i>,
    functions: HashMap<Bdd, usize>,
    /// Lines that define functions, operands first.
    pub(super) definitions: Vec<String>,
}

impl<'c, 'm, 'i> Names<'c, 'm, 'i> {
    pub(super) fn new(closure: &'c Closure<'m, 'i>) -> Self {
        Self {
            closure,
            functions: HashMap::new(),
            definitions: Vec::new(),
        }
    }

    /// The name of a symbol.
    pub(super) fn symbol(&self, variable: u32) -> String {
        format!("k{}", variable - self.closure.symbols.first())
    }

    /// What each symbol stands for.
    pub(super) fn symbols(&mut self) -> Vec<(u32, String)> {
        let closure = self.closure;
        let symbols = &closure.symbols;
        let main = closure.blocks.machine.threads[0].entry;
        let initials: BTreeMap<u32, u32> = symbols
            .initials()
            .filter_map(|(slot, value)| Some((closure.manager.branch(value)?.0, slot)))
            .collect();
        let about = |names: &mut Self, variable| match symbols.meaning(variable) {
            Meaning::Initial => {
                let name = initials.get(&variable).map(|&slot| names.bit(main, slot));
                format!("the initial value of {}", name.unwrap_or_default())
            }
            Meaning::Carried => "a value that nothing reads".to_owned(),
            Meaning::Choice => {
                let origin = symbols.origin(variable);
                let node =
                    origin.map(|(_, at)| closure.blocks.machine.node_order().nodes()[at as usize]);
                let line = node.map_or(0, |node| closure.blocks.machine.line_of(node));
                format!("a choice in line {line}")
            }
            Meaning::Name(function) => format!("= {}", names.function(function)),
        };
        let all = symbols.first()..symbols.end();
        all.map(|variable| (variable, about(self, variable)))
            .collect()
    }

    /// A bit of a variable as it is written in the program.
    fn bit(&self, procedure: ProcId, slot: u32) -> String {
        let blocks = &self.closure.blocks;
        let machine = blocks.machine;
        let globals = (0..machine.globals.len()).map(|id| Variable::Global(GlobalId::new(id)));
        let locals = machine
            .procedure(procedure)
            .local_ids()
            .map(Variable::Local);
        for variable in globals.chain(locals) {
            let slots = blocks.layout.bits_of(procedure, variable);
            if slots.contains(&slot) {
                return self.bit_of(procedure, variable, slot - slots.start);
            }
        }
        String::new()
    }

    fn bit_of(&self, procedure: ProcId, variable: Variable, bit: u32) -> String {
        let machine = self.closure.blocks.machine;
        let name = machine.name_of(procedure, variable);
        if machine.type_of(procedure, variable).width() == 1 {
            return name.to_owned();
        }
        format!("{name}[{bit}]")
    }

    /// A function term in full: its block and the values of its arguments.
    pub(super) fn term(&mut self, id: TermId) -> String {
        let closure = self.closure;
        let term = closure.terms.get(id);
        let procedure = closure.blocks.machine.procedure_of(term.node);
        let arguments = closure.blocks.arguments(term.node).iter().zip(&term.values);
        let arguments = arguments.map(|(argument, value)| {
            let name = self.bit_of(procedure, argument.variable, u32::from(argument.bit));
            let value = value.map_or_else(|| "*".to_owned(), |value| self.function(value));
            format!("{name}={value}")
        });
        let arguments: Vec<String> = arguments.collect();
        format!("{}({})", self.place(term.node), arguments.join(", "))
    }

    /// A block: its procedure and line.
    pub(super) fn place(&self, node: NodeId) -> String {
        let machine = self.closure.blocks.machine;
        let procedure = machine.procedure(machine.procedure_of(node));
        let number = node.index() - procedure.node_ids().next().map_or(0, NodeId::index);
        format!("{}:{}.{number}", procedure.name, machine.line_of(node))
    }

    /// The name of a triple: `t4` for its target, `t4>t9` for an exit.
    pub(super) fn triple(triple: &Triple) -> String {
        match triple.goal {
            Goal::Target => format!("t{}", triple.term.0),
            Goal::Exit(exit) => format!("t{}>t{}", triple.term.0, exit.0),
        }
    }

    /// The name of a function of symbols.
    pub(super) fn function(&mut self, root: Bdd) -> String {
        let closure = self.closure;
        let mut pending = vec![root];
        while let Some(&bdd) = pending.last() {
            if self.known(bdd).is_some() {
                pending.pop();
                continue;
            }
            let regular = if self.functions.contains_key(&!bdd) {
                !bdd
            } else {
                bdd
            };
            let Some((variable, low, high)) = closure.manager.branch(regular) else {
                unreachable!("constants are known");
            };
            let waiting = pending.len();
            pending.extend([low, high].into_iter().filter(|&b| self.known(b).is_none()));
            if pending.len() > waiting {
                continue;
            }
            let number = self.functions.len();
            let [low, high] = [low, high].map(|b| self.known(b).unwrap_or_default());
            let symbol = self.symbol(variable);
            self.definitions
                .push(format!("f{number} = if {symbol} then {high} else {low}"));
            self.functions.insert(bdd, number);
            pending.pop();
        }
        self.known(root).unwrap_or_default()
    }

    fn known(&self, bdd: Bdd) -> Option<String> {
        if bdd.is_constant() {
            return Some(u8::from(bdd.is_true()).to_string());
        }
        if let Some((variable, low, high)) = self.closure.manager.branch(bdd)
            && low.is_constant()
            && high.is_constant()
        {
            let sign = if high.is_true() { "" } else { "!" };
            return Some(format!("{sign}{}", self.symbol(variable)));
        }
        let number = |bdd| self.functions.get(&bdd);
        let positive = number(bdd).map(|number| format!("f{number}"));
        positive.or_else(|| number(!bdd).map(|number| format!("!f{number}")))
    }
}
