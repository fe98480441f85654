#!/usr/bin/env node
// A scripted agent: what a coding agent does with a model, it does by hand-written edits. It reads its task from
// standard input as any command agent does, changes what the task names and nothing else, and tells what it used in
// the words of a known command-line agent.
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { openProject } from "./open-project.mjs";

const prompt = await text(process.stdin);

const type = /^You are working as the finisher on a software project: .* \(([a-z-]+)\)\. /.exec(prompt)?.[1];
// A task names lines first, and a repair after what does not hold.
const places = /^- (\/\S*?)(?:, line \d+)?: |^- .* \((\/\S+?)(?:, line \d+ of the document)?\)$/gm;
const asked = [...prompt.matchAll(places)].map(([, first, last]) => first ?? last);
const edits = new URL(`${type}/edits.mjs`, import.meta.url);
const { default: editsOf } = existsSync(edits) ? await import(edits.href) : { default: {} };

const said = asked.map((pointer) => {
  const edit = editsOf[pointer];
  if (edit === undefined) return `left ${pointer}: nothing to change for it`;
  edit(openProject(process.cwd(), new URL(`${type}/`, import.meta.url)));
  return `finished ${pointer}`;
});
const usage = { input_tokens: prompt.length, output_tokens: 100 };
for (const line of [
  { type: "assistant", message: { content: [{ type: "text", text: said.join("\n") }] } },
  { type: "result", subtype: "success", is_error: false, usage, total_cost_usd: prompt.length / 1e6 },
])
  console.log(JSON.stringify(line));
