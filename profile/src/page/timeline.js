"use strict";
// The timeline: rows of queues and threads on a canvas. An event is
// [start, duration, text, kind, four details]; rows are sorted by start, and their events do not overlap
// (calls in threads may nest).

const KINDS = ["call", "wait", "error", "build", "kernel", "transfer", "other"];
const KIND_TEXTS = ["Call", "Waiting call", "Failed call", "Build", "Kernel", "Transfer", "Marker or barrier"];
const AXIS = 26;
const ROW = 26;
const GROUP_GAP = 10;

class Timeline {
  constructor(data) {
    this.data = data;
    this.rows = data.rows;
    this.end = Math.max(1, data.end);
    this.from = 0;
    this.to = this.end;
    this.canvas = byId("canvas");
    this.strip = byId("overview-strip");
    this.tip = byId("tip");
    this.query = "";
    this.hits = [];
    this.hit = -1;
    this.hovered = null;
    this.selection = null;
    this.layOut(byId("canvas").clientWidth);
    for (const row of this.rows) row.longest = row.events.reduce((most, e) => Math.max(most, e[1]), 0);
    this.listen();
  }

  // Places the rows. Without a column for names they stand above the events.
  layOut(width) {
    this.width = width;
    this.nameHeight = this.labels > 0 ? 0 : 16;
    let y = AXIS;
    this.tops = this.rows.map((row, i) => {
      if (i > 0 && row.group !== this.rows[i - 1].group) y += GROUP_GAP;
      if (row.name) y += this.nameHeight;
      y += ROW;
      return y - ROW;
    });
    this.height = Math.max(90, y + 10);
  }

  get labels() { return this.width < 640 ? 0 : 230; }
  x(time) { return this.labels + (time - this.from) / (this.to - this.from) * (this.width - this.labels); }
  time(x) { return this.from + (x - this.labels) / (this.width - this.labels) * (this.to - this.from); }

  // Shows an interval, of at least 100 ns.
  show(from, to) {
    let span = Math.min(Math.max(to - from, 100), this.end * 1.02);
    let start = (from + to) / 2 - span / 2;
    start = Math.min(Math.max(start, -this.end * 0.01), this.end * 1.01 - span);
    this.from = start;
    this.to = start + span;
    this.request();
  }

  zoom(factor, at) {
    const middle = at === undefined ? (this.from + this.to) / 2 : at;
    const span = Math.min(Math.max((this.to - this.from) * factor, 100), this.end * 1.02);
    const part = (middle - this.from) / (this.to - this.from);
    this.show(middle - part * span, middle + (1 - part) * span);
  }

  move(part) {
    const by = (this.to - this.from) * part;
    this.show(this.from + by, this.to + by);
  }

  request() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  // Index of the first event that may be visible.
  first(row) {
    const least = this.from - row.longest;
    let [low, high] = [0, row.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.events[middle][0] < least) low = middle + 1; else high = middle;
    }
    return low;
  }

  draw() {
    if (this.width !== this.canvas.clientWidth) this.layOut(this.canvas.clientWidth);
    const [context] = contextOf(this.canvas, this.height);
    context.font = "12px " + colours.sans;
    context.textBaseline = "middle";
    this.drawGrid(context);
    if (this.rows.length === 0) {
      context.fillStyle = colours.soft;
      context.fillText("Nothing was recorded.", this.labels + 12, AXIS + 20);
    }
    this.rows.forEach((row, i) => this.drawRow(context, row, this.tops[i]));
    this.drawLabels(context);
    if (this.selection) {
      const [a, b] = this.selection.map((t) => this.x(t)).sort((p, q) => p - q);
      context.fillStyle = colours.accent;
      context.globalAlpha = 0.16;
      context.fillRect(a, AXIS, b - a, this.height - AXIS);
      context.globalAlpha = 1;
    }
    this.drawStrip();
  }

  drawGrid(context) {
    const span = this.to - this.from;
    const wanted = span / Math.max(2, (this.width - this.labels) / 110);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= wanted);
    context.fillStyle = colours.faint;
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      if (x < this.labels) continue;
      context.moveTo(x, AXIS - 5);
      context.lineTo(x, this.height);
      if (x < this.width - 46 && t >= 0) context.fillText(this.tickText(t, step), x + 4, AXIS / 2);
    }
    context.stroke();
  }

  tickText(t, step) {
    const [unit, size] = this.end < 1e4 ? ["ns", 1] : this.end < 1e7 ? ["µs", 1e3] : this.end < 1e10 ? ["ms", 1e6] : ["s", 1e9];
    const decimals = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / size) - 1e-9)));
    return (t / size).toFixed(decimals) + " " + unit;
  }

  drawRow(context, row, top) {
    const { events } = row;
    const [left, right] = [this.labels, this.width];
    const scale = (right - left) / (this.to - this.from);
    const texts = this.data.texts;
    // Events within a pixel are drawn as one.
    let [runStart, runEnd, runKind] = [-1, -1, -1];
    const flush = () => {
      if (runStart < 0) return;
      context.fillStyle = colours[KINDS[runKind]];
      context.fillRect(runStart, top + 3, Math.max(runEnd - runStart, 1), ROW - 6);
      runStart = -1;
    };
    context.globalAlpha = this.query ? 0.35 : 1;
    const named = [];
    for (let i = this.first(row); i < events.length; i += 1) {
      const event = events[i];
      if (event[0] > this.to) break;
      let a = left + (event[0] - this.from) * scale;
      let b = a + event[1] * scale;
      if (b < left) continue;
      a = Math.max(a, left);
      b = Math.min(b, right);
      if (b - a < 1.5) {
        if (runStart >= 0 && event[3] === runKind && a - runEnd < 0.7) { runEnd = Math.max(runEnd, b); continue; }
        flush();
        [runStart, runEnd, runKind] = [a, b, event[3]];
        continue;
      }
      flush();
      context.fillStyle = colours[KINDS[event[3]]];
      context.fillRect(a, top + 3, Math.max(b - a - (b - a > 4 ? 1 : 0), 1), ROW - 6);
      // A nested event covers the name of the outer one.
      const outer = named[named.length - 1];
      if (outer && a < outer[2]) outer[2] = a;
      if (b - a > 34) named.push([event, a, b]);
    }
    flush();
    for (const [event, a, b] of named) {
      if (b - a <= 34) continue;
      const dark = event[3] >= 2;
      context.fillStyle = dark ? colours["on-dark"] : colours.text;
      const room = Math.floor((b - a - 10) / 6.6);
      const text = texts[event[2]];
      context.fillText(text.length > room ? text.slice(0, Math.max(1, room - 1)) + "…" : text, a + 5, top + ROW / 2 + 0.5);
    }
    context.globalAlpha = 1;
    this.drawHits(context, row, top, scale);
  }

  drawHits(context, row, top, scale) {
    if (!this.query && !(this.hovered && this.hovered.row === row)) return;
    const mark = (event, strong) => {
      const a = Math.max(this.labels, this.x(event[0]));
      const b = Math.min(this.width, this.x(event[0] + event[1]));
      if (b < this.labels || a > this.width) return;
      context.fillStyle = colours[KINDS[event[3]]];
      context.fillRect(a, top + 3, Math.max(b - a, 2), ROW - 6);
      if (strong) {
        context.strokeStyle = colours.hit;
        context.lineWidth = 2;
        context.strokeRect(a - 1, top + 2, Math.max(b - a, 2) + 2, ROW - 4);
      }
    };
    let last = -10;
    if (this.query) {
      for (let i = this.first(row); i < row.events.length && row.events[i][0] <= this.to; i += 1) {
        const event = row.events[i];
        const x = this.x(event[0] + event[1]);
        if (!this.matching.has(event[2]) || x - last < 0.5) continue;
        last = x;
        mark(event, false);
      }
      const hit = this.hits[this.hit];
      if (hit && hit.row === row) mark(hit.event, true);
    }
    if (this.hovered && this.hovered.row === row) mark(this.hovered.event, true);
  }

  drawLabels(context) {
    if (this.labels > 0) {
      context.fillStyle = colours.card;
      context.fillRect(0, 0, this.labels, this.height);
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(this.labels - 0.5, 0);
      context.lineTo(this.labels - 0.5, this.height);
      context.stroke();
    }
    this.rows.forEach((row, i) => {
      const y = this.tops[i] + ROW / 2;
      const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
      if (this.labels > 0) {
        context.fillStyle = colours.text;
        context.fillText(cut(row.name, 25), 14, y);
        const x = 14 + context.measureText(cut(row.name, 25) + "  ").width;
        const room = Math.floor((this.labels - x - 8) / 7);
        context.fillStyle = colours.faint;
        if (room > 3) context.fillText(cut(row.detail, room), x, y);
      } else if (row.name) {
        context.fillStyle = colours.soft;
        context.fillText(cut(`${row.name}  ${row.detail}`, 52), 6, this.tops[i] - this.nameHeight / 2 + 2);
      }
    });
  }

  // The whole run, with the visible part.
  drawStrip() {
    const [context, width] = contextOf(this.strip, 36);
    if (!this.density || this.density.length !== width) this.density = this.countDensity(width);
    this.density.forEach(([kernel, transfer, call], x) => {
      let y = 34;
      for (const [part, colour] of [[kernel, "kernel"], [transfer, "transfer"], [call, "call"]]) {
        const h = Math.min(y - 2, part * 30);
        context.fillStyle = colours[colour];
        context.fillRect(x, y - h, 1, h);
        y -= h;
      }
    });
    const [a, b] = [this.from, this.to].map((t) => Math.min(width, Math.max(0, t / this.end * width)));
    context.fillStyle = colours.card;
    context.globalAlpha = 0.72;
    context.fillRect(0, 0, a, 36);
    context.fillRect(b, 0, width - b, 36);
    context.globalAlpha = 1;
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.strokeRect(Math.max(1, a), 1, Math.max(3, Math.min(b, width - 1) - Math.max(1, a)), 34);
  }

  // Part of each pixel's time with kernels, transfers and calls.
  countDensity(width) {
    const density = Array.from({ length: width }, () => [0, 0, 0]);
    const scale = width / this.end;
    for (const row of this.rows) {
      for (const [start, length, , kind] of row.events) {
        const part = kind === 4 ? 0 : kind === 5 ? 1 : kind < 2 ? 2 : -1;
        if (part < 0) continue;
        const [a, b] = [start * scale, (start + length) * scale];
        for (let x = Math.floor(a); x <= Math.min(width - 1, Math.floor(b)); x += 1) {
          density[x][part] += Math.max(0, Math.min(b, x + 1) - Math.max(a, x)) * (part === 2 ? 0.35 : 1);
        }
      }
    }
    return density;
  }

  find(x, y) {
    const index = this.tops.findIndex((top) => y >= top && y < top + ROW);
    if (index < 0 || x < this.labels) return null;
    const row = this.rows[index];
    const [t, slack] = [this.time(x), (this.to - this.from) / this.width * 2];
    let found = null;
    for (let i = this.first(row); i < row.events.length && row.events[i][0] <= t + slack; i += 1) {
      const event = row.events[i];
      if (event[0] + event[1] >= t - slack && (!found || event[1] <= found.event[1])) found = { row, event };
    }
    return found;
  }

  showTip(found, x, y) {
    this.tip.hidden = !found;
    if (!found) return;
    const [start, length, text, kind, a, b, c, d] = found.event;
    const texts = this.data.texts;
    const lines = [`${timeText(length)} from ${timeText(start)}`];
    if (kind >= 4) {
      lines.push(`queued ${timeText(Math.max(0, start - a))} before`);
      if (b > 0) lines.push(`${bytesText(b)}${length > 0 ? ", " + digits(b / length) + " GB/s" : ""}`);
      if (kind === 4 && c > 1) lines.push(`${countText(c)} work-items`);
      if (d) lines.push("blocking");
    } else if (kind === 3) {
      if (texts[a]) lines.push(texts[a]);
      if (b) lines.push("from the cache");
    } else {
      if (a) lines.push(`error −${a}`);
      if (b) lines.push("did not return");
    }
    this.tip.replaceChildren(make("b", {}, texts[text] || "event"), ...lines.map((line) => make("span", {}, line)));
    const box = this.tip.getBoundingClientRect();
    const left = Math.min(x + 14, this.width - box.width - 8);
    const below = y + 36 + 18;
    this.tip.style.left = Math.max(8, left) + "px";
    this.tip.style.top = (below + box.height > this.height + 36 ? Math.max(4, y + 36 - box.height - 12) : below) + "px";
  }

  search(query) {
    this.query = query.trim().toLowerCase();
    this.matching = new Set();
    this.hits = [];
    this.hit = -1;
    if (this.query) {
      this.data.texts.forEach((text, i) => { if (text.toLowerCase().includes(this.query)) this.matching.add(i); });
      for (const row of this.rows) {
        for (const event of row.events) if (this.matching.has(event[2])) this.hits.push({ row, event });
      }
      this.hits.sort((a, b) => a.event[0] - b.event[0]);
    }
    this.tellHits();
    this.request();
  }

  tellHits() {
    const count = this.hits.length;
    byId("hits").textContent = !this.query ? "" : this.hit < 0 ? countText(count) : `${countText(this.hit + 1)} of ${countText(count)}`;
  }

  step(by) {
    if (this.hits.length === 0) return;
    this.hit = this.hit < 0 ? (by > 0 ? 0 : this.hits.length - 1) : (this.hit + by + this.hits.length) % this.hits.length;
    const { event } = this.hits[this.hit];
    const span = Math.min(this.to - this.from, Math.max(event[1] * 12, 2000));
    this.show(event[0] + event[1] / 2 - span / 2, event[0] + event[1] / 2 + span / 2);
    this.tellHits();
  }

  listen() {
    const { canvas, strip } = this;
    const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("wheel", (event) => {
      const [x] = at(event);
      // A pinch or the wheel zooms; a sideways wheel moves.
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.move(event.deltaX / this.width);
      else this.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.0035), this.time(x));
    }, { passive: false });
    const pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      canvas.classList.add("dragging");
      this.selection = event.shiftKey ? [this.time(at(event)[0]), this.time(at(event)[0])] : null;
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      const before = pointers.get(event.pointerId);
      if (!before) {
        const found = this.find(x, y);
        if (found || this.hovered) { this.hovered = found; this.request(); }
        this.showTip(found, x, y);
        return;
      }
      this.showTip(null);
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        const [old, now] = [Math.abs(before[0] - other[0]), Math.abs(x - other[0])];
        if (now > 8 && old > 8) this.zoom(old / now, this.time((x + other[0]) / 2));
      } else if (this.selection) {
        this.selection[1] = this.time(x);
        this.request();
      } else {
        this.move((before[0] - x) / (this.width - this.labels));
      }
      pointers.set(event.pointerId, [x, y]);
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      canvas.classList.remove("dragging");
      if (this.selection) {
        const [a, b] = this.selection.sort((p, q) => p - q);
        this.selection = null;
        if (this.x(b) - this.x(a) > 4) this.show(a, b); else this.request();
      }
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => { this.hovered = null; this.showTip(null); this.request(); });
    canvas.addEventListener("dblclick", (event) => {
      const found = this.find(...at(event));
      if (found) this.show(found.event[0] - found.event[1] * 0.5, found.event[0] + found.event[1] * 1.5);
    });
    canvas.addEventListener("keydown", (event) => {
      const actions = {
        ArrowLeft: () => this.move(-0.15), ArrowRight: () => this.move(0.15), "+": () => this.zoom(0.7), "=": () => this.zoom(0.7),
        "-": () => this.zoom(1.4), 0: () => this.show(0, this.end), Home: () => this.show(0, this.to - this.from),
        End: () => this.show(this.end - (this.to - this.from), this.end),
      };
      const action = actions[event.key];
      if (action && !event.ctrlKey && !event.metaKey) { action(); event.preventDefault(); }
    });
    let held = false;
    const jump = (event) => {
      const box = strip.getBoundingClientRect();
      const t = (event.clientX - box.left) / box.width * this.end;
      const half = (this.to - this.from) / 2;
      this.show(t - half, t + half);
    };
    strip.addEventListener("pointerdown", (event) => { held = true; strip.setPointerCapture(event.pointerId); jump(event); });
    strip.addEventListener("pointermove", (event) => { if (held) jump(event); });
    strip.addEventListener("pointerup", () => { held = false; });
    byId("search").addEventListener("input", (event) => this.search(event.target.value));
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") { this.step(event.shiftKey ? -1 : 1); event.preventDefault(); }
      if (event.key === "Escape") { event.target.value = ""; this.search(""); }
    });
    byId("next").addEventListener("click", () => this.step(1));
    byId("previous").addEventListener("click", () => this.step(-1));
    byId("zoom-in").addEventListener("click", () => this.zoom(0.5));
    byId("zoom-out").addEventListener("click", () => this.zoom(2));
    byId("zoom-all").addEventListener("click", () => this.show(0, this.end));
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
        byId("search").focus();
        event.preventDefault();
      }
    });
  }
}
