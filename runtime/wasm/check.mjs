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
console.log(`the module decides ${verbs.length} events as expected`);
