// Loads a trace into Perfetto's trace processor, and prints the rows of queries on it as JSON, one list a line.
//
//     node perfetto.mjs FOLDER_OF_PERFETTO TRACE.json QUERY...
//
// The folder is one of Perfetto's web pages, with engine_bundle.js and trace_processor*.wasm. The bundle is a
// script for a worker of a browser; what it needs of one is defined below. Requests and replies are messages of
// the protocol TraceProcessorRpc (protos/perfetto/trace_processor/trace_processor.proto).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const APPEND = 1;
const FINALIZE = 2;
const QUERY = 3;
const CELL = { NULL: 1, INTEGER: 2, FLOAT: 3, TEXT: 4 };

const [folder, trace, ...queries] = process.argv.slice(2);

// Emscripten takes this for a browser.
process.type = "renderer";
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = class {};
globalThis.location = { href: "http://localhost/engine_bundle.js" };
globalThis.XMLHttpRequest = class {
  open(_, url) { this.url = url; }
  send() {
    const file = readFileSync(join(folder, this.url));
    this.response = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    this.status = 200;
  }
};

// Protocol buffers: numbers, and fields of bytes.
function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);

function readVarint(from, at) {
  let [value, shift] = [0n, 0n];
  for (;;) {
    const byte = from[at];
    at += 1;
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte < 128) return [value, at];
  }
}

// Fields of a message: [number, value].
function* fields(from) {
  for (let at = 0; at < from.length;) {
    let [key, value] = [];
    [key, at] = readVarint(from, at);
    const [field, type] = [Number(key >> 3n), Number(key & 7n)];
    if (type === 0) {
      [value, at] = readVarint(from, at);
    } else {
      let length = type === 1 ? 8 : 4;
      if (type === 2) {
        [value, at] = readVarint(from, at);
        length = Number(value);
      }
      value = from.subarray(at, at + length);
      at += length;
    }
    yield [field, value];
  }
}
const all = (message, field) => [...fields(message)].filter(([f]) => f === field).map(([, value]) => value);

function* cells(batch) {
  const kinds = [];
  for (const packed of all(batch, 1)) kinds.push(...packed);
  const integers = [];
  for (const packed of all(batch, 2)) {
    for (let at = 0; at < packed.length;) {
      let value;
      [value, at] = readVarint(packed, at);
      integers.push(Number(BigInt.asIntN(64, value)));
    }
  }
  const floats = all(batch, 3).flatMap((p) => Array.from({ length: p.length / 8 }, (_, i) => p.readDoubleLE(i * 8)));
  const texts = all(batch, 5).flatMap((t) => t.toString().split("\0"));
  for (const kind of kinds) {
    yield kind === CELL.INTEGER ? integers.shift() : kind === CELL.FLOAT ? floats.shift() :
      kind === CELL.TEXT ? texts.shift() : null;
  }
}

const channel = { replies: [], postMessage(reply) { this.replies.push(Buffer.from(reply)); } };
let sequence = 0;

// Sends a request; returns the reply's messages.
function ask(request, ...parameters) {
  channel.replies.length = 0;
  sequence += 1;
  const message = Buffer.concat([number(1, sequence), number(2, request), ...parameters]);
  channel.onmessage({ data: new Uint8Array(bytes(1, message)) });
  const messages = all(Buffer.concat(channel.replies), 1);
  const fatal = messages.flatMap((m) => all(m, 5));
  if (fatal.length > 0) throw new Error(fatal[0].toString());
  return messages;
}

function query(text) {
  const results = ask(QUERY, bytes(103, bytes(1, Buffer.from(text)))).flatMap((m) => all(m, 203));
  const errors = results.flatMap((r) => all(r, 2)).map(String).filter(Boolean);
  if (errors.length > 0) throw new Error(`${text}: ${errors[0]}`);
  const width = results.flatMap((r) => all(r, 1)).length;
  const values = results.flatMap((r) => all(r, 3)).flatMap((batch) => [...cells(batch)]);
  return Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width));
}

vm.runInThisContext(readFileSync(join(folder, "engine_bundle.js"), "utf8"));
self.onmessage({ data: channel });
// The module is ready after a few turns of the event loop.
for (let turn = 0; turn < 100; turn += 1) await new Promise((done) => setTimeout(done, 10));
const results = ask(APPEND, bytes(101, readFileSync(trace))).flatMap((m) => all(m, 201));
const errors = results.flatMap((r) => all(r, 2)).map(String).filter(Boolean);
if (errors.length > 0) throw new Error(errors[0]);
ask(FINALIZE);
for (const text of queries) console.log(JSON.stringify(query(text)));
