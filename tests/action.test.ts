// @module-tag long
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { launcher, startService, usedDataFolder, withoutOurs } from "../packages/server/tests/support/run-service.ts";

const folder = mkdtempSync(join(tmpdir(), "slipway-action-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const action = parse(readFileSync(fileURLToPath(new URL("../action.yml", import.meta.url)), "utf8")) as {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};

test("the GitHub Action runs a document on a service, marks the lines that do not hold, and keeps artifacts", async () => {
  const service = await startService(await usedDataFolder());
  const place = { url: service.address, token: service.adminToken };
  // A name that a shell would carry out if a step put it into its script.
  const good = carryOut({ ...place, file: write("$(touch pwned) 1.yaml", "/") });
  expect([good.isFailed, good.outputs["status"]]).toEqual([false, "deployed"]);
  expect(good.outputs["url"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/?$/);
  expect(good.outputs["project-id"]).toMatch(/^proj_/);
  expect(good.kept.name).toBe(`slipway-${good.outputs["project-id"]}`);
  expect(good.kept.files.join(" ")).toMatch(/acceptance.*source.*\.zip|source.*\.zip.*acceptance/);
  expect(good.log).not.toContain(place.token);

  const bad = carryOut({ ...place, file: write("bad.yaml", "/nowhere"), artifacts: "acceptance_report nothing" });
  expect([bad.isFailed, bad.outputs["status"]]).toEqual([true, "failed"]);
  expect(bad.log).toMatch(/^::error file=bad\.yaml,line=9,title=failed/m);
  expect(bad.log).toContain("::notice::The project has no artifact nothing.");
  expect(bad.kept.files).toHaveLength(1);

  const invalid = carryOut({ ...place, file: write("invalid.yaml", "/", "outcome_type: apple") });
  expect(invalid).toMatchObject({ isFailed: true, outputs: { "project-id": "" }, kept: { files: [] } });
  expect(invalid.log).toMatch(/^::error file=invalid\.yaml,line=5,/m);
  expect(readdirSync(folder)).not.toContain("pwned");
});

/** A document of software that answers everywhere but at `/nowhere`, with a line that asks for `path`. */
function write(name: string, path: string, type = "outcome_type: api"): string {
  const program =
    "require('http').createServer((q,s)=>{s.statusCode=q.url==='/nowhere'?404:200;s.end('{}')}).listen(process.env.PORT,process.env.HOST)";
  const document = `spec_version: "1.0.0"
id: hello
name: Hello
description: Says hello.
${type}
stack: {}
acceptance:
  http_endpoints:
    - { path: ${path}, method: GET, status: 200 }
scripts: { start: ${JSON.stringify(`${process.execPath} -e "${program}"`)} }
`;
  writeFileSync(join(folder, name), document);
  return name;
}

/** Does what a runner does with the steps of a composite action, as GitHub describes it; keeps artifacts nowhere. */
function carryOut(given: Readonly<Record<string, string>>) {
  const temp = mkdtempSync(join(folder, "temp-"));
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: preset = "" }]) => [name, given[name] ?? preset]),
  );
  const outputs: Record<string, Record<string, string>> = {};
  const kept = { name: "", files: [] as string[] };
  let isFailed = false;
  let log = "";
  const lookUp = (name: string) => {
    const [root, first = "", , last = ""] = name.split(".");
    return { inputs: inputs[first], runner: temp }[root!] ?? outputs[first]?.[last] ?? "";
  };
  const fill = (text: unknown) =>
    String(text).replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => String(evaluate(expression, lookUp)));
  const isDue = (condition: string | undefined) => {
    const [, expression = "true"] = /^\$\{\{ (.*) \}\}$/.exec(condition ?? "") ?? [];
    // A condition that says nothing of what came before holds only while all is well.
    return Boolean(evaluate(expression, lookUp)) && (/cancelled|always/.test(expression) || !isFailed);
  };
  for (const { id = "", if: condition, env = {}, run, with: settings } of action.runs.steps) {
    if (!isDue(condition)) continue;
    if (run === undefined) {
      kept.name = fill(settings?.["name"]);
      kept.files = readdirSync(fill(settings?.["path"]), { recursive: true }) as string[];
      continue;
    }
    // What somebody puts into an input is never part of a script.
    expect(run).not.toContain("${{");
    const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
    const ended = runScript(run, temp, Object.fromEntries(filled));
    log += ended.log;
    outputs[id] = ended.outputs;
    isFailed ||= ended.code !== 0;
  }
  const told = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value)]);
  return { isFailed, log, kept, outputs: Object.fromEntries(told) as Record<string, string> };
}

/** The value of an expression of GitHub's: texts, names, comparisons, `&&`, `||`, and what holds here: `!cancelled()`, `always()`. */
function evaluate(expression: string, lookUp: (name: string) => string): unknown {
  const parts = /'([^']*)'|!cancelled\(\)|always\(\)|\b[a-z]\w*(?:\.[\w-]+)+/g;
  const code = expression.replace(parts, (part, text: string | undefined) =>
    part.endsWith("()") ? "true" : JSON.stringify(text ?? lookUp(part)),
  );
  return Function(`return (${code});`)();
}

/** Runs a script as `shell: bash` does; it adds its outputs to a file. */
function runScript(script: string, temp: string, env: Readonly<Record<string, string>>) {
  const bin = join(temp, "bin");
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, "slipway"))) symlinkSync(launcher, join(bin, "slipway"));
  const file = join(temp, "output");
  writeFileSync(file, "");
  const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...withoutOurs(process.env), ...env, PATH, GITHUB_OUTPUT: file, CI: "true" },
  });
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const outputs = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  return { code: status, log: stdout + stderr, outputs: Object.fromEntries(outputs) as Record<string, string> };
}
