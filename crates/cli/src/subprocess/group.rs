//! A process group: started, watched, and ended as a whole.
//!
//! The first process of a group is waited for only after the group was killed: until then the
//! system does not reuse its number, so the signal cannot reach an unrelated process.

use super::Limits;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The groups that are running.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    groups: BTreeSet::new(),
    is_over: false,
});

struct Running {
    groups: BTreeSet<u32>,
    /// The process is about to end: no group may start any more.
    is_over: bool,
}

fn running() -> MutexGuard<'static, Running> {
    // The set is whole between any two of its operations.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all groups, and lets none start. For a process that is about to end.
pub fn end_all() {
    let mut running = running();
    running.is_over = true;
    running.groups.iter().copied().for_each(kill);
}

/// A running process group. Dropping it kills it.
#[derive(Debug)]
pub struct Group {
    child: Child,
    is_ended: bool,
}

impl Group {
    /// Starts a command as the first process of a new group.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut running = running();
        if running.is_over {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let child = command.spawn()?;
        running.groups.insert(child.id());
        Ok(Self {
            child,
            is_ended: false,
        })
    }

    /// The number of the group and of its first process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The first process, for its streams.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Limits that the system enforces when hardbop no longer can. The first process gets them an
    /// instant after its start, and passes them on to those that it starts.
    pub fn limit_in_system(&self, limits: &Limits) {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
            // Code and libraries take address space, too, and so does a buffer that doubles. The
            // limit on resident memory should come first: it is the one that is explained.
            const LIBRARIES: u64 = 1 << 28;
            let process = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
            let Some(process) = process else {
                return;
            };
            let set = |resource, limit: u64| {
                let Rlimit { current, maximum } = getrlimit(resource);
                let new = Rlimit {
                    current: Some(current.map_or(limit, |old| old.min(limit))),
                    maximum,
                };
                // A process that has ended needs no limit.
                let _ = prlimit(Some(process), resource, new);
            };
            set(Resource::Cpu, limits.time.as_secs().saturating_add(1));
            if limits.has_small_address_space {
                set(
                    Resource::As,
                    limits.memory.saturating_mul(4).saturating_add(LIBRARIES),
                );
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = limits;
    }

    /// Whether the first process has ended. It is not waited for.
    pub fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            let process = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
            let waited = process.map(|process| waitid(WaitId::Pid(process), options));
            !matches!(waited, Some(Ok(None)))
        }
        #[cfg(not(unix))]
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends what is left of the group, and says how its first process ended.
    pub fn end(mut self) -> io::Result<ExitStatus> {
        self.kill_and_wait()
    }

    fn kill_and_wait(&mut self) -> io::Result<ExitStatus> {
        self.is_ended = true;
        {
            // The group must not be signalled once the system can reuse its number.
            let mut running = running();
            kill(self.id());
            running.groups.remove(&self.id());
        }
        // Fails for a process that has ended, which is what is wanted.
        let _ = self.child.kill();
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_ended {
            let _ = self.kill_and_wait();
        }
    }
}

/// Kills all processes of a group. One without processes is fine.
fn kill(group: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = group;
}

/// Resident memory of a process and all its descendants, where there is `/proc`.
pub fn resident_kib(process: u32) -> u64 {
    let mut sum = 0;
    let mut processes = vec![process];
    while let Some(process) = processes.pop() {
        let status = fs::read_to_string(format!("/proc/{process}/status"));
        let memory = status
            .ok()
            .and_then(|text| crate::process_status::memory(&text));
        sum += memory.map_or(0, |memory| memory.resident_kib);
        processes.extend(children(process));
    }
    sum
}

/// The children of a process, over all its threads.
pub fn children(process: u32) -> Vec<u32> {
    let mut children = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return children;
    };
    for thread in threads.flatten() {
        if let Ok(text) = fs::read_to_string(thread.path().join("children")) {
            let ids = text.split_ascii_whitespace();
            children.extend(ids.filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    children
}
