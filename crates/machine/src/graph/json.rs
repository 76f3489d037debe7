//! The machine as JSON for other tools.
//!
//! The top level has `"hardbop-machine": 1`, a version that changes when a field changes its
//! meaning or goes; new fields may come without notice. Nodes, edges and procedures have the ids
//! that traces and certificates use.
//!
//! | field | what |
//! | --- | --- |
//! | `source` | the name of the text |
//! | `globals[]` | `name`, `type`, `storage` (`shared` or `per-thread`), `initial` (absent: arbitrary) |
//! | `procedures[]` | `id`, `name`, `parameters`, `locals`, `results` (each `name`, `type`), `entry`, `exit`, `nodes`, `edges` |
//! | `nodes[]` | `id`, `line`, `kind` (`statement`, `internal`, `exit`, `failure`), `labels`, `text` |
//! | `edges[]` | `id`, `from`, `to` (absent: the thread ends), `line`, `text`, `callee` (calls and thread starts) |
//! | `assertions[]` | `line`, `node` before it, `failure` node |
//! | `init` | the procedure that runs first, if any |
//! | `threads[]` | `name`, `entry` procedure, `instances` |

use super::captions::Captions;
use crate::ids::{EdgeId, LocalId, NodeId, ProcId};
use crate::ir::{Action, Local, NodeKind, Procedure, Storage, ThreadStart};
use crate::machine::Machine;
use crate::text::edge_text;
use crate::types::Type;
use serde::Serialize;

/// The version under `"hardbop-machine"`.
pub const JSON_VERSION: u32 = 1;

/// The machine with some of its procedures as indented JSON.
pub fn to_json(machine: &Machine, procedures: &[ProcId]) -> String {
    let captions = Captions::new(machine);
    let json = MachineJson {
        version: JSON_VERSION,
        source: machine.source.name(),
        globals: machine
            .globals
            .iter()
            .map(|global| GlobalJson {
                name: &global.name,
                ty: global.ty.to_string(),
                storage: match global.storage {
                    Storage::Shared => "shared",
                    Storage::PerThread => "per-thread",
                },
                initial: global.initial,
            })
            .collect(),
        procedures: procedures
            .iter()
            .map(|&id| procedure_json(machine, &captions, id))
            .collect(),
        assertions: machine
            .assertions
            .iter()
            .map(|assertion| AssertionJson {
                line: machine.source.line(assertion.span.start),
                node: assertion.node,
                failure: assertion.failure,
            })
            .collect(),
        init: machine.init,
        threads: machine
            .threads
            .iter()
            .map(|thread| ThreadJson {
                name: &thread.name,
                entry: thread.entry,
                instances: thread.instances,
            })
            .collect(),
    };
    serde_json::to_string_pretty(&json)
        .expect("the fields are strings, numbers and lists, which are always JSON")
}

#[derive(Serialize)]
struct MachineJson<'m> {
    #[serde(rename = "hardbop-machine")]
    version: u32,
    source: &'m str,
    globals: Vec<GlobalJson<'m>>,
    procedures: Vec<ProcedureJson<'m>>,
    assertions: Vec<AssertionJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    init: Option<ProcId>,
    threads: Vec<ThreadJson<'m>>,
}

#[derive(Serialize)]
struct GlobalJson<'m> {
    name: &'m str,
    #[serde(rename = "type")]
    ty: String,
    storage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<u64>,
}

#[derive(Serialize)]
struct ProcedureJson<'m> {
    id: ProcId,
    name: &'m str,
    parameters: Vec<VariableJson<'m>>,
    locals: Vec<VariableJson<'m>>,
    results: Vec<VariableJson<'m>>,
    entry: NodeId,
    exit: NodeId,
    nodes: Vec<NodeJson<'m>>,
    edges: Vec<EdgeJson>,
}

#[derive(Serialize)]
struct VariableJson<'m> {
    name: &'m str,
    #[serde(rename = "type")]
    ty: String,
}

#[derive(Serialize)]
struct NodeJson<'m> {
    id: NodeId,
    line: u32,
    kind: &'static str,
    labels: Vec<&'m str>,
    text: String,
}

#[derive(Serialize)]
struct EdgeJson {
    id: EdgeId,
    from: NodeId,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<NodeId>,
    line: u32,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<ProcId>,
}

#[derive(Serialize)]
struct AssertionJson {
    line: u32,
    node: NodeId,
    failure: NodeId,
}

#[derive(Serialize)]
struct ThreadJson<'m> {
    name: &'m str,
    entry: ProcId,
    instances: u32,
}

fn procedure_json<'m>(
    machine: &'m Machine,
    captions: &Captions<'m>,
    id: ProcId,
) -> ProcedureJson<'m> {
    let procedure = machine.procedure(id);
    let declared =
        procedure.parameter_count..procedure.locals.len() as u32 - procedure.result_count;
    ProcedureJson {
        id,
        name: &procedure.name,
        parameters: variables_json(procedure, procedure.parameters()),
        locals: variables_json(procedure, declared.map(LocalId)),
        results: variables_json(procedure, procedure.results()),
        entry: procedure.entry,
        exit: procedure.exit,
        nodes: procedure
            .node_ids()
            .map(|id| NodeJson {
                id,
                line: machine.line_of(id),
                kind: match machine.node(id).kind {
                    NodeKind::Statement => "statement",
                    NodeKind::Internal => "internal",
                    NodeKind::Exit => "exit",
                    NodeKind::Failure | NodeKind::OutOfRange => "failure",
                },
                labels: captions.labels(id).to_vec(),
                text: captions.statement(id),
            })
            .collect(),
        edges: procedure
            .edge_ids()
            .map(|id| edge_json(machine, id))
            .collect(),
    }
}

fn variables_json(
    procedure: &Procedure,
    ids: impl Iterator<Item = LocalId>,
) -> Vec<VariableJson<'_>> {
    ids.map(|id| {
        let Local { name, ty, .. }: &Local = &procedure.locals[id.index()];
        VariableJson {
            name,
            ty: Type::to_string(ty),
        }
    })
    .collect()
}

fn edge_json(machine: &Machine, id: EdgeId) -> EdgeJson {
    let edge = machine.edge(id);
    EdgeJson {
        id,
        from: edge.from,
        to: (edge.action != Action::EndThread).then_some(edge.to),
        line: machine.source.line(edge.span.start),
        text: edge_text(machine, id),
        callee: match edge.action {
            Action::Call { callee, .. }
            | Action::StartThread(ThreadStart::Procedure { callee, .. }) => Some(callee),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::{Builder, call};
    use serde_json::{Value, json};

    #[test]
    fn the_fields_say_what_the_table_promises() {
        let mut b = Builder::new();
        let g = b.global("g", Some(1));
        let main = b.procedure("main", &["a"], &["x"], 1, 3);
        let value = b.var(g);
        b.edge(
            main.at(0),
            main.at(1),
            Some(value),
            call(main.id, &[value], &[None]),
        );
        b.edge(main.at(1), main.at(1), None, Action::EndThread);
        let machine = b.finish(main.id);
        let parsed: Value =
            serde_json::from_str(&to_json(&machine, &[main.id])).expect("valid JSON");
        assert_eq!(parsed["hardbop-machine"], 1);
        assert_eq!(
            parsed["globals"],
            json!([{"name": "g", "type": "bool", "storage": "shared", "initial": 1}])
        );
        let procedure = &parsed["procedures"][0];
        assert_eq!(procedure["locals"], json!([{"name": "x", "type": "bool"}]));
        assert_eq!(procedure["parameters"][0]["name"], "a");
        assert_eq!(
            procedure["edges"],
            json!([
                {"id": 0, "from": 0, "to": 1, "line": 1, "text": "assume(g); call main(g)", "callee": 0},
                {"id": 1, "from": 1, "line": 1, "text": "end_thread"},
            ])
        );
        assert_eq!(procedure["nodes"][2]["kind"], "exit");
        assert_eq!(
            parsed["threads"],
            json!([{"name": "main", "entry": 0, "instances": 1}])
        );
        assert!(parsed.get("init").is_none());
    }
}
