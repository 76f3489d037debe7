//! Taking one step of a thread, with the decisions made so far.

use crate::exact::encoding::components::Local;
use crate::exact::search::evaluate::{Leaves, Need, Value, evaluate};
use crate::exact::search::schedule::Effect;
use crate::exact::search::steps::{Decision, Scene, Stepper};
use hardbop_machine::{
    Action, EdgeId, Expr, ExprId, InputId, LocalId, NodeId, Procedure, ThreadStart, Variable,
};

/// What a step leads to.
pub(crate) struct Fired {
    /// The thread and the shared variables afterwards.
    pub(crate) scene: Scene,
    /// What it does to the schedule.
    pub(crate) effect: Effect,
    /// The thread that it starts.
    pub(crate) child: Option<Local>,
}

impl Fired {
    fn to(scene: Scene) -> Self {
        Self {
            scene,
            effect: Effect::None,
            child: None,
        }
    }

    /// The thread is gone.
    fn end(mut scene: Scene) -> Self {
        scene.local = Local::absent();
        Self {
            effect: Effect::End,
            ..Self::to(scene)
        }
    }
}

/// A running frame: where it is and where its locals start.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// The kind of its thread.
    pub(crate) kind: usize,
    /// Its number in the flattened thread.
    pub(crate) number: u32,
    /// Where its locals start.
    pub(crate) row_start: usize,
    /// Where it is.
    pub(crate) node: NodeId,
}

impl Stepper<'_> {
    /// Takes a step, if it can be taken.
    pub(crate) fn fire(
        &self,
        frame: Frame,
        scene: &Scene,
        edge: Option<EdgeId>,
        decisions: &[Decision],
    ) -> Result<Option<Fired>, Need> {
        let mut scene = scene.clone();
        self.decide(frame.kind, &mut scene, decisions);
        let fired = match edge {
            None => self.return_from(frame, scene)?,
            Some(edge) => match self.take(frame, &scene, edge, decisions)? {
                Some(fired) => fired,
                None => return Ok(None),
            },
        };
        if let Some(flag) = self.machine.atomic_flag
            && fired.scene.shared[self.globals.position(flag)].is_none()
        {
            return Err(Need::Variable(Variable::Global(flag)));
        }
        Ok(Some(fired))
    }

    fn take(
        &self,
        frame: Frame,
        scene: &Scene,
        id: EdgeId,
        decisions: &[Decision],
    ) -> Result<Option<Fired>, Need> {
        let edge = self.machine.edge(id);
        let start = frame.row_start;
        let view = View {
            stepper: self,
            frame,
            before: scene,
            after: scene,
            decisions,
        };
        if let Some(guard) = edge.guard
            && view.value(guard)? == 0
        {
            return Ok(None);
        }
        let mut fired = Fired::to(scene.clone());
        let after = &mut fired.scene;
        let inlined = &self.kinds[frame.kind].inlined;
        after.local.place = inlined.place(self.machine, frame.number, edge.to);
        match &edge.action {
            Action::Skip | Action::Print(_) => {}
            Action::AtomicBegin => fired.effect = Effect::EnterAtomic,
            Action::AtomicEnd => fired.effect = Effect::LeaveAtomic,
            Action::Assign {
                assignments,
                constrain,
            } => {
                for &(variable, value) in assignments {
                    let value = if constrain.is_some() || self.is_flag(variable) {
                        Some(view.value(value)?)
                    } else if self.is_dead(edge.to, variable) {
                        None
                    } else {
                        view.passed(value)?
                    };
                    self.write(start, after, variable, value);
                }
                if let Some(constrain) = *constrain
                    && (View { after, ..view }).value(constrain)? == 0
                {
                    return Ok(None);
                }
            }
            Action::Return(values) => {
                for (result, &value) in self.procedure_at(frame.node).results().zip(values) {
                    let value = view.passed(value)?;
                    self.write(start, after, Variable::Local(result), value);
                }
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                let entry = self.machine.procedure(*callee).entry;
                let row = self.arguments(view, entry, arguments)?;
                self.forget_dead(frame, edge.to, after);
                for target in targets.iter().flatten() {
                    // What the return will overwrite.
                    if let Variable::Local(_) = target {
                        self.write(start, after, *target, None);
                    }
                }
                after.local.row.extend(row);
                let number = inlined.callee(frame.number, id);
                let number = number.expect("every call in a frame has a frame");
                after.local.place = inlined.place(self.machine, number, entry);
                return Ok(Some(fired));
            }
            Action::StartThread(begin) => (fired.effect, fired.child) = self.start(view, begin)?,
            Action::EndThread => return Ok(Some(Fired::end(fired.scene))),
        }
        self.forget_dead(frame, edge.to, &mut fired.scene);
        Ok(Some(fired))
    }

    fn procedure_at(&self, node: NodeId) -> &Procedure {
        self.machine.procedure(self.machine.procedure_of(node))
    }

    /// The locals of a frame that is entered with arguments at the entry of a procedure.
    fn arguments(
        &self,
        view: View<'_, '_>,
        entry: NodeId,
        arguments: &[ExprId],
    ) -> Result<Vec<Value>, Need> {
        let procedure = self.procedure_at(entry);
        let mut row = vec![None; procedure.locals.len()];
        for (index, &argument) in arguments.iter().enumerate() {
            if !self.is_dead(entry, Variable::Local(LocalId::new(index))) {
                row[index] = view.passed(argument)?;
            }
        }
        Ok(row)
    }

    /// The state of a thread that is started; none if there is no room for any.
    fn start(
        &self,
        view: View<'_, '_>,
        start: &ThreadStart,
    ) -> Result<(Effect, Option<Local>), Need> {
        let Some(kind) = self.started_kind else {
            return Ok((Effect::StartBeyond, None));
        };
        let (node, row) = match start {
            ThreadStart::Node(node) => {
                let row = self
                    .procedure_at(*node)
                    .local_ids()
                    .map(Variable::Local)
                    .map(|variable| {
                        if self.is_dead(*node, variable) {
                            Ok(None)
                        } else {
                            view.before(variable).map(Some)
                        }
                    });
                (*node, row.collect::<Result<_, _>>()?)
            }
            ThreadStart::Procedure { callee, arguments } => {
                let entry = self.machine.procedure(*callee).entry;
                (entry, self.arguments(view, entry, arguments)?)
            }
        };
        let own = self.globals.own.iter();
        let own = own.map(|&id| view.before(Variable::Global(id)).map(Some));
        let inlined = &self.kinds[kind].inlined;
        let root = inlined.root(self.machine.procedure_of(node));
        let root = root.expect("every procedure that a thread may begin in is a root");
        let child = Local {
            place: inlined.place(self.machine, root, node),
            own: own.collect::<Result<_, _>>()?,
            row,
        };
        Ok((Effect::Start, Some(child)))
    }

    fn return_from(&self, frame: Frame, mut scene: Scene) -> Result<Fired, Need> {
        let inlined = &self.kinds[frame.kind].inlined;
        let frames = inlined.frames();
        let Some((caller, call)) = frames[frame.number as usize].caller else {
            return Ok(Fired::end(scene));
        };
        let edge = self.machine.edge(call);
        let gone = scene.local.row.split_off(frame.row_start);
        let start = self.kinds[frame.kind].row_starts[caller as usize];
        if let Action::Call { targets, .. } = &edge.action {
            for (target, result) in targets.iter().zip(self.procedure_at(frame.node).results()) {
                let Some(target) = *target else { continue };
                let value = gone[result.index()];
                if value.is_none() && self.is_flag(target) {
                    return Err(Need::Variable(Variable::Local(result)));
                }
                self.write(start, &mut scene, target, value);
            }
        }
        scene.local.place = inlined.place(self.machine, caller, edge.to);
        let outer = Frame {
            number: caller,
            row_start: start,
            ..frame
        };
        self.forget_dead(outer, edge.to, &mut scene);
        Ok(Fired::to(scene))
    }

    fn is_flag(&self, variable: Variable) -> bool {
        self.machine.atomic_flag.map(Variable::Global) == Some(variable)
    }

    /// Whether it is a local that is never read.
    fn is_dead(&self, node: NodeId, variable: Variable) -> bool {
        matches!(variable, Variable::Local(_)) && !self.machine.liveness().is_live(node, variable)
    }

    fn forget_dead(&self, frame: Frame, node: NodeId, scene: &mut Scene) {
        for local in self.procedure_at(node).local_ids() {
            if self.is_dead(node, Variable::Local(local)) {
                scene.local.row[frame.row_start + local.index()] = None;
            }
        }
    }
}

/// What the expressions of an edge see.
#[derive(Clone, Copy)]
struct View<'v, 'm> {
    stepper: &'v Stepper<'m>,
    frame: Frame,
    before: &'v Scene,
    after: &'v Scene,
    decisions: &'v [Decision],
}

impl View<'_, '_> {
    fn value(self, root: ExprId) -> Result<u64, Need> {
        evaluate(self.stepper.machine, root, &self)
    }

    /// A value that goes to one variable only, so that a choice need not be made.
    fn passed(self, root: ExprId) -> Result<Value, Need> {
        match *self.stepper.machine.exprs.get(root) {
            Expr::Input(input, _) => Ok(self.input(input).ok()),
            _ => self.value(root).map(Some),
        }
    }

    fn look(self, scene: &Scene, variable: Variable) -> Result<u64, Need> {
        let value = match variable {
            Variable::Local(id) => scene.local.row[self.frame.row_start + id.index()],
            Variable::Global(_) => self.stepper.read(self.frame.kind, scene, variable),
        };
        value.ok_or(Need::Variable(variable))
    }
}

impl Leaves for View<'_, '_> {
    fn before(&self, variable: Variable) -> Result<u64, Need> {
        self.look(self.before, variable)
    }

    fn after(&self, variable: Variable) -> Result<u64, Need> {
        self.look(self.after, variable)
    }

    fn input(&self, input: InputId) -> Result<u64, Need> {
        let need = Need::Input(input);
        let decided = self.decisions.iter().find(|(other, _)| *other == need);
        decided.map(|&(_, value)| value).ok_or(need)
    }
}
