//! Threads without recursion, flattened: every chain of calls becomes a frame of its own.
//!
//! A thread whose call graph has no cycle has finitely many stacks. [`Inlined`] numbers the
//! *frames* (a procedure reached by one chain of call edges) and the *places* (a node in a frame),
//! so that where a thread is becomes one number; place 0 means that it does not run. The locals of
//! all frames of a stack lie side by side in one *row* of bits: a frame's begin where its caller's
//! end. Frames that never stand on one stack share bits.
//!
//! The numbers are part of the certificates for concurrent programs (`docs/certificates.md`):
//! frames in order of a breadth-first walk from the roots along call edges in the machine's order.

use crate::ids::{EdgeId, LocalId, NodeId, ProcId};
use crate::ir::Action;
use crate::machine::Machine;
use std::collections::{BTreeMap, HashMap};

/// The frames and places of threads that start in some procedures.
#[derive(Clone, Debug)]
pub struct Inlined {
    frames: Vec<InlinedFrame>,
    roots: BTreeMap<ProcId, u32>,
    callees: HashMap<(u32, EdgeId), u32>,
    places: u32,
    row_bits: u32,
}

/// A procedure reached by one chain of calls.
#[derive(Clone, Debug)]
pub struct InlinedFrame {
    /// The procedure.
    pub procedure: ProcId,
    /// The frame below it with the call edge it waits on; none for the first frame of a thread.
    pub caller: Option<(u32, EdgeId)>,
    /// The place of the procedure's first node; the others follow in order.
    pub first_place: u32,
    /// Where the bits of each local start in the row, with the end.
    local_starts: Vec<u32>,
}

/// Why a thread cannot be flattened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotInlined {
    /// The procedure may call itself, directly or through others.
    Recursive(ProcId),
    /// There are more places than the limit.
    TooManyPlaces,
    /// `init` starts threads, so that the numbers of the declared ones are not known beforehand.
    InitStartsThreads,
}

impl Inlined {
    /// Flattens threads that start in these procedures, up to a number of places.
    pub fn new(
        machine: &Machine,
        roots: impl IntoIterator<Item = ProcId>,
        place_limit: u32,
    ) -> Result<Self, NotInlined> {
        let mut inlined = Self {
            frames: Vec::new(),
            roots: BTreeMap::new(),
            callees: HashMap::new(),
            places: 1,
            row_bits: 0,
        };
        for procedure in roots {
            if !inlined.roots.contains_key(&procedure) {
                let root = inlined.push(machine, procedure, None, place_limit)?;
                inlined.roots.insert(procedure, root);
            }
        }
        let mut frame = 0;
        while frame < inlined.frames.len() {
            let procedure = machine.procedure(inlined.frames[frame].procedure);
            for edge in procedure.edge_ids() {
                if let Action::Call { callee, .. } = machine.edge(edge).action {
                    let caller = (frame as u32, edge);
                    let number = inlined.push(machine, callee, Some(caller), place_limit)?;
                    inlined.callees.insert(caller, number);
                }
            }
            frame += 1;
        }
        Ok(inlined)
    }

    fn push(
        &mut self,
        machine: &Machine,
        procedure: ProcId,
        caller: Option<(u32, EdgeId)>,
        place_limit: u32,
    ) -> Result<u32, NotInlined> {
        if machine.calls().is_recursive(procedure) {
            return Err(NotInlined::Recursive(procedure));
        }
        let first_place = self.places;
        let code = machine.procedure(procedure);
        self.places = self.places.saturating_add(code.nodes.len() as u32);
        if self.places > place_limit {
            return Err(NotInlined::TooManyPlaces);
        }
        let mut end = caller.map_or(0, |(frame, _)| self.frames[frame as usize].end());
        let mut local_starts = vec![end];
        for local in code.locals.iter() {
            end += local.ty.width();
            local_starts.push(end);
        }
        self.row_bits = self.row_bits.max(end);
        let frame = InlinedFrame {
            procedure,
            caller,
            first_place,
            local_starts,
        };
        self.frames.push(frame);
        Ok(self.frames.len() as u32 - 1)
    }

    /// The frames; those of callees come after those of their callers.
    pub fn frames(&self) -> &[InlinedFrame] {
        &self.frames
    }

    /// The first frame of a thread that starts in a procedure, one of the roots.
    pub fn root(&self, procedure: ProcId) -> Option<u32> {
        self.roots.get(&procedure).copied()
    }

    /// The frame that a call in a frame makes.
    pub fn callee(&self, frame: u32, call: EdgeId) -> Option<u32> {
        self.callees.get(&(frame, call)).copied()
    }

    /// How many places there are, place 0 included.
    pub fn place_count(&self) -> u32 {
        self.places
    }

    /// How many bits it takes to write a place.
    pub fn place_bits(&self) -> u32 {
        32 - (self.places - 1).leading_zeros()
    }

    /// How many bits the locals of the largest stack have.
    pub fn row_bits(&self) -> u32 {
        self.row_bits
    }

    /// The place of a node in a frame of its procedure.
    pub fn place(&self, machine: &Machine, frame: u32, node: NodeId) -> u32 {
        let frame = &self.frames[frame as usize];
        frame.first_place + node.0 - machine.procedure(frame.procedure).nodes.start
    }

    /// The frame and the node of a place; none for place 0.
    pub fn locate(&self, machine: &Machine, place: u32) -> Option<(u32, NodeId)> {
        let after = self
            .frames
            .partition_point(|frame| frame.first_place <= place);
        let frame = after.checked_sub(1)?;
        let InlinedFrame {
            procedure,
            first_place,
            ..
        } = self.frames[frame];
        let node = machine.procedure(procedure).nodes.start + place - first_place;
        Some((frame as u32, NodeId(node)))
    }
}

impl InlinedFrame {
    /// The bits of a local in the row, lowest first.
    pub fn bits_of(&self, local: LocalId) -> std::ops::Range<u32> {
        self.local_starts[local.index()]..self.local_starts[local.index() + 1]
    }

    /// The bits of all locals in the row.
    pub fn bits(&self) -> std::ops::Range<u32> {
        self.local_starts[0]..self.end()
    }

    fn end(&self) -> u32 {
        self.local_starts[self.local_starts.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_text;

    fn machine(text: &str) -> Machine {
        from_text("test.bp", text).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    fn procedure(machine: &Machine, name: &str) -> ProcId {
        let mut ids = machine.procedure_ids();
        ids.find(|&id| machine.procedure(id).name == name).unwrap()
    }

    #[test]
    fn each_chain_of_calls_is_a_frame_and_siblings_share_bits() {
        let machine = machine(
            "void main() begin decl a; f(a); f(!a); end
             void f(x) begin decl y; g(x); end
             void g(z) begin skip; end",
        );
        let main = procedure(&machine, "main");
        let inlined = Inlined::new(&machine, [main], 1000).unwrap();
        let rows: Vec<_> = inlined.frames().iter().map(InlinedFrame::bits).collect();
        assert_eq!(rows, [0..1, 1..3, 1..3, 3..4, 3..4]);
        assert_eq!(inlined.row_bits(), 4);
        for place in 1..inlined.place_count() {
            let (frame, node) = inlined.locate(&machine, place).unwrap();
            assert_eq!(inlined.place(&machine, frame, node), place);
            assert_eq!(
                machine.procedure_of(node),
                inlined.frames()[frame as usize].procedure
            );
        }
        assert_eq!(inlined.locate(&machine, 0), None);
        assert!(1 << inlined.place_bits() >= inlined.place_count());
    }

    #[test]
    fn recursion_and_explosion_are_refused() {
        let recursive =
            machine("void main() begin f(); end void f() begin g(); end void g() begin f(); end");
        let main = procedure(&recursive, "main");
        let refused = Inlined::new(&recursive, [main], 1000).unwrap_err();
        assert_eq!(refused, NotInlined::Recursive(procedure(&recursive, "f")));
        let callers = (1..40).map(|caller| {
            let callee = caller - 1;
            format!("void f{caller}() begin f{callee}(); f{callee}(); end ")
        });
        let callers: Vec<String> = callers.collect();
        let first = "void main() begin f39(); end void f0() begin skip; end ".to_owned();
        let doubling = machine(&(first + &callers.concat()));
        let main = procedure(&doubling, "main");
        let refused = Inlined::new(&doubling, [main], 10_000).unwrap_err();
        assert_eq!(refused, NotInlined::TooManyPlaces);
    }
}
