/** Draws what a command prints, colours included, as an SVG picture for the documentation: `npm run generate`. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { drawLine, drawWindow, lineHeight, plainLength } from "./terminal-svg.ts";

const root = new URL("../", import.meta.url);
const args = ["validate", "docs/images/broken.yaml"];
const { stdout } = spawnSync(process.execPath, ["packages/cli/bin/slipway.cjs", ...args], {
  cwd: root,
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1" },
});
const lines = `$ slipway ${args.join(" ")}\n\n${stdout.trimEnd()}`.split("\n");
const size = { columns: Math.max(...lines.map(plainLength)), rows: lines.length };
const title = "slipway validate points at the problems of a document and says how to mend each";
const texts = lines.map((line, row) => `  <text x="20" y="${row * lineHeight + 34}">${drawLine(line)}</text>`);
writeFileSync(new URL("docs/images/validate.svg", root), drawWindow(title, size, texts.join("\n")));
