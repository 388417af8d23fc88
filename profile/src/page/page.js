"use strict";
// Fills the page: numbers, advice, tables, and the charts' drawing.

// The device computes, then the reasons for which it waits.
const PART_COLOURS = ["kernel", "transfer", "other", "submission", "build", "call"];
const FEW_ROWS = 15;

// A table whose columns sort. A column is { title, value(row), text(row), kind }.
function table(place, columns, rows, options = {}) {
  if (rows.length === 0) {
    place.replaceChildren(make("div", { class: "table" }, make("p", { class: "empty" }, options.empty)));
    return;
  }
  let [sorted, down, all, selected] = [options.sorted ?? 1, true, false, null];
  const body = make("tbody");
  const more = make("div", { class: "more" });
  const heads = columns.map((column, i) =>
    make("th", { scope: "col" }, make("button", { type: "button", onclick: () => sort(i) }, column.title)));
  const fill = () => {
    const order = rows.slice().sort((a, b) => {
      const [x, y] = [columns[sorted].value(a), columns[sorted].value(b)];
      const by = typeof x === "string" ? x.localeCompare(y) : x - y;
      return down ? -by : by;
    });
    const shown = all ? order : order.slice(0, FEW_ROWS);
    body.replaceChildren(...shown.map((row) => {
      const cells = columns.map((column) => {
        const content = column.text(row);
        const cell = make("td", { class: column.bad && column.bad(row) ? "bad" : null }, content);
        if (typeof content === "string" && column === columns[0]) cell.title = content;
        return cell;
      });
      const element = make("tr", {}, ...cells);
      if (options.select) {
        const choose = () => { selected = row; fill(); options.select(row); };
        element.classList.add("selectable");
        element.tabIndex = 0;
        element.setAttribute("aria-selected", String(row === selected));
        element.addEventListener("click", choose);
        element.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { choose(); event.preventDefault(); } });
      }
      return element;
    }));
    heads.forEach((head, i) => {
      if (i === sorted) head.setAttribute("aria-sort", down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
    });
    more.hidden = rows.length <= FEW_ROWS;
    more.replaceChildren(make("button", { type: "button", onclick: () => { all = !all; fill(); } },
      all ? "Show fewer" : `Show all ${countText(rows.length)}`));
  };
  const sort = (i) => {
    down = i === sorted ? !down : typeof columns[i].value(rows[0]) !== "string";
    sorted = i;
    fill();
  };
  if (options.select) selected = rows.slice().sort((a, b) => columns[sorted].value(b) - columns[sorted].value(a))[0];
  place.replaceChildren(make("div", { class: "table" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body), more));
  fill();
}

const textColumn = (title, value) => ({ title, value, text: value });
const numberColumn = (title, value, show = countText) => ({ title, value, text: (row) => { const v = value(row); return v > 0 ? show(v) : "–"; } });

function share(part, whole) {
  const span = make("span", {});
  span.append(make("span", { class: "meter" }, make("i", { style: `width:${whole > 0 ? 100 * part / whole : 0}%` })), percentText(part, whole));
  return span;
}

function overview(data) {
  byId("program").textContent = data.processes.join("; ");
  byId("program").title = data.processes.join("; ");
  document.title = "Profile of " + (data.processes[0] || "a program");
  const busy = data.usage.reduce((sum, u) => sum + u.busy, 0);
  const whole = data.usage.reduce((sum, u) => sum + u.end - u.start, 0);
  const peak = Math.max(0, ...data.memory.map(([, size]) => size));
  const numbers = [
    ["Run time", timeText(data.end)], ["Device computes", whole ? percentText(busy, whole) : "–"],
    ["Commands", countText(data.counts.commands)], ["Calls", countText(data.counts.calls)],
    ["Queues", countText(data.counts.queues)], ["Memory at most", peak ? bytesText(peak) : "–"],
  ];
  byId("numbers").append(...numbers.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  byId("usage").append(...data.usage.map((u) => usageOf(data, u)));
  if (data.usage.length === 0) byId("usage").append(make("p", { class: "empty" }, "No command ran."));
  byId("advice").append(...data.advice.map((a) => make("li", {},
    make("p", { class: "what" }, withCode(a.what)), make("p", { class: "remedy" }, withCode(a.remedy)))));
  if (data.advice.length === 0) {
    byId("advice").append(make("li", {}, make("p", { class: "remedy" }, "Nothing stands out.")));
  }
  byId("remarks").append(...data.remarks.map((text) => make("li", {}, text)));
}

function usageOf(data, usage) {
  const whole = usage.end - usage.start;
  const parts = [["computes", usage.busy, PART_COLOURS[0]]];
  usage.idle.forEach((part, i) => parts.push(["waits for " + data.reasons[i], part, PART_COLOURS[i + 1]]));
  const shown = parts.filter(([, part]) => part > 0);
  const bar = make("div", { class: "bar", role: "img", "aria-label": "Parts of the device's time" },
    ...shown.map(([text, part, colour]) => make("i", { style: `width:${100 * part / whole}%;background:var(--${colour})`, title: `${text}: ${timeText(part)}` })));
  const list = make("ul", { class: "parts" }, ...shown.sort((a, b) => b[1] - a[1]).map(([text, part, colour]) => make("li", {},
    make("span", { class: "swatch", style: `background:var(--${colour})` }), make("span", {}, text),
    make("span", { class: "share" }, percentText(part, whole)), make("span", { class: "time" }, timeText(part)))));
  const device = data.devices[usage.device];
  return make("div", { class: "device" },
    make("div", { class: "name" }, make("span", {}, device.name), make("span", {}, timeText(whole))), bar, list);
}

function tables(data) {
  const kernelTime = data.kernels.reduce((sum, k) => sum + k.total, 0);
  // A lower bound of zero says nothing.
  const bound = (k, text) => (!k.is_lower_bound ? text : text === "0.00" ? "–" : "≥ " + text);
  table(byId("kernel-table"), [
    textColumn("Kernel", (k) => k.name),
    { title: "Time", value: (k) => k.total, text: (k) => timeText(k.total) },
    { title: "Share", value: (k) => k.total, text: (k) => share(k.total, kernelTime) },
    numberColumn("Launches", (k) => k.launches),
    { title: "Median", value: (k) => k.median, text: (k) => timeText(k.median) },
    { title: "Longest", value: (k) => k.most, text: (k) => timeText(k.most) },
    numberColumn("Work-items", (k) => k.items),
    { title: "Group", value: (k) => k.group.reduce((n, d) => n * Math.max(1, d), 1), text: (k) => k.group.map((d) => Math.max(1, d)).join("×") },
    { title: "Sub-group", value: (k) => k.sub_group, text: (k) => (k.sub_group ? String(k.sub_group) : "–") },
    { title: "Local", value: (k) => k.local, text: (k) => (k.local ? bytesText(k.local) : "–") },
    { title: "Private", value: (k) => k.private, text: (k) => (k.private ? bytesText(k.private) : "–") },
    { title: "GB/s", value: (k) => k.bytes / Math.max(1, k.total), text: (k) => (k.bytes ? bound(k, digits(k.bytes / k.total)) : "–") },
    { title: "Gflop/s", value: (k) => k.float_ops / Math.max(1, k.total), text: (k) => (k.float_ops ? bound(k, digits(k.float_ops / k.total)) : "–") },
    numberColumn("On the CPU", (k) => k.fallbacks),
  ].filter((column) => column.title !== "On the CPU" || data.kernels.some((k) => k.fallbacks)), data.kernels,
  { empty: "No kernel ran to its end.", select: (k) => { state.kernel = k; drawHistogram(data, k); } });
  table(byId("transfer-table"), [
    textColumn("Kind", (t) => t.kind),
    { title: "Time", value: (t) => t.total, text: (t) => timeText(t.total) },
    numberColumn("Count", (t) => t.count), numberColumn("Blocking", (t) => t.blocking),
    numberColumn("Bytes", (t) => t.bytes, bytesText), numberColumn("Median size", (t) => t.median, bytesText),
    { title: "GB/s", value: (t) => t.bytes / Math.max(1, t.total), text: (t) => (t.bytes && t.total ? digits(t.bytes / t.total) : "–") },
  ], data.transfers, { empty: "No bytes were moved by commands." });
  table(byId("call-table"), [
    textColumn("Function", (c) => c.name),
    { title: "Time", value: (c) => c.total, text: (c) => timeText(c.total) },
    numberColumn("Count", (c) => c.count),
    { title: "Mean", value: (c) => c.total / c.count, text: (c) => timeText(c.total / c.count) },
    { title: "Longest", value: (c) => c.most, text: (c) => timeText(c.most) },
    { ...numberColumn("Errors", (c) => c.errors), bad: (c) => c.errors > 0 },
  ], data.calls, { empty: "No call was made." });
  table(byId("build-table"), [
    textColumn("Stage", (b) => b.stage),
    { title: "Time", value: (b) => b.time, text: (b) => timeText(b.time) },
    { title: "Start", value: (b) => b.start, text: (b) => timeText(b.start) },
    textColumn("Of", (b) => b.label || "–"),
    { title: "From the cache", value: (b) => Number(b.cached), text: (b) => (/front|generation/.test(b.stage) ? (b.cached ? "yes" : "no") : "–") },
    textColumn("Thread", (b) => b.thread),
  ], data.builds, { empty: "No program was built." });
}

const state = { kernel: null };

function start() {
  const data = JSON.parse(byId("data").textContent);
  readColours();
  overview(data);
  state.kernel = data.kernels[0] || null;
  tables(data);
  const timeline = new Timeline(data);
  byId("legend").append(...KINDS.map((kind, i) => make("li", {},
    make("span", { class: "swatch", style: `background:var(--${kind})` }), KIND_TEXTS[i])));
  const drawAll = () => {
    readColours();
    timeline.density = null;
    timeline.draw();
    drawHistogram(data, state.kernel);
    drawRoofline(data);
    drawMemory(data);
  };
  drawAll();
  let waiting = 0;
  new ResizeObserver(() => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(drawAll); }).observe(document.querySelector("main"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  window.pyroclastTimeline = timeline;
}

start();
