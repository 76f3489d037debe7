//! The server: reads messages in order, answers requests at once, and leaves diagnostics and checks
//! to two threads of their own.
//!
//! Diagnostics wait for a pause in the typing. Checks wait for each other: one at a time leaves the
//! machine to the editor. The documents are behind one lock that is held while a text is read, never
//! while an engine works.

use crate::checks::{self, Asked, Until};
use crate::documents::Documents;
use crate::lenses::{self, CANCEL, COMMANDS};
use crate::lines::Lines;
use crate::reading::{About, Reading};
use crate::{Outside, hover, navigation, rename};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::format::format_checked;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeLensOptions, CodeLensParams, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentFormattingParams,
    DocumentSymbolParams, DocumentSymbolResponse, ExecuteCommandOptions, ExecuteCommandParams,
    GotoDefinitionParams, GotoDefinitionResponse, HoverParams, HoverProviderCapability,
    InitializeParams, OneOf, PrepareRenameResponse, PublishDiagnosticsParams, ReferenceParams,
    RenameOptions, RenameParams, ServerCapabilities, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri, WorkDoneProgressOptions,
    WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
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

/// How the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The editor said goodbye.
    Orderly,
    /// The input ended before that.
    Abrupt,
}

/// Serves an editor until it goes away.
pub(crate) fn serve(
    connection: Connection,
    outside: Arc<dyn Outside>,
) -> Result<End, ProtocolError> {
    let (id, parameters) = match connection.initialize_start() {
        Ok(started) => started,
        Err(error) if error.channel_is_disconnected() => return Ok(End::Abrupt),
        Err(error) => return Err(error),
    };
    let parameters: InitializeParams = serde_json::from_value(parameters).unwrap_or_default();
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": { "name": "hardbop", "version": env!("CARGO_PKG_VERSION") },
    });
    match connection.initialize_finish(id, answer) {
        Ok(()) => {}
        Err(error) if error.channel_is_disconnected() => return Ok(End::Abrupt),
        Err(error) => return Err(error),
    }
    let wishes = Wishes::of(&parameters);
    let shared = Arc::new(Shared {
        connection,
        outside,
        wishes,
        documents: Mutex::default(),
        waiting: Mutex::default(),
    });
    let (changed, changes) = channel();
    let (asked, questions) = channel();
    let publisher = shared.clone();
    let checker = shared.clone();
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
    let server = Server {
        shared,
        changed,
        asked,
    };
    server.run()
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::SOURCE]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.map(str::to_owned).to_vec(),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        ..ServerCapabilities::default()
    }
}

/// What the editor can do and wants.
struct Wishes {
    shows_progress: bool,
    refreshes_lenses: bool,
    /// The limit of a check.
    seconds: u32,
}

impl Wishes {
    fn of(parameters: &InitializeParams) -> Self {
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

struct Shared {
    connection: Connection,
    outside: Arc<dyn Outside>,
    wishes: Wishes,
    documents: Mutex<Documents>,
    /// Checks that run or wait.
    waiting: Mutex<Vec<(RequestId, Arc<AtomicBool>)>>,
}

/// A check that is to be made.
struct Check {
    id: RequestId,
    uri: Uri,
    version: i32,
    reading: Arc<Reading>,
    asked: Asked,
    cancelled: Arc<AtomicBool>,
}

impl Shared {
    /// The documents. A panic elsewhere does not make them unusable: each change is complete in
    /// itself.
    fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<(RequestId, Arc<AtomicBool>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An editor that has gone hears nothing.
    fn send(&self, message: impl Into<Message>) {
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

    fn reading(&self, uri: &Uri) -> Option<Arc<Reading>> {
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

fn failure(id: &RequestId, code: ErrorCode, why: &str) -> Response {
    Response::new_err(id.clone(), code as i32, why.to_owned())
}

struct Server {
    shared: Arc<Shared>,
    changed: Sender<Uri>,
    asked: Sender<Check>,
}

impl Server {
    fn run(&self) -> Result<End, ProtocolError> {
        let mut is_shut_down = false;
        for message in &self.shared.connection.receiver {
            match message {
                Message::Request(request) if request.method == "shutdown" => {
                    is_shut_down = true;
                    self.cancel(None);
                    self.shared.send(Response::new_ok(request.id, Value::Null));
                }
                Message::Request(request) if is_shut_down => {
                    let why = "the server is shutting down";
                    self.shared
                        .send(failure(&request.id, ErrorCode::InvalidRequest, why));
                }
                Message::Request(request) => self.request(request),
                Message::Notification(notification) if notification.method == "exit" => break,
                Message::Notification(notification) => {
                    // What cannot be understood changes nothing.
                    let _ = catch_unwind(AssertUnwindSafe(|| self.notification(notification)));
                }
                Message::Response(_) => {}
            }
        }
        self.cancel(None);
        Ok(if is_shut_down {
            End::Orderly
        } else {
            End::Abrupt
        })
    }

    fn notification(&self, notification: Notification) -> Option<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let document = read::<DidOpenTextDocumentParams>(params)?.text_document;
                let (uri, id) = (document.uri, document.language_id);
                let mut documents = self.shared.documents();
                documents.open(uri.clone(), document.version, &id, document.text);
                self.has_changed(&documents, &uri);
            }
            "textDocument/didChange" => {
                let change = read::<DidChangeTextDocumentParams>(params)?;
                let document = change.text_document;
                let mut documents = self.shared.documents();
                documents.change(&document.uri, document.version, change.content_changes);
                self.has_changed(&documents, &document.uri);
            }
            "textDocument/didClose" => {
                let uri = read::<DidCloseTextDocumentParams>(params)?
                    .text_document
                    .uri;
                let mut documents = self.shared.documents();
                documents.close(&uri);
                self.has_changed(&documents, &uri);
                drop(documents);
                // What is not open has no marks.
                let _ = self.changed.send(uri);
            }
            "$/cancelRequest" => self.cancel(read(params["id"].clone()).as_ref()),
            "window/workDoneProgress/cancel" => {
                let token = params["token"].as_str()?;
                let waiting = self.shared.waiting();
                for (id, cancelled) in waiting.iter() {
                    if token == format!("hardbop-check-{id}") {
                        cancelled.store(true, Ordering::Relaxed);
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    fn has_changed(&self, documents: &Documents, uri: &Uri) {
        for touched in documents.dependents(uri) {
            // The thread that listens ends with the process.
            let _ = self.changed.send(touched);
        }
    }

    /// Cancels a check, or all.
    fn cancel(&self, wanted: Option<&RequestId>) {
        for (id, cancelled) in self.shared.waiting().iter() {
            if wanted.is_none_or(|wanted| wanted == id) {
                cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    fn request(&self, request: Request) {
        let id = request.id.clone();
        let answered = catch_unwind(AssertUnwindSafe(|| self.answer(request)));
        let response = match answered {
            Ok(Some(Answer::Now(value))) => Response::new_ok(id, value),
            Ok(Some(Answer::Later)) => return,
            Ok(Some(Answer::Refused(why))) => failure(&id, ErrorCode::RequestFailed, &why),
            Ok(Some(Answer::UnknownMethod)) => {
                failure(&id, ErrorCode::MethodNotFound, "hardbop does not do this")
            }
            Ok(None) => failure(&id, ErrorCode::InvalidParams, "the parameters do not fit"),
            Err(_) => {
                let why = "hardbop failed; please report it with the text";
                failure(&id, ErrorCode::InternalError, why)
            }
        };
        self.shared.send(response);
    }

    /// The answer to a request; none if its parameters are wrong.
    fn answer(&self, request: Request) -> Option<Answer> {
        let Request { id, method, params } = request;
        match method.as_str() {
            "textDocument/hover" => {
                let at = read::<HoverParams>(params)?.text_document_position_params;
                let answer = self.at(&at, |reading, offset| hover::hover(reading, offset));
                Some(Answer::now(answer.flatten()))
            }
            "textDocument/definition" => {
                let at = read::<GotoDefinitionParams>(params)?.text_document_position_params;
                let uri = &at.text_document.uri;
                let find = |reading: &Reading, offset| navigation::definition(reading, uri, offset);
                let found = self.at(&at, find);
                Some(Answer::now(found.map(GotoDefinitionResponse::Array)))
            }
            "textDocument/references" => {
                let wish = read::<ReferenceParams>(params)?;
                let at = wish.text_document_position;
                let (uri, all) = (&at.text_document.uri, wish.context.include_declaration);
                let found = self.at(&at, |reading, offset| {
                    navigation::references(reading, uri, offset, all)
                });
                Some(Answer::now(found))
            }
            "textDocument/documentSymbol" => {
                let uri = read::<DocumentSymbolParams>(params)?.text_document.uri;
                let reading = self.shared.reading(&uri);
                let symbols = reading.map(|reading| navigation::symbols(&reading));
                Some(Answer::now(symbols.map(DocumentSymbolResponse::Nested)))
            }
            "textDocument/formatting" => {
                let uri = read::<DocumentFormattingParams>(params)?.text_document.uri;
                let reading = self.shared.reading(&uri);
                Some(Answer::now(reading.and_then(|reading| formatted(&reading))))
            }
            "textDocument/prepareRename" => {
                let at = read::<TextDocumentPositionParams>(params)?;
                let found = self.at(&at, rename::prepare).flatten();
                let answer =
                    found.map(
                        |(range, placeholder)| PrepareRenameResponse::RangeWithPlaceholder {
                            range,
                            placeholder,
                        },
                    );
                Some(Answer::now(answer))
            }
            "textDocument/rename" => Some(self.rename(read(params)?)),
            "textDocument/codeLens" => {
                let uri = read::<CodeLensParams>(params)?.text_document.uri;
                let reading = self.shared.reading(&uri);
                let documents = self.shared.documents();
                let found = documents.found(&uri);
                let lenses = reading.map(|reading| lenses::lenses(&reading, &uri, found));
                Some(Answer::now(lenses))
            }
            "textDocument/codeAction" => {
                let uri = read::<CodeActionParams>(params)?.text_document.uri;
                let reading = self.shared.reading(&uri);
                let actions = reading.map(|reading| {
                    let actions = lenses::actions(&reading, &uri).into_iter();
                    actions
                        .map(CodeActionOrCommand::CodeAction)
                        .collect::<Vec<_>>()
                });
                Some(Answer::now(actions))
            }
            "workspace/executeCommand" => self.command(id, read(params)?),
            _ => Some(Answer::UnknownMethod),
        }
    }

    /// Something about a place of an open document.
    fn at<T>(
        &self,
        place: &TextDocumentPositionParams,
        about: impl Fn(&Reading, u32) -> T,
    ) -> Option<T> {
        let reading = self.shared.reading(&place.text_document.uri)?;
        let offset = reading.lines.offset(place.position);
        Some(about(&reading, offset))
    }

    fn rename(&self, wish: RenameParams) -> Answer {
        let place = wish.text_document_position;
        let uri = place.text_document.uri;
        let Some(reading) = self.shared.reading(&uri) else {
            return Answer::Refused("the document is not open".to_owned());
        };
        let offset = reading.lines.offset(place.position);
        let documents = self.shared.documents();
        let read = |text: String| {
            let lines = Arc::new(Lines::new(text));
            let again = documents.read_as(&uri, lines, &*self.shared.outside);
            again.expect("the document was open when the lock was taken, and has a language")
        };
        match rename::rename(&reading, offset, &wish.new_name, read) {
            Ok(edits) => {
                // The map of the protocol's types is keyed by addresses.
                let changes = json!({ "changes": { uri.as_str(): edits } });
                Answer::now(serde_json::from_value::<WorkspaceEdit>(changes).ok())
            }
            Err(why) => Answer::Refused(why),
        }
    }

    fn command(&self, id: RequestId, wish: ExecuteCommandParams) -> Option<Answer> {
        if wish.command == CANCEL {
            self.cancel(None);
            return Some(Answer::now(Value::Null));
        }
        if !COMMANDS.contains(&wish.command.as_str()) {
            return Some(Answer::UnknownMethod);
        }
        let uri: Uri = read(wish.arguments.first()?.clone())?;
        let version = self
            .shared
            .documents()
            .get(&uri)
            .map(|document| document.version);
        let (Some(version), Some(reading)) = (version, self.shared.reading(&uri)) else {
            return Some(Answer::Refused("the document is not open".to_owned()));
        };
        let asked = match lenses::asked(&wish.command, &wish.arguments, &reading) {
            Ok(asked) => asked,
            Err(why) => return Some(Answer::Refused(why)),
        };
        let cancelled = Arc::new(AtomicBool::new(false));
        self.shared.waiting().push((id.clone(), cancelled.clone()));
        let check = Check {
            id,
            uri,
            version,
            reading,
            asked,
            cancelled,
        };
        match self.asked.send(check) {
            Ok(()) => Some(Answer::Later),
            Err(_) => Some(Answer::Refused(
                "no thread could be started for checks".to_owned(),
            )),
        }
    }
}

enum Answer {
    Now(Value),
    /// Another thread answers.
    Later,
    Refused(String),
    UnknownMethod,
}

impl Answer {
    fn now(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self::Now(value),
            Err(why) => Self::Refused(why.to_string()),
        }
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

/// The edit that gives a program the layout of `hardbop fmt`; none if it has errors.
fn formatted(reading: &Reading) -> Option<Vec<TextEdit>> {
    let About::Program { ast, .. } = &reading.about else {
        return None;
    };
    if has_errors(&reading.diagnostics) && reading.machine().is_none() {
        // Errors of names and types do not matter for the layout, those of the grammar do.
        let parsed = hardbop_syntax::parse_as(&reading.source, ast.form);
        if has_errors(&parsed.diagnostics) {
            return None;
        }
    }
    let text = format_checked(ast, &reading.source)?;
    if text == reading.source.text() {
        return Some(Vec::new());
    }
    Some(vec![TextEdit::new(reading.lines.whole(), text)])
}
