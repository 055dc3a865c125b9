// Loads the module and the refund desk's artifact, gates a few events, and compares what it decides.
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const wasm = instance.exports;
const put = (bytes) => {
  const at = wasm.ctr_buffer(bytes.length);
  new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
};
const answer = () =>
  new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.ctr_output(), wasm.ctr_output_len()));
const gate = (event) => {
  put(new TextEncoder().encode(JSON.stringify(event)));
  const failed = wasm.ctr_gate();
  return failed ? { decision: "error", text: answer() } : JSON.parse(answer());
};
const expect = (what, got, wanted) => {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  }
};

const artifact = readFileSync(new URL("../tests/data/refund_desk.ctrb", import.meta.url));
put(artifact.subarray(0, 100));
expect("a cut artifact", wasm.ctr_load(), 1);
put(artifact);
expect("the artifact", wasm.ctr_load(), 0);
const names = JSON.parse(answer());
const lines = readFileSync(new URL("../tests/data/refund_desk.jsonl", import.meta.url), "utf8");
const verbs = lines.split("\n").filter(Boolean).map((line) => gate(JSON.parse(line))?.decision ?? "context");
const expected = JSON.parse(readFileSync(new URL("../tests/data/refund_desk.gated.json", import.meta.url), "utf8"));
expect("the decisions", verbs, expected);
expect("an event that is none", gate({ kind: "dance" }).decision, "error");
expect("the verdicts", wasm.ctr_finish(), 0);
expect("the contracts", JSON.parse(answer()).contracts.map((c) => c.contract), names);
expect("a misspelt field", gate({ kind: "input", text: "x", tim: 3 }).decision, "error");
expect("a time", gate({ kind: "input", text: "x", time: "2026-11-30T10:00:00Z" }).proceeds, true);

// What the feature `full` exports.
if (wasm.ctr_save) {
  const ask = (name, input) => {
    put(input instanceof Uint8Array ? input : new TextEncoder().encode(input === undefined ? "" : JSON.stringify(input)));
    expect(name, wasm[name](), 0);
    return JSON.parse(answer());
  };
  const events = lines.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const half = Math.floor(events.length / 2);
  const verb = (event) => gate(event)?.decision ?? "context";
  ask("ctr_load", artifact);
  expect("the first half", events.slice(0, half).map(verb), expected.slice(0, half));
  expect("saving", wasm.ctr_save(), 0);
  const saved = new Uint8Array(wasm.memory.buffer, wasm.ctr_output(), wasm.ctr_output_len()).slice();
  expect("the second half", events.slice(half).map(verb), expected.slice(half));
  put(saved.subarray(1));
  expect("a damaged session", wasm.ctr_restore(), 1);
  ask("ctr_restore", saved);
  expect("the second half again", events.slice(half).map(verb), expected.slice(half));
  const tools = ask("ctr_allowed");
  const extents = ["all", "some", "none", "unknown"];
  expect("what is allowed", tools.length > 0 && tools.every((t) => extents.includes(t.allowed)), true);
  for (const { tool } of tools) {
    const narrowed = ask("ctr_schema", { tool, meta: { agent: "desk" } });
    expect("a schema", Object.keys(narrowed), ["forbidding", "incomplete", "schema"]);
  }
  put(new TextEncoder().encode("{}"));
  expect("a schema of nothing", wasm.ctr_schema(), 1);
  // The log of the first half, and then the events of the second under the artifact that took over.
  const refused = new Set();
  const log = events.slice(0, half).map((event, n) => {
    if (event.kind === "context") return { context: event.set };
    if (event.kind === "call" && expected[n] !== "allow") refused.add(event.id);
    return refused.has(event.id) ? { left_out: event } : { happened: event };
  });
  ask("ctr_load", artifact);
  expect("findings", ask("ctr_take_over", log), []);
  expect("the second half under it", events.slice(half).map(verb), expected.slice(half));
  put(new TextEncoder().encode('[{"happened": {"kind": "return", "id": "none of these", "status": "success"}}]'));
  expect("a cut log", wasm.ctr_take_over(), 1);
}
console.log(`the module decides ${verbs.length} events as expected`);
