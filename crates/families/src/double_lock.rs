//! A terminal driver that takes a lock twice, in the shape of the RIO driver of VERA's experiments
//! (TACAS 2005, section 5.1): locks hold the id of the process that has them, and most conditions
//! are left open. Size is the width of process ids, at least 2.
//!
//! The error is shallow, and ids do not matter for it: some tens of states, whatever the width.
//! That every lock is released ([`RELEASED`]) needs all states; VERA did not end on its driver
//! beyond 2 bits.
//!
//! *Why the verdict.* If the port turns out to be deleted, the command is tried again with the lock
//! held. The sister releases it first; every other acquisition of a lock is preceded on all paths
//! by its release. Each routine releases what it acquires, also after a double acquisition, and the
//! number of tries is limited, so locks are released in any case, unless an interrupt never ends:
//! and that one releases its lock again and again.

use crate::source_text::SourceText;

/// The label in question.
pub(crate) const LABEL: &str = "DOUBLE_LOCK";
/// Every lock that is acquired is released: true of every member.
pub const RELEASED: &str = "G (portOwner != 0 -> F portOwner = 0)";

/// The number of tries must fit.
const NARROWEST: u32 = 2;
/// The widest integers of the language.
const WIDEST: u32 = 64;

/// Tries again with the lock held.
pub(crate) fn write_faulty(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, "tries := tries + 1;");
}

/// Releases the lock first.
pub(crate) fn write_repaired(text: &mut SourceText, size: u32, _seed: u64) {
    write(text, size, "tries := tries + 1; ReleasePort();");
}

fn write(text: &mut SourceText, size: u32, again: &str) {
    let width = size.clamp(NARROWEST, WIDEST);
    for line in DRIVER.lines() {
        let line = line.replace("PID", &format!("int<{width}>"));
        text.line(&line.replace("TRY_AGAIN", again));
    }
}

const DRIVER: &str = "
decl PID portOwner, boardOwner;
decl portHeld, boardHeld, opened;

void main()
begin
  decl PID pid;
  portOwner, boardOwner := 0, 0;
  portHeld, boardHeld, opened := 0, 0, 0;
  while (*) do
    havoc pid;
    assume(pid != 0);
    if (!opened) then PortOpen(pid);
    elsif (*) then PortCommand(pid);
    elsif (*) then BoardInterrupt(pid);
    else PortClose(pid);
    fi
  od
end

void AcquirePort(PID pid)
begin
  if (portHeld) then DoubleLock(); fi
  portHeld, portOwner := 1, pid;
end

void ReleasePort()
begin
  portHeld, portOwner := 0, 0;
end

void AcquireBoard(PID pid)
begin
  if (boardHeld) then DoubleLock(); fi
  boardHeld, boardOwner := 1, pid;
end

void ReleaseBoard()
begin
  boardHeld, boardOwner := 0, 0;
end

void DoubleLock()
begin
  DOUBLE_LOCK: skip;
end

void PortOpen(PID pid)
begin
  decl ready;
  AcquirePort(pid);
  ready := *;
  while (!ready) do
    ReleasePort();
    if (*) then return; fi
    PollBoard(pid);
    AcquirePort(pid);
    ready := *;
  od
  opened := 1;
  ReleasePort();
end

void PortClose(PID pid)
begin
  decl draining;
  AcquirePort(pid);
  draining := *;
  if (draining) then
    ReleasePort();
    PortCommand(pid);
    AcquirePort(pid);
  fi
  opened := 0;
  ReleasePort();
end

void PortCommand(PID pid)
begin
  decl deleted, queued;
  decl PID tries;
  tries, queued := 0, 0;
  while (!queued) do
    AcquirePort(pid);
    deleted := *;
    if (deleted & (tries < 3)) then
      TRY_AGAIN
    else
      queued := *;
      ReleasePort();
      if (!queued) then PollBoard(pid); fi
    fi
  od
end

void PollBoard(PID pid)
begin
  AcquireBoard(pid);
  if (*) then
    ReleaseBoard();
    BoardInterrupt(pid);
    return;
  fi
  ReleaseBoard();
end

void BoardInterrupt(PID pid)
begin
  decl more;
  AcquireBoard(pid);
  more := *;
  while (more) do
    ReleaseBoard();
    if (*) then BoardInterrupt(pid); fi
    AcquireBoard(pid);
    more := *;
  od
  ReleaseBoard();
end";
