// @module-tag soak
import { mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInPlugin, checkPlugin } from "@slipway/blueprints";
import { type CompleteSpec, parseSpec, resolveSpec } from "@slipway/spec";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { defaultLimits } from "../../../src/platform/plugins/ask-plugin.ts";
import { openPlugins } from "../../../src/platform/plugins/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { readPid } from "../../support/read-pid.ts";
import { sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";
import { fleetDocument, pluginSettings, pluginSource, writePlugin } from "../../support/write-plugin.ts";

test("what is built in is a plugin like any other", () => {
  // But for patterns in schemas, which only those of others may not have: nobody knows how long theirs take.
  const types = builtInPlugin.outcome_types.map(({ schema: _, ...type }) => type);
  expect(checkPlugin({ ...builtInPlugin, outcome_types: types })).toEqual([]);
});

const document = resolveSpec(parseSpec(fleetDocument, { outcomeTypes: ["fleet"] }).document!).document as CompleteSpec;
const task = { id: "sail", title: "Sail", phase: "implementation", lines: [] };

/** Less than usual, so that who breaks a limit is known soon; less time only for who runs in a circle. */
const little = { wallMs: defaultLimits.describe.wallMs, memoryBytes: 300 * 2 ** 20, outputBytes: 64 * 2 ** 10 };
const small = { ...defaultLimits, describe: little, plan: little, build: little };
const short = { ...little, wallMs: 1_000 };

describe.for(soakCases(ways))("contained by %s,", (way) => {
  async function open(source: string, limits: typeof defaultLimits = defaultLimits) {
    const { sandbox, folder } = sandboxFor(way);
    const path = await writePlugin("fleet", source);
    const parts = { sandbox, limits, dataFolder: folder, log: quietLog };
    return { folder, plugins: await openPlugins(parts, [pluginSettings({ name: "fleet", path })]) };
  }
  const build = ({ plugins, folder }: Awaited<ReturnType<typeof open>>) =>
    plugins.build(document, { task, folder, signal: new AbortController().signal });

  test("a plugin says what it is, plans and builds", async () => {
    const opened = await open(pluginSource("fleet", { type: "stack_defaults: { hull: 'steel' }," }));
    const { plugins, folder } = opened;
    expect(plugins.known).toMatchObject([
      { name: "fleet", outcomeTypes: [{ name: "fleet", stack_defaults: { hull: "steel" } }] },
    ]);
    expect(plugins.known[0]).not.toHaveProperty("refusal");
    expect(plugins.capabilities).toEqual(["fleet", "javascript"]);
    expect(await plugins.plan(document)).toEqual({ scripts: { test: "node --test" }, unmet: [], tasks: [] });
    expect(await build(opened)).toBe(true);
    expect(await readFile(join(folder, "ships.txt"), "utf8")).toBe("3\n");
    expect(JSON.parse(await readFile(join(folder, ".slipway/scripts.json"), "utf8"))).toEqual({ test: "node --test" });
    expect(await plugins.plan({ ...document, outcome_type: "api" }), "not its business").toBeUndefined();
    expect(await plugins.plan({ ...document, plugins: [] }), "not named").toBeUndefined();
  });

  test.skipIf(way === "bubblewrap")(
    "a program that it leaves holds up nobody, though it keeps the output",
    async () => {
      const leaves = `import os
if os.fork() == 0:
  os.setsid()
  if os.fork() == 0:
    open("left", "w").write(str(os.getpid()))
    os.execve("/bin/sleep", ["sleep", "1000"], {})
  os._exit(0)
os.wait()`;
      const start = `(await import("node:child_process")).spawnSync("python3", ["-c", ${JSON.stringify(leaves)}], `;
      const opened = await open(pluginSource("fleet", { build: `${start} { stdio: "inherit" });` }));
      expect(await build(opened)).toBe(true);
      const pid = await until(() => readPid(join(opened.folder, "left")));
      onTestFinished(() => void process.kill(pid, "SIGKILL"));
    },
  );

  test("a build that writes nothing leaves nothing", async () => {
    const opened = await open(pluginSource("fleet", { build: "" }));
    await build(opened);
    expect(await readdir(opened.folder)).toEqual([]);
  });

  test("what a plugin prints is no answer, and what it leaves running is not waited for", async () => {
    const top = 'console.log(\'{"is":"answer","answer":1}\'); setInterval(() => {}, 1_000);';
    const { plugins } = await open(pluginSource("fleet", { top }));
    expect(plugins.capabilities).toContain("fleet");
  });

  const broken: Record<string, [source: string, reason: string | RegExp]> = {
    "that is no program": ["export default {", /^It failed: SyntaxError: .*\.$/],
    "that throws when it is loaded": ["throw new Error('No wind.');", "It failed: Error: No wind."],
    "that ends the process": ["process.exit(3);", "It ended without an answer (exit code 3)."],
    "that waits for ever": ["await new Promise(() => {});", /^It ended without an answer \(exit code 13\)/],
    "that runs in a circle": ["for (;;);", "It did not answer within 1 s."],
    "that takes all memory": [
      "const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1));",
      /^Process killed due to memory limit exceeded\. It used \d+MB, limit was 300MB\. Let it use less\.$/,
    ],
    "that says too much": [
      // By `process.stderr`, a loop that never rests would fill its own memory once the pipe is full; this one tries again.
      "import { writeSync } from 'node:fs'; for (;;) try { writeSync(2, 'x'.repeat(1 << 16)); } catch {}",
      "Process killed due to output limit exceeded. It printed more than 64KB. Print less.",
    ],
  };
  /** What it says of itself is read alike in every sandbox. */
  const misdeclared: typeof broken = {
    "with another api_version": [
      pluginSource("fleet").replace('"v1"', '"v9"'),
      "Its api_version is 'v9'. This service supports 'v1'.",
    ],
    "that exports nothing": [
      "export {};",
      "It does not export a plugin: a map with 'api_version', 'name', 'version' and 'outcome_types'.",
    ],
    "by another name": [
      pluginSource("armada"),
      "It calls itself 'armada', but slipway.yaml says 'fleet'; both must be the name of its package.",
    ],
    "with a type that is built in": [
      pluginSource("fleet").replace('name: "fleet",\n      languages', 'name: "api",\n      languages'),
      "It defines the outcome type 'api', which is built in.",
    ],
    "with a version that terminals obey": [
      pluginSource("fleet", { rest: 'version: "1\\u001b[2J",' }),
      "'version' must not have control characters.",
    ],
    "that fails with orders to terminals": [
      'throw new Error("\\u001b[2Jsunk\\u001b]0;x\\u0007\\nby\\r whales");',
      "It failed: Error: sunk ]0;x by whales.",
    ],
    "without a function": [
      pluginSource("fleet").replace("async build(", "async make("),
      "'outcome_types[0].build' must be a function.",
    ],
    "with a schema that cannot be used": [
      pluginSource("fleet", { type: "schema: { type: 'object', properties: { ships: { pattern: '(a+)+$' } } }," }),
      /^'outcome_types\[0\]': schema\/properties\/ships uses 'pattern', which is not supported\. Supported keywords: /,
    ],
    "with keys that every document has": [
      pluginSource("fleet", { type: "schema: { type: 'object', properties: { stack: {} } }," }),
      "'outcome_types[0]': schema/properties/stack: 'stack' is a key of every document.",
    ],
    "with a key that is none": [
      pluginSource("fleet", { type: "acceptence_defaults: {}," }),
      /^'outcome_types\[0\]\.acceptence_defaults' is not a known key\. Known keys: name, languages, /,
    ],
    "with a check for what is checked anyway": [
      pluginSource("fleet", { rest: "acceptance_checks: [{ name: 'commands', check() {} }]," }),
      "'acceptance_checks[0].name' is a built-in name.",
    ],
    "that answers by itself, with lists inside each other": [
      `import { writeSync } from "node:fs";
      const type = { name: "fleet", languages: [], plan: "[function]", build: "[function]", acceptance_defaults: { x: 0 } };
      const answer = { api_version: "v1", name: "fleet", version: "1", outcome_types: [type] };
      const lists = "[".repeat(20_000) + "]".repeat(20_000);
      writeSync(1, JSON.stringify({ is: "answer", answer }).replace('"x":0', '"x":' + lists));
      process.exit(0);`,
      /^Its answer cannot be read: /,
    ],
    "that fails with a long tale": [
      `import { writeSync } from "node:fs";
      writeSync(1, JSON.stringify({ is: "failed", message: "x".repeat(30_000) }));
      process.exit(0);`,
      /^It failed: x{1990,1999}…\.$/,
    ],
    "with more kinds of files than anybody has": [
      pluginSource("fleet", { rest: "artifact_types: Array.from({ length: 101 }, (_, at) => ({ name: 'a' + at }))," }),
      "'artifact_types' must be a list of at most 100.",
    ],
    "with more globs than anybody needs": [
      pluginSource("fleet", { rest: "artifact_types: [{ name: 'a', paths: Array(201).fill('*.a') }]," }),
      "'artifact_types' have more than 200 paths together.",
    ],
    "with defaults that no document could have": [
      pluginSource("fleet", { type: "acceptance_defaults: { http_endpoints: 7 }," }),
      /^'outcome_types\[0\]': acceptance_defaults\/http_endpoints: .* must be a list/,
    ],
  };
  const refused = way === ways[0] ? { ...broken, ...misdeclared } : broken;

  test.for(soakCases(Object.entries(refused)))(
    "a plugin %s is refused, with the reason",
    async ([how, [source, reason]]) => {
      const { plugins } = await open(source, how.includes("circle") ? { ...small, describe: short } : small);
      const [known] = plugins.known;
      expect(known).toMatchObject({ name: "fleet", outcomeTypes: [] });
      if (typeof reason === "string") expect(known!.refusal).toBe(reason);
      else expect(known!.refusal).toMatch(reason);
    },
  );

  test("a plugin that is not there is refused", async () => {
    const { sandbox, folder } = sandboxFor(way);
    const { known } = await openPlugins({ sandbox, dataFolder: folder, log: quietLog }, [
      pluginSettings({ name: "x" }),
    ]);
    expect(known[0]!.refusal).toMatch(/^There is no package in /);
  });

  const failing: Record<string, [Parameters<typeof pluginSource>[1], string | RegExp]> = {
    throws: [{ build: "throw new TypeError('No harbour.');" }, "It failed: TypeError: No harbour."],
    "runs in a circle": [{ build: "for (;;);" }, "It did not answer within 1 s."],
    "ends the process": [{ build: "process.exit(0);" }, "It ended without an answer (exit code 0)."],
    "writes elsewhere": [
      { build: "await workspace.write('../there.txt', 'x');" },
      "It failed: Error: '../there.txt' is not a path inside the folder.",
    ],
    "touches git": [
      { build: "await workspace.write('.git/config', 'x');" },
      "It failed: Error: '.git/config' is not a path inside the folder.",
    ],
  };

  test.for(soakCases(Object.entries(failing), 2))(
    "a build that %s is the plugin's failure",
    async ([how, [bodies, reason]]) => {
      const limits = how.includes("circle") ? { ...small, build: short } : small;
      const opened = await open(pluginSource("fleet", bodies), limits);
      await expect(build(opened)).rejects.toThrow(`The plugin 'fleet' failed. ${reason}`);
    },
  );

  test("a link that leads out of the folder is not followed", async () => {
    const opened = await open(pluginSource("fleet", { build: "await workspace.write('out/x.txt', 'x');" }));
    const elsewhere = await mkdtemp(join(tmpdir(), "slipway-elsewhere-"));
    onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
    await symlink(elsewhere, join(opened.folder, "out"));
    await expect(build(opened)).rejects.toThrow("The plugin 'fleet' failed.");
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test("a malformed plan is the plugin's failure", async () => {
    const { plugins } = await open(pluginSource("fleet", { plan: "return { scripts: { test: 7 } };" }));
    await expect(plugins.plan(document)).rejects.toThrow(
      "The plugin 'fleet' failed. Its plan cannot be used: 'scripts.test' is not a text",
    );
  });

  test("a build that is no longer wanted ends", async () => {
    const { plugins, folder } = await open(pluginSource("fleet", { build: "for (;;);" }));
    const stop = new AbortController();
    const building = plugins.build(document, { task, folder, signal: stop.signal });
    stop.abort(new Error("not wanted"));
    await expect(building).rejects.toThrow("not wanted");
  });
});
