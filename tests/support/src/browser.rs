//! An installed Chromium without a window, for tests of pages: real events of the mouse and the keyboard, and
//! scripts that look at the page.
//!
//! It is driven through pipes by the DevTools protocol: each message is JSON with a zero at its end.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Names of the program, as Linux distributions install it.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Longest time to an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser that shows one page.
pub struct Browser {
    process: Child,
    requests: ChildStdin,
    answers: Receiver<Value>,
    /// Number of the last request.
    last: u64,
    session: Value,
    data: PathBuf,
    /// Exceptions that the page did not catch.
    pub exceptions: Vec<String>,
}

/// The browser's program, if one is installed.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    PROGRAMS.iter().flat_map(|name| folders.iter().map(move |f| f.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts a browser with a window of this size, and opens a file in it.
    pub fn open(program: &Path, page: &Path, width: u32, height: u32) -> Browser {
        // Browsers with the same folder would be one.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let data = std::env::temp_dir().join(format!("pyroclast-browser-{}-{number}", std::process::id()));
        let mut process = Command::new("sh")
            // The browser reads requests from descriptor 3 and writes to descriptor 4.
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--no-first-run",
            ])
            .arg(format!("--user-data-dir={}", data.display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (requests, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let value = message.ok().and_then(|m| serde_json::from_slice(&m).ok());
                if value.is_none_or(|value| send.send(value).is_err()) {
                    break;
                }
            }
        });
        let mut browser = Browser {
            process,
            requests,
            answers,
            last: 0,
            session: Value::Null,
            data,
            exceptions: Vec::new(),
        };
        browser.navigate(page);
        browser
    }

    fn navigate(&mut self, page: &Path) {
        let targets = self.ask("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().cloned().unwrap_or_default();
        let target = targets.iter().find(|t| t["type"] == "page").expect("a page")["targetId"].clone();
        let attached = self.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        self.session = attached["sessionId"].clone();
        self.ask("Runtime.enable", json!({}));
        self.ask("Page.enable", json!({}));
        let url = format!("file://{}", page.canonicalize().unwrap().display());
        self.ask("Page.navigate", json!({ "url": url }));
        while self.receive()["method"] != "Page.loadEventFired" {}
    }

    /// Sends a request, and returns its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut request = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_null() {
            request["sessionId"] = self.session.clone();
        }
        write!(self.requests, "{request}\0").and_then(|()| self.requests.flush()).unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let message = self.answers.recv_timeout(PATIENCE).expect("an answer of the browser");
        if message["method"] == "Runtime.exceptionThrown" {
            self.exceptions.push(message["params"]["exceptionDetails"].to_string());
        }
        message
    }

    /// The value of an expression in the page, after the next frame was drawn.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
        let expression = format!("{frame}.then(() => ({expression}))");
        let result = self.ask(
            "Runtime.evaluate",
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true }),
        );
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Scrolls the element into view, and returns its left, top, width and height in the window.
    pub fn place_of(&mut self, element: &str) -> [f64; 4] {
        let script = format!(
            "((e) => {{ e.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})({element})"
        );
        let place = self.evaluate(&script);
        std::array::from_fn(|i| place[i].as_f64().expect("an element"))
    }

    /// An event of the mouse: `mousePressed`, `mouseMoved`, `mouseReleased` or `mouseWheel`.
    pub fn mouse(&mut self, kind: &str, (x, y): (f64, f64), more: &Value) {
        let pressed = kind != "mouseWheel";
        let mut event = json!({ "type": kind, "x": x, "y": y, "button": if pressed { "left" } else { "none" },
            "buttons": u8::from(kind != "mouseReleased" && pressed), "clickCount": 1 });
        for (name, value) in more.as_object().into_iter().flatten() {
            event[name] = value.clone();
        }
        self.ask("Input.dispatchMouseEvent", event);
    }

    /// Clicks into the middle of an element.
    pub fn click(&mut self, element: &str) {
        let [left, top, width, height] = self.place_of(element);
        let at = (left + width / 2.0, top + height / 2.0);
        self.mouse("mousePressed", at, &Value::Null);
        self.mouse("mouseReleased", at, &Value::Null);
    }

    /// Presses and releases a key; `text` is what it types.
    pub fn key(&mut self, key: &str, text: &str) {
        self.ask("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": text }));
        self.ask("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It closes when its pipe does, with its other processes.
        let _ = write!(self.requests, "{}\0", json!({ "id": 0, "method": "Browser.close" }));
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}
