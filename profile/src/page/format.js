"use strict";
// Text of quantities, colours, and small helpers for elements.

const digits = (v) => (v < 10 ? v.toFixed(2) : v < 100 ? v.toFixed(1) : Math.round(v).toString());

function timeText(ns) {
  if (ns < 1e3) return Math.round(ns) + " ns";
  if (ns < 1e6) return digits(ns / 1e3) + " µs";
  if (ns < 1e9) return digits(ns / 1e6) + " ms";
  return digits(ns / 1e9) + " s";
}

function bytesText(b) {
  if (b < 1024) return b + " B";
  if (b < 1048576) return digits(b / 1024) + " KiB";
  if (b < 1073741824) return digits(b / 1048576) + " MiB";
  return digits(b / 1073741824) + " GiB";
}

const countText = (n) => n.toLocaleString("en-US");
const percentText = (part, whole) => (whole > 0 ? (100 * part / whole).toFixed(1) : "0.0") + " %";

const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["card", "line", "text", "soft", "faint", "accent", "kernel", "transfer", "build", "call", "wait",
    "error", "other", "hit", "grid", "on-dark", "mono", "sans", "accent-soft"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
}

// An element with attributes and children (text or elements).
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "style") element.style.cssText = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) element.append(child);
  return element;
}

const byId = (id) => document.getElementById(id);

// Sizes a canvas to its box; returns its context in CSS pixels.
function contextOf(canvas, height) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, canvas.clientWidth);
  canvas.style.height = height + "px";
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, width];
}

// Text with `code` between backquotes.
function withCode(text) {
  const span = document.createElement("span");
  text.split("`").forEach((part, i) => span.append(i % 2 ? make("code", {}, part) : part));
  return span;
}
