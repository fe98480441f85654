/**
 * What reading a document costs beside reading bare YAML, and how that grows with size: `npm run bench`.
 * Goals: at most 1.3× of `yaml`'s parseDocument for a 6 KB document; a byte of 1 MiB at most 2× a byte of 10 KB.
 */
import { readFileSync } from "node:fs";
import { parseSpec } from "@slipway/spec";
import { parseDocument } from "yaml";
import { largeDocument } from "./large-document.ts";
import { measureInTurns, printRow, sized } from "./measure.ts";

const example = readFileSync(new URL("../examples/phases-and-environments.yaml", import.meta.url), "utf8");
refuseInvalid(example);
const small = measureInTurns(
  { ours: () => parseSpec(example), bare: () => parseDocument(example) },
  { rounds: sized(400, 1), warmUps: sized(100, 0) },
);

const sizes = {
  "10 KB": largeDocument(10_240),
  "100 KB": largeDocument(sized(102_400, 10_240)),
  "1 MiB": largeDocument(sized(1_048_576, 20_480)),
};
Object.values(sizes).forEach(refuseInvalid);
const perByteNs = Object.fromEntries(
  Object.entries(sizes).map(([size, text]) => {
    const rounds = sized(Math.ceil(2_000_000 / text.length), 0);
    const { ours } = measureInTurns({ ours: () => parseSpec(text) }, { rounds: rounds + sized(3, 1), warmUps: rounds });
    return [size, (ours / text.length) * 1e6];
  }),
);

console.log(`Reading a document (Node ${process.versions.node}; medians)`);
printRow("", "time", "ratio", "goal");
printRow(`yaml parseDocument, ${example.length} bytes`, `${small.bare.toFixed(2)} ms`, "1.00×");
printRow(
  "parse and full diagnosis",
  `${small.ours.toFixed(2)} ms`,
  `${(small.ours / small.bare).toFixed(2)}×`,
  "≤ 1.3×",
);
console.log();
for (const [size, cost] of Object.entries(perByteNs)) {
  const ratio = cost / (perByteNs["10 KB"] ?? Number.NaN);
  printRow(`a byte of ${size}`, `${cost.toFixed(0)} ns`, `${ratio.toFixed(2)}×`, size === "10 KB" ? "" : "≤ 2×");
}

function refuseInvalid(text: string): void {
  const { diagnostics } = parseSpec(text);
  if (diagnostics.length > 0) throw new Error(`The benchmark's document is wrong: ${diagnostics[0]?.message}`);
}
