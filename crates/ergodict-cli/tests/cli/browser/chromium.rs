//! A headless chromium, driven over the pipe of its DevTools protocol.
//!
//! With `--remote-debugging-pipe` the browser reads commands from file 3 and writes answers and events to file 4, as JSON
//! that ends with a zero byte. A shell puts these two where the test has pipes: at the standard input and output.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest wait for an answer or for something to become true; a browser on a busy machine needs a few seconds to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser: `$CHROMIUM`, or the first of its usual names on the path.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name))).find(|file| file.is_file())
}

/// A browser with one tab.
pub(crate) struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// All events of the tab so far.
    pub(crate) events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#)
            .arg(program)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            // Root, as CI often is, may not use the sandbox; the page is our own.
            .args(["--no-sandbox", "--disable-dev-shm-usage"])
            // It asks for nothing of its own.
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = child.stdin.take().unwrap();
        let answers = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                if let Ok(value) = serde_json::from_slice(&message)
                    && sender.send(value).is_err()
                {
                    break;
                }
            }
        });
        let mut browser =
            Self { child, commands, messages, session: None, last: 0, events: Vec::new(), _profile: profile };
        let tab = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": tab["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attached);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Audits", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Sends a command and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let id = self.last;
        let mut message = json!({ "id": id, "method": method });
        message["params"] = parameters;
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.commands.write_all(&bytes).unwrap();
        let start = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(start.elapsed());
            let answer = self.messages.recv_timeout(left).unwrap_or_else(|e| panic!("{method}: {e}"));
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            if answer["method"].is_string() {
                self.events.push(answer);
            }
        }
    }

    /// Opens a page and waits until it has loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": url }));
        self.until("document.readyState === 'complete' && location.protocol !== 'about:'");
    }

    /// What `expression` is on the page; a promise is waited for.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("no text: {expression}")).to_owned()
    }

    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or_else(|| panic!("no number: {expression}"))
    }

    pub(crate) fn holds(&mut self, expression: &str) -> bool {
        self.value(&format!("Boolean({expression})")).as_bool().unwrap_or(false)
    }

    /// Waits until `expression` holds.
    pub(crate) fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while !self.holds(expression) {
            assert!(start.elapsed() < PATIENCE, "never: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn width(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    pub(crate) fn scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Puts the focus on one of the elements that `selector` finds.
    pub(crate) fn focus(&mut self, selector: &str, which: usize) {
        self.value(&format!(
            "(async () => {{ const e = document.querySelectorAll({selector:?})[{which}];
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
             e.focus({{ preventScroll: true }}); }})()"
        ));
    }

    /// Middle of the first element that `selector` finds, scrolled into view, or the given parts of its width and height.
    fn place(&mut self, selector: &str, (x, y): (f64, f64)) -> (f64, f64) {
        // Scrolling is reported a frame later, and hides what the pointer would show.
        let found = self.value(&format!(
            "(async () => {{ const e = document.querySelector({selector:?});
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }});
             await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
             const b = e.getBoundingClientRect(); return [b.left + {x} * b.width, b.top + {y} * b.height]; }})()"
        ));
        (found[0].as_f64().unwrap(), found[1].as_f64().unwrap())
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    pub(crate) fn hover(&mut self, selector: &str, part: (f64, f64)) {
        let place = self.place(selector, part);
        self.mouse("mouseMoved", place);
    }

    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.place(selector, (0.5, 0.5));
        self.mouse("mouseMoved", place);
        self.mouse("mousePressed", place);
        self.mouse("mouseReleased", place);
    }

    /// Presses a key by its name, such as `ArrowRight`, `Enter` or `Escape`.
    pub(crate) fn key(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "Tab" => (9, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            " " => (32, " "),
            other => panic!("the key {other} is not known here"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types into the element in focus.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Keeps what the window shows, or all of the page.
    pub(crate) fn screenshot(&mut self, name: &str, whole: bool) {
        let shot =
            self.call("Page.captureScreenshot", json!({ "format": "png", "captureBeyondViewport": whole }));
        keep(&format!("{name}.png"), &shot["data"]);
    }

    pub(crate) fn print(&mut self, name: &str) {
        let file = self.call("Page.printToPDF", json!({ "printBackground": true }));
        keep(&format!("{name}.pdf"), &file["data"]);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its pipes close with it, which ends the reading thread.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where screenshots are kept.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser")
}

fn decoded(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(digit).collect();
    let word = |chunk: &[u32]| (0..4).fold(0, |w, i| w << 6 | chunk.get(i).copied().unwrap_or(0));
    digits.chunks(4).flat_map(|c| (1..c.len()).map(move |i| (word(c) >> (24 - 8 * i)) as u8)).collect()
}

fn keep(name: &str, data: &Value) {
    let folder = folder();
    std::fs::create_dir_all(&folder).unwrap();
    let bytes = decoded(data.as_str().unwrap());
    assert!(bytes.len() > 1000, "{name} is empty");
    File::create(folder.join(name)).unwrap().write_all(&bytes).unwrap();
}
