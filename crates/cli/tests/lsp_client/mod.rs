//! An editor in small: starts the server, sends what it is told, and keeps what comes back.

#![expect(
    clippy::needless_pass_by_value,
    reason = "what is passed has just been made by `json!`"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

pub struct Client {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Messages that nobody has asked for yet.
    kept: Vec<Value>,
    next: u64,
}

#[allow(dead_code, reason = "not every test needs all of it")]
impl Client {
    /// Starts a server and shakes hands.
    pub fn start() -> Self {
        Self::start_with(json!({}))
    }

    /// The same with options for the server.
    pub fn start_with(options: Value) -> Self {
        Self::start_command(&[], &[], options)
    }

    /// The same with other words on the command line, and with variables of the environment.
    pub fn start_as(words: &[&str], environment: &[(String, String)]) -> Self {
        Self::start_command(words, environment, json!({}))
    }

    /// The process of the server.
    pub fn process(&self) -> &Child {
        &self.process
    }

    fn start_command(words: &[&str], environment: &[(String, String)], options: Value) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .arg("lsp")
            .args(words)
            .envs(environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = process.stdin.take().expect("a pipe");
        let output = process.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            process,
            input,
            messages,
            kept: Vec::new(),
            next: 1,
        };
        let capabilities = json!({
            "window": { "workDoneProgress": true },
            "workspace": { "codeLens": { "refreshSupport": true } },
        });
        let parameters = json!({ "capabilities": capabilities, "initializationOptions": options });
        let answer = client.request("initialize", parameters);
        assert_eq!(answer["serverInfo"]["name"], json!("hardbop"));
        client.notify("initialized", json!({}));
        client
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    /// Sends a request and does not wait; gives its number.
    pub fn ask(&mut self, method: &str, parameters: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        id
    }

    /// The answer to a request, with its error if it is one.
    pub fn respond(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.ask(method, parameters);
        self.answer(id)
    }

    /// The answer to the request of a number.
    pub fn answer(&mut self, id: u64) -> Value {
        self.find(|message| message["id"] == json!(id) && message.get("method").is_none())
    }

    /// The result of a request that must succeed.
    pub fn request(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.respond(method, parameters);
        assert_eq!(answer.get("error"), None, "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a message; others are kept.
    pub fn find(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.kept.iter().position(&is_wanted) {
            return self.kept.remove(found);
        }
        loop {
            let message = self
                .messages
                .recv_timeout(PATIENCE)
                .expect("an answer in time");
            if is_wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, version: i32, change: &Value) {
        let document = json!({ "uri": uri, "version": version });
        let parameters = json!({ "textDocument": document, "contentChanges": [change] });
        self.notify("textDocument/didChange", parameters);
    }

    /// The next diagnostics of a document.
    pub fn diagnostics(&mut self, uri: &str) -> Value {
        let is_wanted = |message: &Value| {
            message["method"] == json!("textDocument/publishDiagnostics")
                && message["params"]["uri"] == json!(uri)
        };
        self.find(is_wanted)["params"]["diagnostics"].clone()
    }

    /// The first diagnostics of a version of a document.
    pub fn diagnostics_of_version(&mut self, uri: &str, version: i32) -> Value {
        let is_wanted = |message: &Value| {
            message["method"] == json!("textDocument/publishDiagnostics")
                && message["params"]["uri"] == json!(uri)
                && message["params"]["version"] == json!(version)
        };
        self.find(is_wanted)["params"]["diagnostics"].clone()
    }

    /// Says goodbye; the server must end well.
    pub fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let status = self.process.wait().expect("the server ends");
        assert_eq!(status.code(), Some(0));
    }
}

impl Drop for Client {
    /// A test that fails leaves no server behind.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
