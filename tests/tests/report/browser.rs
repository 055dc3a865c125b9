//! A browser without a window, driven over its debugging pipe (Chrome DevTools Protocol).

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// An answer takes at most this long; machines are busy.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Browser {
    child: Child,
    send: File,
    answers: Receiver<Value>,
    last: u64,
    session: Option<String>,
    /// Errors and messages of pages.
    pub(crate) problems: Vec<Value>,
    _profile: TempDir,
}

/// The browser to use: `CTRC_CHROMIUM`, else one of the usual names.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CTRC_CHROMIUM") {
        return Some(path.into());
    }
    let folders = std::env::var_os("PATH")?;
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let (to, from) = (profile.path().join("to"), profile.path().join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status().unwrap();
        assert!(made.success(), "mkfifo");
        // The browser reads from descriptor 3 and writes to 4.
        let child = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<\"$TO\" 4>\"$FROM\"")
            .arg(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--remote-debugging-pipe",
            ])
            .arg(format!(
                "--user-data-dir={}",
                profile.path().join("profile").display()
            ))
            .arg("about:blank")
            .env("TO", &to)
            .env("FROM", &from)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let send = OpenOptions::new().write(true).open(&to).unwrap();
        let mut receive = File::open(&from).unwrap();
        let (tell, answers) = channel();
        thread::spawn(move || {
            let mut whole: Vec<u8> = Vec::new();
            let mut part = vec![0; 1 << 16];
            while let Ok(read @ 1..) = receive.read(&mut part) {
                whole.extend_from_slice(&part[..read]);
                while let Some(end) = whole.iter().position(|byte| *byte == 0) {
                    let message: Vec<u8> = whole.drain(..=end).collect();
                    let Ok(message) = serde_json::from_slice(&message[..end]) else {
                        return;
                    };
                    if tell.send(message).is_err() {
                        return;
                    }
                }
            }
        });
        let mut browser = Self {
            child,
            send,
            answers,
            last: 0,
            session: None,
            problems: Vec::new(),
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": page["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.send.write_all(&bytes).unwrap();
        loop {
            let answer = self
                .answers
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == json!(self.last) {
                assert!(
                    answer.get("error").is_none(),
                    "{method}: {}",
                    answer["error"]
                );
                return answer["result"].clone();
            }
            let what = answer["method"].as_str().unwrap_or_default();
            if matches!(
                what,
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded"
            ) {
                self.problems.push(answer);
            }
        }
    }

    /// What an expression in the page comes to; promises are waited for.
    pub(crate) fn ask(&mut self, expression: &str) -> Value {
        let answer = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Opens a page; where scripts are on, its script has run then.
    pub(crate) fn open(&mut self, file: &Path, hash: &str, scripts: bool) {
        self.call(
            "Emulation.setScriptExecutionDisabled",
            json!({"value": !scripts}),
        );
        // From elsewhere, so that a page is loaded anew where only the hash differs.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        let url = format!("file://{}{hash}", fs::canonicalize(file).unwrap().display());
        self.call("Page.navigate", json!({"url": url}));
        let start = Instant::now();
        let ready = if scripts {
            "location.protocol === 'file:' && document.documentElement?.dataset.ready === 'yes'"
        } else {
            "location.protocol === 'file:' && document.readyState === 'complete'"
        };
        while self.ask(ready) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "{url} does not load");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Follows a link within the page, and waits until it has been followed.
    pub(crate) fn follow(&mut self, hash: &str) {
        self.ask(&format!(
            "new Promise((done) => {{ addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(done)), {{once: true}}); location.hash = {}; }})",
            json!(hash)
        ));
    }

    pub(crate) fn press(&mut self, key: &str) {
        let mut down = json!({"type": "keyDown", "key": key});
        if key.chars().count() == 1 {
            down["text"] = json!(key);
        } else if key == "Enter" {
            down["text"] = json!("\r");
            down["windowsVirtualKeyCode"] = json!(13);
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": "keyUp", "key": key}),
        );
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}),
        );
    }

    /// A picture (base64) of what an expression, an element, shows.
    pub(crate) fn shoot(&mut self, element: &str) -> String {
        let area = self.ask(&format!(
            "(() => {{ const e = {element}; e.scrollIntoView(); const b = e.getBoundingClientRect(); return {{x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height, scale: 1}}; }})()"
        ));
        let shot = self.call(
            "Page.captureScreenshot",
            json!({"format": "png", "clip": area, "captureBeyondViewport": true}),
        );
        shot["data"].as_str().unwrap().to_owned()
    }

    pub(crate) fn prefer(&mut self, scheme: &str) {
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser is the child itself (`exec`); its own children end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
