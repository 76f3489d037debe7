//! Checked program to machine.
//!
//! Each statement becomes a node, each way to leave it an edge; [`crate::ir`] says what they mean.
//! A condition is a step of its own, so an `if` with three conditions has three nodes. The walk
//! keeps a stack of open blocks instead of recursing, and handles one procedure at a time
//! ([`statements`]): first with nodes numbered as they come up ([`draft`]), then renumbered in
//! order of the text. Expressions are translated in [`expressions`].

mod arrays;
mod draft;
mod expressions;
mod statements;
mod steps;
#[cfg(test)]
mod tests;

use crate::expr::ExprArena;
use crate::ids::ProcId;
use crate::ir::{Global, Local, MachineParts, Procedure, Storage, Thread};
use crate::machine::Machine;
use crate::types::Type;
use draft::{Draft, Placed, Progress};
use expressions::{SharedExprs, Translator};
use hardbop_program::{Element, Program};
use hardbop_syntax::ast::Symbol;
use hardbop_syntax::{Claim, Source, shown_name};
use statements::ProcedureLowering;
use std::collections::BTreeMap;
use std::sync::Arc;
use steps::Enforce;

/// The machine of a program. `source` is the text that the program was parsed from. The program is
/// given back to the allocator procedure by procedure, so that tree and machine need not both be
/// there as a whole.
pub fn lower(mut program: Program, source: &Source) -> Machine {
    let mut machine = MachineParts {
        source: source.clone(),
        globals: lower_globals(&program),
        procedures: Vec::with_capacity(program.procedures.len()),
        nodes: Vec::new(),
        edges: Vec::new(),
        exprs: ExprArena::default(),
        labels: Vec::new(),
        assertions: Vec::new(),
        init: program.init,
        threads: lower_threads(&program),
        atomic_flag: program.atomic_flag,
        value_names: Arc::clone(&program.ast.value_names),
    };
    let mut exprs = SharedExprs::default();
    let mut draft = Draft::default();
    let mut placed = Placed::default();
    for id in (0..program.procedures.len()).map(ProcId::new) {
        program.release_before(id);
        let program = &program;
        let syntax = program.syntax(id);
        let procedure = &program.procedures[id.index()];
        draft.begin(syntax.end_span);
        let entry = ProcedureLowering {
            program,
            id,
            translator: &mut Translator::new(program, id, &mut exprs),
            draft: &mut draft,
            enforce: Enforce::default(),
        }
        .run();
        let progress = Progress {
            read: program.statements_up_to(id),
            all: program.ast.stmts.len(),
        };
        let place = draft.place(id, entry, progress, &mut placed);
        machine.procedures.push(Procedure {
            name: shown_name(&program.procedure_name(id)).into_owned(),
            locals: shared_locals(program, id, &machine.procedures),
            parameter_count: procedure.parameter_count,
            result_count: procedure.result_count,
            entry: place.entry,
            exit: place.exit,
            nodes: place.nodes,
            edges: place.edges,
            span: syntax.span,
        });
    }
    drop(program);
    placed.edges.shrink_to_fit();
    placed.nodes.shrink_to_fit();
    machine.edges = placed.edges;
    machine.nodes = placed.nodes;
    machine.labels = placed.labels;
    machine.assertions = placed.assertions;
    machine.exprs = exprs.into_arena();
    if source.c_reading().is_some() {
        number_repeated_claims(&mut machine);
    }
    Machine::new(machine)
}

/// Numbers the assertions of one macro call that would read the same.
fn number_repeated_claims(machine: &mut MachineParts) {
    let mut seen = BTreeMap::new();
    for index in 0..machine.assertions.len() {
        let assertion = &machine.assertions[index];
        let procedure = machine.procedure_of(assertion.failure);
        let text = machine.claim(assertion.failure);
        let check = machine.check_of(assertion.failure);
        let count = seen
            .entry((procedure, assertion.span.start, text.clone()))
            .or_insert(0);
        *count += 1;
        if *count > 1 {
            machine.assertions[index].claim = Some(Arc::new(Claim {
                check,
                text: Some(format!("{text} ({count})")),
            }));
        }
    }
}

fn lower_globals(program: &Program) -> Vec<Global> {
    let globals = program.globals.iter().map(|global| Global {
        name: variable_name(program, global.name, global.element),
        ty: global.ty,
        storage: if global.per_thread {
            Storage::PerThread
        } else {
            Storage::Shared
        },
        initial: global.initial,
        notation: global.notation,
        span: global.span,
    });
    globals.collect()
}

/// The name of a variable; `a[3]` for an element.
fn variable_name(program: &Program, name: Symbol, element: Option<Element>) -> String {
    let name = shown_name(program.ast.text(name));
    match element {
        Some(element) => format!("{name}[{}]", element.index),
        None => name.into_owned(),
    }
}

/// The locals of a procedure, shared with the one before it if they are the same.
fn shared_locals(program: &Program, id: ProcId, lowered: &[Procedure]) -> Arc<[Local]> {
    let declared = |id: ProcId| {
        let procedure = &program.procedures[id.index()];
        let locals = procedure.locals.iter();
        let locals = locals.map(|local| (local.name, local.ty, local.element, local.notation));
        (procedure.result_count, locals)
    };
    if let Some((before, last)) = id.0.checked_sub(1).map(ProcId).zip(lowered.last()) {
        let (results, locals) = declared(id);
        let (results_before, locals_before) = declared(before);
        if results == results_before && locals.eq(locals_before) {
            return Arc::clone(&last.locals);
        }
    }
    lower_locals(program, id)
}

fn lower_locals(program: &Program, id: ProcId) -> Arc<[Local]> {
    let procedure = &program.procedures[id.index()];
    let mut results = 0;
    let mut result_name = || {
        results += 1;
        match procedure.result_count {
            1 => "return".to_owned(),
            _ => format!("return{results}"),
        }
    };
    let locals = procedure.locals.iter().map(|local| Local {
        name: match local.name {
            Some(name) => variable_name(program, name, local.element),
            None => result_name(),
        },
        ty: local.ty,
        notation: local.notation,
    });
    locals.collect()
}

fn lower_threads(program: &Program) -> Vec<Thread> {
    let threads = program.threads.iter().map(|thread| Thread {
        name: shown_name(program.ast.text(thread.name)).into_owned(),
        entry: thread.entry,
        instances: thread.instances,
    });
    threads.collect()
}

/// The types of the results of a procedure.
fn result_types(program: &Program, id: ProcId) -> Vec<Type> {
    program.procedures[id.index()].result_types().collect()
}
