//! The server: reads messages in order, answers requests at once, and leaves diagnostics and checks
//! to [`crate::background`].

use crate::background::{Check, Shared, Wishes, failure, start};
use crate::documents::Documents;
use crate::lenses::{self, CANCEL, COMMANDS};
use crate::lines::Lines;
use crate::reading::{About, Reading};
use crate::{Outside, hover, navigation, rename};
use hardbop_syntax::ast::Form;
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
    InitializeParams, OneOf, PrepareRenameResponse, ReferenceParams, RenameOptions, RenameParams,
    ServerCapabilities, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextEdit, Uri, WorkDoneProgressOptions, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

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
    let (changed, asked) = start(&shared);
    let server = Server {
        shared,
        changed,
        asked,
    };
    Ok(server.run())
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

struct Server {
    shared: Arc<Shared>,
    changed: Sender<Uri>,
    asked: Sender<Check>,
}

impl Server {
    fn run(&self) -> End {
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
        if is_shut_down {
            End::Orderly
        } else {
            End::Abrupt
        }
    }

    fn notification(&self, notification: Notification) -> Option<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let document = read::<DidOpenTextDocumentParams>(params)?.text_document;
                let (uri, id) = (document.uri, document.language_id);
                let mut documents = self.shared.documents();
                documents.open(&uri, document.version, &id, document.text);
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
                let answer = self.at(&at, hover::hover);
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
            "workspace/executeCommand" => self.command(id, &read(params)?),
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

    fn command(&self, id: RequestId, wish: &ExecuteCommandParams) -> Option<Answer> {
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
    if ast.form == Form::C {
        return None;
    }
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
