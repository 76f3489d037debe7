//! The numbers of the bits that a procedure sees: globals from 0, locals after them.

use crate::ids::{ProcId, Variable};
use crate::machine::Machine;
use std::ops::Range;

/// The bits of every variable.
#[derive(Clone, Debug)]
pub struct BitLayout {
    global_starts: Vec<u32>,
    /// Starts of the locals of all procedures, each procedure's followed by its end.
    local_starts: Vec<u32>,
    first_local: Vec<u32>,
}

impl BitLayout {
    /// Numbers the bits of a machine.
    pub fn new(machine: &Machine) -> Self {
        let mut end = 0;
        let mut global_starts = vec![end];
        for global in &machine.globals {
            end += global.ty.width();
            global_starts.push(end);
        }
        let globals_end = end;
        let mut local_starts = Vec::new();
        let mut first_local = Vec::with_capacity(machine.procedures.len() + 1);
        for procedure in &machine.procedures {
            first_local.push(local_starts.len() as u32);
            let mut end = globals_end;
            local_starts.push(end);
            for local in procedure.locals.iter() {
                end += local.ty.width();
                local_starts.push(end);
            }
        }
        first_local.push(local_starts.len() as u32);
        Self {
            global_starts,
            local_starts,
            first_local,
        }
    }

    /// The bits of a variable as seen from a procedure, lowest first.
    pub fn bits_of(&self, procedure: ProcId, variable: Variable) -> Range<u32> {
        let (starts, index) = match variable {
            Variable::Global(id) => (&self.global_starts, id.index()),
            Variable::Local(id) => (
                &self.local_starts,
                self.first_local[procedure.index()] as usize + id.index(),
            ),
        };
        starts[index]..starts[index + 1]
    }

    /// The bits of all globals.
    pub fn global_bits(&self) -> Range<u32> {
        0..self.global_starts[self.global_starts.len() - 1]
    }

    /// The bits of all locals of a procedure.
    pub fn local_bits(&self, procedure: ProcId) -> Range<u32> {
        let last = self.first_local[procedure.index() + 1] as usize - 1;
        self.global_bits().end..self.local_starts[last]
    }

    /// How many bits the procedure that sees most of them sees.
    pub fn frame_bits(&self) -> u32 {
        let globals = self.global_bits().end;
        let ends = self.local_starts.iter().copied();
        ends.max().unwrap_or(globals).max(globals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_builder::Builder;
    use crate::{LocalId, Type};
    use std::sync::Arc;

    #[test]
    fn locals_of_different_procedures_share_bits_after_the_globals() {
        let mut b = Builder::new();
        let (g, h) = (b.global("g", None), b.global("h", None));
        let main = b.procedure("main", &["a"], &["n", "b"], 0, 1);
        let empty = b.procedure("empty", &[], &[], 0, 1);
        let machine = b.finish(main.id).changed(|parts| {
            parts.globals[0].ty = Type::Int(3);
            Arc::make_mut(&mut parts.procedures[0].locals)[1].ty = Type::Int(4);
        });
        let layout = BitLayout::new(&machine);
        let local = |i| layout.bits_of(main.id, Variable::Local(LocalId(i)));
        assert_eq!(layout.bits_of(main.id, g), 0..3);
        assert_eq!(layout.bits_of(empty.id, h), 3..4);
        assert_eq!([local(0), local(1), local(2)], [4..5, 5..9, 9..10]);
        assert_eq!(layout.local_bits(main.id), 4..10);
        assert_eq!(layout.local_bits(empty.id), 4..4);
        assert_eq!(layout.frame_bits(), 10);
    }
}
