//! A headless Chromium, driven over its `DevTools` protocol: open a page, click, press keys, ask.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    process: Child,
    profile: PathBuf,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    next: u64,
}

impl Browser {
    /// Starts the first browser that is installed.
    pub fn start() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("profile-{}-{number}", std::process::id());
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let start = |name: &&str| {
            Command::new(name)
                .args([
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--no-first-run",
                ])
                .args(["--disable-dev-shm-usage", "--remote-debugging-port=0"])
                .arg(format!("--user-data-dir={}", profile.display()))
                .arg("about:blank")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .ok()
        };
        let mut process = NAMES.iter().find_map(start)?;
        let messages = process.stderr.take().expect("standard error is a pipe");
        let mut lines = BufReader::new(messages).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("the browser says where it listens");
            line.strip_prefix("DevTools listening on ")
                .map(str::to_owned)
        });
        // Whatever else it says is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let address = address.expect("the browser says where it listens");
        let (socket, _) = tungstenite::connect(address).expect("the browser accepts a connection");
        let mut browser = Self {
            process,
            profile,
            socket,
            session: String::new(),
            next: 0,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        browser.resize(1280, 800);
        Some(browser)
    }

    /// Calls a method of the protocol and waits for its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut request = json!({ "id": self.next, "method": method, "params": parameters });
        if !self.session.is_empty() {
            request["sessionId"] = json!(self.session);
        }
        let request = Message::text(request.to_string());
        self.socket.send(request).expect("the browser listens");
        loop {
            let Message::Text(text) = self.socket.read().expect("the browser answers") else {
                continue;
            };
            let answer: Value = serde_json::from_str(&text).expect("the protocol is JSON");
            if answer["id"] == json!(self.next) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// The size of the window.
    pub fn resize(&mut self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Opens a file and waits until its script has run.
    pub fn open(&mut self, file: &Path) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({ "url": url }));
        let ready = "String(document.readyState === 'complete' && \
                     document.querySelectorAll('#source .row').length > 0)";
        let start = Instant::now();
        while self.text(ready) != "true" {
            assert!(start.elapsed() < PATIENCE, "{url} does not come up");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The value of an expression, which must be a text.
    pub fn text(&mut self, expression: &str) -> String {
        let answer = self.call("Runtime.evaluate", json!({ "expression": expression }));
        let value = answer["result"]["value"].as_str();
        value
            .unwrap_or_else(|| panic!("{expression} is not a text: {answer}"))
            .to_owned()
    }

    /// Clicks into the middle of an element, with the mouse.
    pub fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const box = document.querySelector({}).getBoundingClientRect(); \
             return JSON.stringify([box.x + Math.min(box.width / 2, 200), box.y + box.height / 2]); }})()",
            json!(selector)
        );
        let place: Value = serde_json::from_str(&self.text(&place)).expect("two numbers");
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types into what has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
