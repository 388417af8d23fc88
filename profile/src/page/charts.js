"use strict";
// Histogram of launch times, roofline, and the size of memory objects.

// Values of a logarithmic axis: powers of ten, with 2 and 5 if there is room.
function logTicks(least, most, room) {
  const ticks = [];
  const decades = Math.log10(most / least);
  const factors = room / decades > 190 ? [1, 2, 5] : [1];
  for (let p = Math.floor(Math.log10(least)); p <= Math.ceil(Math.log10(most)); p += 1) {
    for (const f of factors) {
      const v = f * 10 ** p;
      if (v >= least * 0.999 && v <= most * 1.001) ticks.push(v);
    }
  }
  return ticks;
}

function empty(canvas, height, text) {
  const [context] = contextOf(canvas, height);
  context.font = "14px " + colours.sans;
  context.fillStyle = colours.soft;
  context.textBaseline = "middle";
  context.fillText(text, 2, 18);
  canvas.style.height = "36px";
}

function drawHistogram(data, kernel) {
  const canvas = byId("histogram");
  if (!kernel) {
    byId("histogram-title").textContent = "Launch times";
    empty(canvas, 190, "No kernel ran to its end.");
    return;
  }
  byId("histogram-title").replaceChildren(withCode(`Launch times of \`${kernel.name}\``));
  const per = data.bucketsPerOctave;
  const start = (bucket) => 2 ** (bucket / per);
  let first = kernel.histogram[0][0] - 2;
  let last = kernel.histogram[kernel.histogram.length - 1][0] + 3;
  // At least five octaves, so that single bars are no walls.
  const spare = Math.max(0, 5 * per - (last - first));
  first = Math.max(0, first - Math.floor(spare / 2));
  last = Math.max(last + Math.ceil(spare / 2), first + 5 * per);
  const [context, width] = contextOf(canvas, 190);
  const [left, right, top, bottom] = [46, width - 12, 26, 158];
  const most = Math.max(...kernel.histogram.map(([, n]) => n));
  const x = (t) => left + (Math.log2(t) * per - first) / (last - first) * (right - left);
  context.font = "12px " + colours.sans;
  context.textBaseline = "middle";
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.soft;
  context.textAlign = "right";
  context.beginPath();
  const step = Math.ceil(most / 4);
  for (let count = 0; count <= most; count += step) {
    const y = Math.round(bottom - (bottom - top) * count / most) + 0.5;
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.fillText(countText(count), left - 8, y);
  }
  context.stroke();
  context.fillStyle = colours.kernel;
  for (const [bucket, n] of kernel.histogram) {
    const [a, b] = [x(start(bucket)), x(start(bucket + 1))];
    const h = Math.max(1.5, n / most * (bottom - top));
    context.fillRect(a + 0.5, bottom - h, Math.max(1, b - a - 1), h);
  }
  context.fillStyle = colours.soft;
  context.textAlign = "center";
  let edge = -1e9;
  for (const t of logTicks(start(first), start(last), right - left)) {
    if (x(t) - edge < 56 || x(t) > right - 16 || x(t) < left + 10) continue;
    edge = x(t);
    context.fillText(timeText(t), x(t), bottom + 16);
  }
  const median = Math.min(right, Math.max(left, x(Math.max(1, kernel.median))));
  context.strokeStyle = colours.text;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(median, 14);
  context.lineTo(median, bottom);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = colours.text;
  const toLeft = median > right - 130;
  context.textAlign = toLeft ? "right" : "left";
  context.fillText("median " + timeText(kernel.median), median + (toLeft ? -6 : 6), 11);
  context.textAlign = "left";
}

// Kernels by operations per byte and operations per second. The roof is the best of this run: nothing else is known of
// the device.
function drawRoofline(data) {
  const canvas = byId("roof");
  const points = data.kernels
    .filter((k) => k.bytes > 0 && k.float_ops + k.int_ops > 0 && k.total > 0)
    .map((k) => {
      const ops = k.float_ops > 0 ? k.float_ops : k.int_ops;
      return { kernel: k, x: ops / k.bytes, y: ops / k.total, isInt: k.float_ops === 0, bandwidth: k.bytes / k.total };
    });
  const note = byId("roof-note");
  if (points.length === 0) {
    empty(canvas, 340, "No kernel has an estimate of its operations and bytes.");
    note.textContent = "";
    return;
  }
  const bandwidth = Math.max(...points.map((p) => p.bandwidth));
  const peak = Math.max(...points.map((p) => p.y));
  const height = 340;
  const [context, width] = contextOf(canvas, height);
  const [left, right, top, bottom] = [64, width - 16, 12, height - 46];
  const ridge = peak / bandwidth;
  // At least two decades each way.
  const xs = [...points.map((p) => p.x), ridge, ridge / 9, ridge * 9];
  const ys = [...points.map((p) => p.y), peak / 9];
  const [x0, x1] = [10 ** Math.floor(Math.log10(Math.min(...xs) / 2)), 10 ** Math.ceil(Math.log10(Math.max(...xs) * 2))];
  const [y0, y1] = [10 ** Math.floor(Math.log10(Math.min(...ys) / 2)), 10 ** Math.ceil(Math.log10(peak * 2))];
  const x = (v) => left + Math.log10(v / x0) / Math.log10(x1 / x0) * (right - left);
  const y = (v) => bottom - Math.log10(v / y0) / Math.log10(y1 / y0) * (bottom - top);
  const number = (v) => (v >= 1 ? countText(v) : v.toPrecision(1).replace(/e.*/, (e) => e));
  context.font = "12px " + colours.sans;
  context.textBaseline = "middle";
  context.strokeStyle = colours.grid;
  context.lineWidth = 1;
  context.fillStyle = colours.soft;
  context.beginPath();
  for (const v of logTicks(x0, x1, right - left)) {
    const at = Math.round(x(v)) + 0.5;
    context.moveTo(at, top);
    context.lineTo(at, bottom);
    context.textAlign = "center";
    context.fillText(number(v), Math.min(at, right - 8), bottom + 14);
  }
  for (const v of logTicks(y0, y1, (bottom - top) * 2)) {
    const at = Math.round(y(v)) + 0.5;
    context.moveTo(left, at);
    context.lineTo(right, at);
    context.textAlign = "right";
    context.fillText(number(v), left - 8, at);
  }
  context.stroke();
  context.textAlign = "center";
  context.fillText("operations per byte of global memory", (left + right) / 2, height - 12);
  context.save();
  context.translate(12, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText("10⁹ operations per second", 0, 0);
  context.restore();
  context.strokeStyle = colours.soft;
  context.lineWidth = 1.5;
  context.beginPath();
  const entry = Math.max(x0, y0 / bandwidth);
  context.moveTo(x(entry), y(entry * bandwidth));
  context.lineTo(x(Math.min(x1, ridge)), y(Math.min(peak, x1 * bandwidth)));
  context.lineTo(x(x1), y(peak));
  context.stroke();
  context.fillStyle = colours.soft;
  context.textAlign = "right";
  const isBound = points.some((p) => p.y === peak && p.kernel.is_lower_bound);
  context.fillText(`best rate: ${isBound ? "≥ " : ""}${digits(peak)} Gop/s`, right - 6, y(peak) - 10);
  context.textAlign = "left";
  const total = Math.max(1, data.kernels.reduce((sum, k) => sum + k.total, 0));
  const taken = [];
  for (const p of points) {
    const [px, py] = [x(p.x), y(p.y)];
    const radius = 5 + 9 * Math.sqrt(p.kernel.total / total);
    context.beginPath();
    context.arc(px, py, radius, 0, 2 * Math.PI);
    context.fillStyle = p.isInt ? colours.other : colours.kernel;
    context.strokeStyle = p.isInt ? colours.other : colours.kernel;
    context.lineWidth = 2;
    context.globalAlpha = 0.85;
    if (p.kernel.is_lower_bound) {
      context.stroke();
      context.beginPath();
      context.moveTo(px, py - radius);
      context.lineTo(px, py - radius - 14);
      context.moveTo(px - 4, py - radius - 9);
      context.lineTo(px, py - radius - 14);
      context.lineTo(px + 4, py - radius - 9);
      context.stroke();
    } else {
      context.fill();
    }
    context.globalAlpha = 1;
    context.fillStyle = colours.text;
    const text = p.kernel.name;
    const w = context.measureText(text).width;
    const toLeft = px + radius + 6 + w > right;
    const tx = toLeft ? px - radius - 6 - w : px + radius + 6;
    if (taken.some(([a, b, c]) => Math.abs(b - py) < 14 && tx < c && tx + w > a)) continue;
    taken.push([tx, py, tx + w]);
    context.strokeStyle = colours.card;
    context.lineWidth = 4;
    context.strokeText(text, tx, py);
    context.fillText(text, tx, py);
  }
  const bounds = points.some((p) => p.kernel.is_lower_bound);
  note.textContent = "Operations and bytes are the compiler's estimates for a work-item of each launch: both sides of each branch " +
    "count, and caches are not considered. The roof is the best bandwidth and rate of these kernels, not the device's peak." + (points.some((p) => p.isInt) ? " Purple: integer operations." : "") +
    (bounds ? " Rings with arrows are lower bounds: those kernels have loops whose length depends on data or on the work-item, which count once." : "");
}

function drawMemory(data) {
  const canvas = byId("memory-chart");
  if (data.memory.length === 0) {
    empty(canvas, 150, "No memory objects were created.");
    return;
  }
  const [context, width] = contextOf(canvas, 150);
  const [left, right, top, bottom] = [70, width - 12, 10, 124];
  const most = Math.max(1, ...data.memory.map(([, size]) => size));
  const x = (t) => left + t / Math.max(1, data.end) * (right - left);
  const y = (size) => bottom - size / most * (bottom - top);
  context.font = "12px " + colours.sans;
  context.textBaseline = "middle";
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.soft;
  context.textAlign = "right";
  context.beginPath();
  for (const part of [0, 0.5, 1]) {
    const at = Math.round(y(most * part)) + 0.5;
    context.moveTo(left, at);
    context.lineTo(right, at);
    context.fillText(part === 0 ? "0" : bytesText(Math.round(most * part)), left - 8, at);
  }
  context.stroke();
  context.beginPath();
  context.moveTo(left, bottom);
  let height = bottom;
  for (const [time, size] of data.memory) {
    context.lineTo(x(time), height);
    height = y(size);
    context.lineTo(x(time), height);
  }
  context.lineTo(right, height);
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(right, bottom);
  context.closePath();
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.12;
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = colours.soft;
  context.textAlign = "left";
  context.fillText("0", left, bottom + 14);
  context.textAlign = "right";
  context.fillText(timeText(data.end), right, bottom + 14);
}
