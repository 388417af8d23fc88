//! The page of `pyroclast profile` in a browser: the timeline, the search and the tables react to events of
//! the mouse and the keyboard. Skipped where no Chromium is installed.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use test_support::api::rig::*;
use test_support::api::*;
use test_support::browser::{self, Browser};
use test_support::skipped;

/// Set in the child process that is profiled.
const ROLE: &str = "PROFILED_PAGE_PROGRAM";
const SOURCE: &str = "
kernel void often(global int *p) { int i = get_global_id(0); p[i] = p[i] * 3 + 1; }
kernel void rarely(global int *p, int n) {
    for (int i = 0; i < n; i++) p[get_global_id(0)] ^= i * p[i & 63];
}";
const OFTEN: usize = 9;

#[test]
fn program() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let rig = Rig::new(SOURCE);
    let queues = [rig.queue(0), rig.queue(0)];
    let (often, rarely, buffer) = (rig.kernel("often"), rig.kernel("rarely"), rig.buffer(&[1i32; 64]));
    set(often, 0, buffer);
    set(rarely, 0, buffer);
    set(rarely, 1, 2_000_000i32);
    for _ in 0..OFTEN {
        launch(queues[0], often, 64, &[]);
        read::<i32>(queues[0], buffer, 1);
    }
    launch(queues[1], rarely, 64, &[]);
    // SAFETY: a live queue.
    ok(unsafe { clFinish(queues[1]) });
}

/// The page of a run of [`program`], in a folder that is removed at the end.
struct Page(PathBuf);

impl Page {
    fn new(name: &str) -> Page {
        let folder = std::env::temp_dir().join(format!("pyroclast-page-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let page = Page(folder);
        let status = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
            .args(["profile", "--quiet", "--html"])
            .arg(page.file())
            .arg("--")
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "program"])
            .env(ROLE, "1")
            .env("PYROCLAST_DEVICES", "cpu")
            .output()
            .unwrap()
            .status;
        assert!(status.success());
        page
    }

    fn file(&self) -> PathBuf {
        self.0.join("report.html")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Opens the page of a run; `None`, with a message, if the test is to be skipped.
fn open(name: &str) -> Option<(Page, Browser)> {
    let program = browser::program();
    if skipped::without("chromium", program.is_none()) {
        return None;
    }
    let page = Page::new(name);
    let browser = Browser::open(&program?, Path::new(&page.file()), 1280, 900);
    Some((page, browser))
}

/// The visible interval.
fn view(browser: &mut Browser) -> (f64, f64) {
    let view = browser.evaluate("[pyroclastTimeline.from, pyroclastTimeline.to]");
    (view[0].as_f64().unwrap(), view[1].as_f64().unwrap())
}

fn close_to(a: f64, b: f64, slack: f64) -> bool {
    (a - b).abs() <= slack
}

/// Moves the pressed mouse from one point to another.
fn drag(browser: &mut Browser, from: (f64, f64), to: (f64, f64), more: &Value) {
    browser.mouse("mousePressed", from, more);
    for step in 1..=4 {
        let part = f64::from(step) / 4.0;
        let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        browser.mouse("mouseMoved", at, more);
    }
    browser.mouse("mouseReleased", to, more);
}

#[test]
fn the_timeline_zooms_and_moves() {
    let Some((_page, mut browser)) = open("timeline") else { return };
    let [left, top, width, height] = browser.place_of("byId('canvas')");
    let labels = browser.evaluate("pyroclastTimeline.labels").as_f64().unwrap();
    let at = |part: f64| (left + labels + (width - labels) * part, top + height / 2.0);
    let (from, to) = view(&mut browser);
    let span = to - from;
    // The wheel zooms around the time under the pointer.
    let under = from + span * 0.25;
    browser.mouse("mouseWheel", at(0.25), &json!({ "deltaX": 0, "deltaY": -120 }));
    let (from, to) = view(&mut browser);
    assert!(to - from < span * 0.9, "{from} to {to} of {span}");
    assert!(close_to(from + (to - from) * 0.25, under, span * 0.01), "{from} to {to}, not around {under}");
    // Dragging moves by the distance.
    drag(&mut browser, at(0.6), at(0.5), &Value::Null);
    let (moved, end) = view(&mut browser);
    assert!(close_to(moved - from, (to - from) * 0.1, span * 0.01), "{from} to {moved}");
    // Shift and dragging shows the range.
    let wanted = (moved + (end - moved) * 0.3, moved + (end - moved) * 0.4);
    drag(&mut browser, at(0.3), at(0.4), &json!({ "modifiers": 8 }));
    let shown = view(&mut browser);
    assert!(close_to(shown.0, wanted.0, span * 0.01) && close_to(shown.1, wanted.1, span * 0.01));
    // Keys; the canvas has the focus since the mouse was pressed in it.
    browser.key("ArrowRight", "");
    assert!(view(&mut browser).0 > shown.0);
    browser.key("-", "-");
    let wider = view(&mut browser);
    assert!(wider.1 - wider.0 > shown.1 - shown.0);
    browser.key("0", "0");
    let all = view(&mut browser);
    assert!(close_to(all.1 - all.0, span, span * 0.03), "{all:?} of {span}");
    browser.click("byId('zoom-in')");
    let (from, to) = view(&mut browser);
    assert!(close_to(to - from, span / 2.0, span * 0.03));
    assert_eq!(browser.exceptions, [""; 0]);
}

/// The place in the window of the first event with this text.
fn place_of_event(browser: &mut Browser, text: &str) -> (f64, f64) {
    let [left, top, ..] = browser.place_of("byId('canvas')");
    let place = browser.evaluate(&format!(
        "((t) => {{ for (const [i, row] of t.rows.entries()) for (const e of row.events)
            if (t.data.texts[e[2]] === '{text}') return [t.x(e[0] + e[1] / 2), t.tops[i] + ROW / 2]; }})(pyroclastTimeline)"
    ));
    (left + place[0].as_f64().unwrap(), top + place[1].as_f64().unwrap())
}

#[test]
fn events_are_found_and_explained() {
    let Some((_page, mut browser)) = open("search") else { return };
    // "/" moves the focus to the search.
    browser.key("/", "/");
    browser.ask("Input.insertText", json!({ "text": "often" }));
    assert_eq!(browser.evaluate("byId('hits').textContent"), json!(OFTEN.to_string()));
    let all = view(&mut browser);
    browser.key("Enter", "\r");
    assert_eq!(browser.evaluate("byId('hits').textContent"), json!(format!("1 of {OFTEN}")));
    let hit = view(&mut browser);
    assert!(hit.1 - hit.0 < all.1 - all.0);
    let middle = browser.evaluate("((h) => h.event[0] + h.event[1] / 2)(pyroclastTimeline.hits[0])");
    assert!(close_to(middle.as_f64().unwrap(), (hit.0 + hit.1) / 2.0, (hit.1 - hit.0) / 10.0));
    browser.click("byId('previous')");
    assert_eq!(browser.evaluate("byId('hits').textContent"), json!(format!("{OFTEN} of {OFTEN}")));
    browser.click("byId('search')");
    browser.key("Escape", "");
    assert_eq!(browser.evaluate("byId('search').value + byId('hits').textContent"), json!(""));
    browser.click("byId('zoom-all')");
    // The pointer over an event shows its facts; a double click zooms to it.
    let at = place_of_event(&mut browser, "rarely");
    browser.mouse("mouseMoved", at, &json!({ "buttons": 0, "button": "none" }));
    let tip = browser.evaluate("byId('tip').hidden ? '' : byId('tip').textContent");
    let tip = tip.as_str().unwrap();
    assert!(tip.contains("rarely") && tip.contains("64 work-items") && tip.contains("queued"), "{tip}");
    for count in [1, 2] {
        browser.mouse("mousePressed", at, &json!({ "clickCount": count }));
        browser.mouse("mouseReleased", at, &json!({ "clickCount": count }));
    }
    let event = browser.evaluate(
        "((t) => t.rows.flatMap((r) => r.events).find((e) => t.data.texts[e[2]] === 'rarely'))(pyroclastTimeline)",
    );
    let (start, length) = (event[0].as_f64().unwrap(), event[1].as_f64().unwrap());
    let shown = view(&mut browser);
    assert!(
        close_to(shown.0, start - length / 2.0, length) && close_to(shown.1 - shown.0, 2.0 * length, length)
    );
    assert_eq!(browser.exceptions, [""; 0]);
}

/// First cells of a table's rows.
fn first_cells(browser: &mut Browser, table: &str) -> Vec<String> {
    let script = format!(
        "[...document.querySelectorAll('#{table} tbody tr td:first-child')].map((c) => c.textContent)"
    );
    let cells = browser.evaluate(&script);
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

#[test]
fn tables_sort_and_kernels_are_selected() {
    let Some((_page, mut browser)) = open("tables") else { return };
    // By time at first.
    assert_eq!(first_cells(&mut browser, "kernel-table"), ["rarely", "often"]);
    let launches =
        "[...document.querySelectorAll('#kernel-table th button')].find((b) => b.textContent === 'Launches')";
    browser.click(launches);
    assert_eq!(first_cells(&mut browser, "kernel-table"), ["often", "rarely"]);
    assert_eq!(browser.evaluate(&format!("({launches}).parentNode.ariaSort")), json!("descending"));
    browser.click(launches);
    assert_eq!(first_cells(&mut browser, "kernel-table"), ["rarely", "often"]);
    assert_eq!(browser.evaluate(&format!("({launches}).parentNode.ariaSort")), json!("ascending"));
    // Texts sort from A to Z.
    browser.click("document.querySelector('#call-table th button')");
    let mut names = first_cells(&mut browser, "call-table");
    assert!(names.len() > 5 && names.is_sorted(), "{names:?}");
    // All rows, where there are many.
    let more = "document.querySelector('#call-table .more button')";
    if browser.evaluate(&format!("{more}.parentNode.hidden")) == json!(false) {
        browser.click(more);
        let all = first_cells(&mut browser, "call-table");
        assert!(all.len() > names.len() && all.is_sorted(), "{all:?}");
        names = all;
    }
    assert!(names.iter().any(|name| name == "clFinish"), "{names:?}");
    // The histogram is that of the selected kernel.
    for name in ["often", "rarely"] {
        let row = "[...document.querySelectorAll('#kernel-table tbody tr')]";
        browser.click(&format!("{row}.find((r) => r.cells[0].textContent === '{name}')"));
        let title = browser.evaluate("byId('histogram-title').textContent");
        assert_eq!(title, json!(format!("Launch times of {name}")));
    }
    assert_eq!(browser.exceptions, [""; 0]);
}
