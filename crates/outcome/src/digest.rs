//! A short name for a machine, so that evidence for another program is refused with a clear message.
//!
//! Not a cryptographic hash: it guards against mistakes, and the checkers do not trust it for anything else.

use hardbop_machine::Machine;

/// 16 hexadecimal digits that depend on everything a trace or certificate refers to: variables, nodes, edges, expressions
/// and their order, but not on comments or layout.
pub fn of(machine: &Machine) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.add(&machine.init);
    hash.add(&machine.atomic_flag);
    hash.add(&machine.threads);
    for global in &machine.globals {
        hash.add(&(&global.name, global.ty, global.storage, global.initial));
    }
    for procedure in &machine.procedures {
        hash.add(&(
            &procedure.name,
            &procedure.locals,
            procedure.parameter_count,
        ));
        hash.add(&(procedure.result_count, procedure.entry, procedure.exit));
        hash.add(&(&procedure.nodes, &procedure.edges));
    }
    for node in &machine.nodes {
        hash.add(&(node.procedure, node.kind, &node.edges));
    }
    for edge in &machine.edges {
        hash.add(&(edge.from, edge.to, edge.guard, &edge.action, &edge.inputs));
    }
    for index in 0..machine.exprs.len() {
        hash.add(machine.exprs.get(hardbop_machine::ExprId::new(index)));
    }
    format!("{:016x}", hash.0)
}

/// FNV-1a over the `Debug` text of values: slow, but stable across platforms and Rust versions of `Hash`.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, value: &impl std::fmt::Debug) {
        use std::fmt::Write as _;
        write!(self, "{value:?};").expect("writing to a hash cannot fail");
    }
}

impl std::fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
