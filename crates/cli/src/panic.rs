//! A panic is a bug in hardbop, and is reported as one: with what to send, and with a separate exit
//! code.

use crate::address_space;
use crate::exit::Exit;
use crate::subprocess;
use std::io::Write;
use std::panic::{self, PanicHookInfo};

/// From now on a panic ends the process with the exit code of internal errors.
pub fn install_hook() {
    panic::set_hook(Box::new(|info| {
        if is_refused_thread(info) {
            address_space::end_as_if_refused();
        }
        report(info);
        subprocess::end_all();
        std::process::exit(Exit::Internal.code().into());
    }));
}

/// From now on a panic is reported, and the thread that it is in may recover: a server continues.
pub fn report_only() {
    panic::set_hook(Box::new(report));
}

/// Whether the system refuses another thread, which needs a stack.
fn is_refused_thread(info: &PanicHookInfo<'_>) -> bool {
    let message = info.payload_as_str().unwrap_or_default();
    message.starts_with("failed to spawn thread")
}

fn report(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("no message");
    let place = info
        .location()
        .map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
    let report = format!(
        "error: internal error: {message}{place}\n\
             note: this is a bug in hardbop {}. No verdict was given. Please report it with the program and the command line.\n",
        env!("CARGO_PKG_VERSION"),
    );
    // Standard error may be closed; a panic inside the hook would only hide the exit code.
    let _ = std::io::stderr().write_all(report.as_bytes());
}
