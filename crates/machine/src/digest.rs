//! A short name for a machine, so that evidence for another program is refused with a clear
//! message.
//!
//! Not a cryptographic hash: it guards against mistakes, and the checkers do not trust it for
//! anything else. It is the same on every platform: whatever is hashed goes in as 64-bit numbers.

use crate::{ExprId, MachineParts};
use std::hash::{Hash, Hasher};

/// 16 hexadecimal digits that depend on everything a trace or certificate refers to: variables,
/// nodes, edges, expressions and their order, but not on comments or layout. Linear in the size of
/// the machine.
pub fn of(machine: &MachineParts) -> String {
    let mut hash = Mixer(0xcbf2_9ce4_8422_2325);
    (machine.init, machine.atomic_flag, &machine.threads).hash(&mut hash);
    for global in &machine.globals {
        (&global.name, global.ty, global.storage, global.initial).hash(&mut hash);
    }
    for procedure in &machine.procedures {
        (
            &procedure.name,
            &procedure.locals,
            procedure.parameter_count,
        )
            .hash(&mut hash);
        (procedure.result_count, procedure.entry, procedure.exit).hash(&mut hash);
        (&procedure.nodes, &procedure.edges).hash(&mut hash);
    }
    for node in &machine.nodes {
        (node.procedure, node.kind, &node.edges).hash(&mut hash);
    }
    for edge in &machine.edges {
        (edge.from, edge.to, edge.guard, &edge.action, &edge.inputs).hash(&mut hash);
    }
    for index in 0..machine.exprs.len() {
        machine.exprs.get(ExprId::new(index)).hash(&mut hash);
    }
    format!("{:016x}", hash.finish())
}

/// FNV-1a over 64-bit words, with a rotation so that high bits come down again.
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 = mixed.rotate_left(23);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.mix(bytes.len() as u64);
        for &byte in bytes {
            self.mix(u64::from(byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix((value as i64).cast_unsigned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_text;

    fn digest(text: &str) -> String {
        of(&from_text("t.bp", text).unwrap())
    }

    #[test]
    fn layout_and_comments_do_not_matter_but_everything_else_does() {
        let program = digest("decl g; void main() begin g := !g; assert(g); end");
        let same =
            digest("decl g;\n// comment\nvoid main() begin\n  g := !g;\n  assert(g);\nend\n");
        assert_eq!(program, same);
        let others = [
            "decl h; void main() begin h := !h; assert(h); end",
            "decl g := 0; void main() begin g := !g; assert(g); end",
            "decl g; void main() begin g := g; assert(g); end",
            "decl g; void main() begin g := !g; assert(!g); end",
            "decl g, h; void main() begin g := !g; assert(g); end",
            "decl g; void main() begin g := !g; skip; assert(g); end",
        ];
        for other in others {
            assert_ne!(program, digest(other), "{other}");
        }
    }
}
