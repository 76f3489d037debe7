//! Configurations: a state of the whole program, stacks included.
//!
//! Values that are not determined (uninitialised variables) are named by [`Slot`]s: whoever makes
//! an initial configuration or takes a step asks which slots there are and hands in one value for
//! each, in order. The random simulator draws them, the oracle enumerates them, the replay reads
//! them from the trace.

use hardbop_machine::{
    EdgeId, GlobalId, LocalId, Machine, NodeId, ProcId, Storage, Type, Variable,
};

/// A state of the whole program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// Values of the shared globals; entries of per-thread globals are 0.
    pub shared: Vec<u64>,
    /// All threads that were ever started, in order of their start; those that have ended have no
    /// frames.
    pub threads: Vec<ThreadState>,
    /// Whether `init` (thread 0) still runs and nothing else may.
    pub in_init: bool,
    /// The threads that are inside an atomic block; the one that stepped most recently is last.
    pub atomic: Vec<u32>,
    /// The thread that took the last step, remembered only while [`Machine::atomic_flag`] is 1 (it
    /// matters only then).
    pub flag_owner: Option<u32>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadState {
    /// Where it comes from.
    pub origin: Origin,
    /// Values of its per-thread globals; entries of shared globals are 0.
    pub own: Vec<u64>,
    /// Its frames, the running one last. Empty when the thread has ended.
    pub stack: Vec<Frame>,
}

/// Where a thread comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It is the run of [`Machine::init`].
    Init,
    /// It is one of [`Machine::threads`].
    Instance {
        /// Index into [`Machine::threads`].
        thread: u32,
        /// Which of its instances.
        instance: u32,
    },
    /// Another thread started it.
    Started {
        /// The procedure it began in.
        procedure: ProcId,
    },
}

/// A procedure that is being executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Where it is; for a waiting frame the place before the call.
    pub node: NodeId,
    /// Values of the procedure's locals.
    pub locals: Vec<u64>,
    /// The call it waits for; nothing for the running frame.
    pub waiting: Option<EdgeId>,
}

/// A variable whose value is not determined and has to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A shared global without initial value.
    Shared(GlobalId),
    /// A per-thread global without initial value.
    Own {
        /// The number of the thread.
        thread: u32,
        /// The variable.
        global: GlobalId,
    },
    /// A local of a frame that is being made.
    Local {
        /// The number of the thread.
        thread: u32,
        /// The procedure of the frame.
        procedure: ProcId,
        /// The variable.
        local: LocalId,
    },
}

impl Slot {
    /// The type of its values.
    pub fn ty(self, machine: &Machine) -> Type {
        match self {
            Slot::Shared(global) | Slot::Own { global, .. } => machine.global(global).ty,
            Slot::Local {
                procedure, local, ..
            } => machine.procedure(procedure).locals[local.index()].ty,
        }
    }

    /// The name of the variable, a local with its procedure.
    pub fn name(self, machine: &Machine) -> String {
        match self {
            Slot::Shared(global) | Slot::Own { global, .. } => machine.global(global).name.clone(),
            Slot::Local {
                procedure, local, ..
            } => {
                let procedure = machine.procedure(procedure);
                format!(
                    "{}.{}",
                    procedure.name,
                    procedure.locals[local.index()].name
                )
            }
        }
    }
}

/// What has to be chosen for the initial configuration.
pub fn initial_slots(machine: &Machine) -> Vec<Slot> {
    let shared = globals_of(machine, Storage::Shared)
        .filter(|&id| machine.global(id).initial.is_none())
        .map(Slot::Shared);
    let mut slots: Vec<Slot> = shared.collect();
    match machine.init {
        Some(init) => push_thread_slots(machine, 0, init, &mut slots),
        None => push_instance_slots(machine, 0, &mut slots),
    }
    slots
}

/// The initial configuration with these values of [`initial_slots`], which must be as many and fit
/// their types.
pub fn initial(machine: &Machine, values: &[u64]) -> Configuration {
    let mut values = values.iter().copied();
    let shared = initial_globals(machine, Storage::Shared, &mut values);
    let mut configuration = Configuration {
        shared,
        threads: Vec::new(),
        in_init: machine.init.is_some(),
        atomic: Vec::new(),
        flag_owner: None,
    };
    match machine.init {
        Some(init) => {
            let thread = new_thread(machine, Origin::Init, init, &mut values);
            configuration.threads.push(thread);
        }
        None => configuration.start_instances(machine, &mut values),
    }
    configuration
}

/// What has to be chosen for all threads of the machine when the first of them gets the number
/// `first`.
pub(crate) fn push_instance_slots(machine: &Machine, first: u32, slots: &mut Vec<Slot>) {
    let entries = machine
        .threads
        .iter()
        .flat_map(|thread| (0..thread.instances).map(|_| thread.entry));
    for (number, entry) in (first..).zip(entries) {
        push_thread_slots(machine, number, entry, slots);
    }
}

fn push_thread_slots(machine: &Machine, thread: u32, entry: ProcId, slots: &mut Vec<Slot>) {
    slots.extend(
        globals_of(machine, Storage::PerThread)
            .filter(|&id| machine.global(id).initial.is_none())
            .map(|global| Slot::Own { thread, global }),
    );
    slots.extend(
        machine
            .procedure(entry)
            .local_ids()
            .map(|local| Slot::Local {
                thread,
                procedure: entry,
                local,
            }),
    );
}

/// The globals of one storage, in order.
fn globals_of(machine: &Machine, storage: Storage) -> impl Iterator<Item = GlobalId> {
    (0..machine.globals.len())
        .map(GlobalId::new)
        .filter(move |&id| machine.global(id).storage == storage)
}

/// A table of all globals in which those of one storage have their initial values and the others 0.
fn initial_globals(
    machine: &Machine,
    storage: Storage,
    values: &mut impl Iterator<Item = u64>,
) -> Vec<u64> {
    let mut table = vec![0; machine.globals.len()];
    for id in globals_of(machine, storage) {
        table[id.index()] = machine
            .global(id)
            .initial
            .or_else(|| values.next())
            .expect("there is a value for every slot");
    }
    table
}

fn new_thread(
    machine: &Machine,
    origin: Origin,
    entry: ProcId,
    values: &mut impl Iterator<Item = u64>,
) -> ThreadState {
    let own = initial_globals(machine, Storage::PerThread, values);
    let procedure = machine.procedure(entry);
    let locals: Vec<u64> = values.take(procedure.locals.len()).collect();
    assert_eq!(
        locals.len(),
        procedure.locals.len(),
        "there is a value for every slot"
    );
    ThreadState {
        origin,
        own,
        stack: vec![Frame {
            node: procedure.entry,
            locals,
            waiting: None,
        }],
    }
}

impl Configuration {
    /// Starts all threads of the machine.
    pub(crate) fn start_instances(
        &mut self,
        machine: &Machine,
        values: &mut impl Iterator<Item = u64>,
    ) {
        for (thread, instances) in machine.threads.iter().enumerate() {
            for instance in 0..instances.instances {
                let origin = Origin::Instance {
                    thread: thread as u32,
                    instance,
                };
                let state = new_thread(machine, origin, instances.entry, values);
                self.threads.push(state);
            }
        }
    }

    /// The running frame of a thread, unless the thread has ended.
    pub fn top(&self, thread: u32) -> Option<&Frame> {
        self.threads.get(thread as usize)?.stack.last()
    }

    /// A global as a thread sees it.
    pub(crate) fn global(&self, machine: &Machine, thread: u32, id: GlobalId) -> u64 {
        match machine.global(id).storage {
            Storage::Shared => self.shared[id.index()],
            Storage::PerThread => self.threads[thread as usize].own[id.index()],
        }
    }

    /// All globals as a thread sees them.
    pub fn globals(&self, machine: &Machine, thread: u32) -> Vec<u64> {
        (0..machine.globals.len())
            .map(|index| self.global(machine, thread, GlobalId::new(index)))
            .collect()
    }

    /// Changes a global as a thread sees it.
    pub(crate) fn set_global(&mut self, machine: &Machine, thread: u32, id: GlobalId, value: u64) {
        match machine.global(id).storage {
            Storage::Shared => self.shared[id.index()] = value,
            Storage::PerThread => self.threads[thread as usize].own[id.index()] = value,
        }
    }

    /// A variable as the running frame of a thread sees it. The thread must not have ended.
    pub fn read(&self, machine: &Machine, thread: u32, variable: Variable) -> u64 {
        match variable {
            Variable::Global(id) => self.global(machine, thread, id),
            Variable::Local(id) => {
                let stack = &self.threads[thread as usize].stack;
                let top = stack.last().expect("only running threads read variables");
                top.locals[id.index()]
            }
        }
    }

    /// Whether some other thread than this one is inside an atomic block.
    pub(crate) fn another_is_atomic(&self, thread: u32) -> bool {
        self.atomic.iter().any(|&other| other != thread)
    }

    /// Whether a node is that of some thread's running frame.
    pub fn is_at(&self, node: NodeId) -> bool {
        let mut tops = self.threads.iter().filter_map(|t| t.stack.last());
        tops.any(|frame| frame.node == node)
    }

    /// What a thread is called: its name in the program, numbered where there are several of that
    /// name.
    pub fn thread_name(&self, machine: &Machine, thread: u32) -> String {
        match self.threads.get(thread as usize).map(|t| t.origin) {
            Some(Origin::Init) => "init".to_owned(),
            Some(Origin::Instance { thread, instance }) => {
                let thread = &machine.threads[thread as usize];
                if thread.instances == 1 {
                    thread.name.clone()
                } else {
                    format!("{}.{instance}", thread.name)
                }
            }
            Some(Origin::Started { procedure }) => {
                format!("{}#{thread}", machine.procedure(procedure).name)
            }
            None => format!("thread {thread}"),
        }
    }
}
