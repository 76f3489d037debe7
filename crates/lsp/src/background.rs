//! What goes on while the server answers: diagnostics and checks, each on a thread of its own.
//!
//! Diagnostics wait for a pause in the typing. Checks wait for each other: one at a time leaves the
//! machine to the editor. The documents are behind one lock that is held while a text is read, never
//! while an engine works.

use crate::Outside;
use crate::checks::{self, Asked, Until};
use crate::documents::Documents;
use crate::reading::Reading;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{InitializeParams, PublishDiagnosticsParams, Uri};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Diagnostics come after typing has paused for so long.
const PAUSE: Duration = Duration::from_millis(150);
/// A check gives up after this many seconds unless the editor says otherwise.
const SECONDS: u32 = 60;
/// Engines recurse as deep as a program has variables.
const STACK_SIZE: usize = 1 << 30;

/// Starts the threads; they end when the senders are gone.
pub(crate) fn start(shared: &Arc<Shared>) -> (Sender<Uri>, Sender<Check>) {
    let (changed, changes) = channel();
    let (asked, questions) = channel();
    let (publisher, checker) = (shared.clone(), shared.clone());
    std::thread::spawn(move || publish_when_quiet(&publisher, &changes));
    // Without such a stack the ordinary one does for ordinary programs.
    let with_stack = std::thread::Builder::new().stack_size(STACK_SIZE);
    let questions = Arc::new(Mutex::new(questions));
    let again = questions.clone();
    if with_stack
        .spawn(move || answer_checks(&checker, &questions))
        .is_err()
    {
        let checker = shared.clone();
        std::thread::spawn(move || answer_checks(&checker, &again));
    }
    (changed, asked)
}

/// What the editor can do and wants.
pub(crate) struct Wishes {
    shows_progress: bool,
    refreshes_lenses: bool,
    /// The limit of a check.
    seconds: u32,
}

impl Wishes {
    pub(crate) fn of(parameters: &InitializeParams) -> Self {
        let capabilities = &parameters.capabilities;
        let window = capabilities.window.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        let options = parameters.initialization_options.as_ref();
        let seconds = options.and_then(|options| options["checkSeconds"].as_u64());
        Self {
            shows_progress: window.and_then(|w| w.work_done_progress).unwrap_or(false),
            refreshes_lenses: lenses.and_then(|l| l.refresh_support).unwrap_or(false),
            seconds: seconds
                .and_then(|s| u32::try_from(s).ok())
                .unwrap_or(SECONDS),
        }
    }
}

pub(crate) struct Shared {
    pub connection: Connection,
    pub outside: Arc<dyn Outside>,
    pub wishes: Wishes,
    pub documents: Mutex<Documents>,
    /// Checks that run or wait.
    pub waiting: Mutex<Vec<(RequestId, Arc<AtomicBool>)>>,
}

/// A check that is to be made.
pub(crate) struct Check {
    pub id: RequestId,
    pub uri: Uri,
    pub version: i32,
    pub reading: Arc<Reading>,
    pub asked: Asked,
    pub cancelled: Arc<AtomicBool>,
}

impl Shared {
    /// The documents. A panic elsewhere does not make them unusable: each change is complete in
    /// itself.
    pub(crate) fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn waiting(&self) -> MutexGuard<'_, Vec<(RequestId, Arc<AtomicBool>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An editor that has gone hears nothing.
    pub(crate) fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, parameters: impl Serialize) {
        self.send(Notification::new(method.to_owned(), parameters));
    }

    fn publish(&self, uri: &Uri) {
        let (diagnostics, version) = {
            let mut documents = self.documents();
            let diagnostics = documents.diagnostics(uri, &*self.outside);
            (
                diagnostics,
                documents.get(uri).map(|document| document.version),
            )
        };
        let parameters = PublishDiagnosticsParams::new(uri.clone(), diagnostics, version);
        self.notify("textDocument/publishDiagnostics", parameters);
    }

    pub(crate) fn reading(&self, uri: &Uri) -> Option<Arc<Reading>> {
        self.documents().reading(uri, &*self.outside)
    }
}

/// Publishes diagnostics of what has changed, when nothing has for a moment.
fn publish_when_quiet(shared: &Shared, changes: &Receiver<Uri>) {
    while let Ok(first) = changes.recv() {
        let mut changed = BTreeSet::from([first.as_str().to_owned()]);
        let mut all = vec![first];
        while let Ok(next) = changes.recv_timeout(PAUSE) {
            if changed.insert(next.as_str().to_owned()) {
                all.push(next);
            }
        }
        for uri in all {
            // A text that makes a reader panic has no diagnostics, and the next one may.
            let _ = catch_unwind(AssertUnwindSafe(|| shared.publish(&uri)));
        }
    }
}

/// Answers checks one after the other.
fn answer_checks(shared: &Shared, questions: &Mutex<Receiver<Check>>) {
    loop {
        let next = questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(check) = next else {
            return;
        };
        let answer = catch_unwind(AssertUnwindSafe(|| answer_check(shared, &check)));
        let why = "an engine failed; please report it with the program";
        let response = answer.unwrap_or_else(|_| failure(&check.id, ErrorCode::InternalError, why));
        shared.waiting().retain(|(id, _)| *id != check.id);
        shared.send(response);
    }
}

fn answer_check(shared: &Shared, check: &Check) -> Response {
    let cancelled = || {
        failure(
            &check.id,
            ErrorCode::RequestCanceled,
            "the check was cancelled",
        )
    };
    if check.cancelled.load(Ordering::Relaxed) {
        return cancelled();
    }
    let token = json!(format!("hardbop-check-{}", check.id));
    if shared.wishes.shows_progress {
        let id = RequestId::from(format!("progress-{}", check.id));
        let create = "window/workDoneProgress/create".to_owned();
        shared.send(Request::new(id, create, json!({ "token": token })));
        let title = match &check.asked {
            Asked::Coverage => "hardbop: coverage".to_owned(),
            Asked::Targets(targets) if targets.len() == 1 => format!("hardbop: {}", targets[0]),
            Asked::Targets(targets) => format!("hardbop: {} assertions", targets.len()),
        };
        let value = json!({ "kind": "begin", "title": title, "cancellable": true });
        shared.notify("$/progress", json!({ "token": token, "value": value }));
    }
    let seconds = shared.wishes.seconds;
    let until = Until {
        cancelled: check.cancelled.clone(),
        limit: shared.outside.limit(seconds),
    };
    let answer = checks::check(
        &check.reading,
        &check.uri,
        check.asked.clone(),
        &until,
        seconds,
    );
    if shared.wishes.shows_progress {
        let value = json!({ "kind": "end" });
        shared.notify("$/progress", json!({ "token": token, "value": value }));
    }
    if check.cancelled.load(Ordering::Relaxed) {
        return cancelled();
    }
    let checked = match answer {
        Ok(checked) => checked,
        Err(why) => return failure(&check.id, ErrorCode::RequestFailed, &why),
    };
    let summary = checked.summary.clone();
    shared.documents().keep(&check.uri, check.version, checked);
    shared.publish(&check.uri);
    if shared.wishes.refreshes_lenses {
        let id = RequestId::from(format!("lenses-{}", check.id));
        let refresh = "workspace/codeLens/refresh".to_owned();
        shared.send(Request::new(id, refresh, Value::Null));
    }
    Response::new_ok(check.id.clone(), json!({ "summary": summary }))
}

pub(crate) fn failure(id: &RequestId, code: ErrorCode, why: &str) -> Response {
    Response::new_err(id.clone(), code as i32, why.to_owned())
}
