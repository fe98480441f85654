import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findOutcomeType } from "../src/index.ts";
import { shell } from "../src/kit/quote.ts";
import {
  type Built,
  buildDocument,
  documentOf,
  expectSameBytes,
  memoryWorkspace,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { pythonCoverage, testWithCoverage } from "./support/coverage.ts";
import { expectWellFormed, expectWellFormedWith, hostileText, replaceTexts } from "./support/hostile-texts.ts";
import { runIn } from "./support/run-project.ts";

const example = await readExample("cli");

const cliDocument = (fields: Record<string, unknown>) =>
  documentOf("cli", { id: "small-tool", name: "Small tool", description: "A tool.", ...fields });

test("the example becomes a program that does every line of its acceptance", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  expect(await checkLines(built, folder)).toBe(11);
});

test("other command lines of the same kind work as well", async () => {
  const built = await buildDocument(example);
  const folder = await writeOut(built);
  const run = (line: string, stdin?: string) => runIn(folder, `./bin/tally ${line}`, stdin);
  await run("--file other.json add 0.1 rent --date 2030-01-01");
  await run("add 0.20 'two words' --date=2030-01-02 --file other.json");
  expect((await run("total --file other.json")).stdout).toBe("total  0.30\n");
  expect((await run("list --file other.json")).stdout.split("\n")[1]).toContain("two words");
  expect(JSON.parse((await run("list --json --date 2030-01-01 --file other.json")).stdout)).toEqual([
    { id: 1, amount: 0.1, category: "rent", date: "2030-01-01" },
  ]);
  expect((await run("total --by date --input -", 'category,amount,date\n"a, b",1,2030-05-05\n')).stdout).toContain(
    "2030-05-05  1.00",
  );
  expect(await run("remove 2 --file other.json")).toMatchObject({ exitCode: 0, stdout: "Removed 2\n" });
  expect((await run("add 1.234 food")).exitCode).toBe(2);
  expect((await run("add 0 food")).stderr).toContain("amount must be at least 0.01");
  expect((await run("total --by note")).exitCode).toBe(2);
  const completes = await runIn(folder, `bash -c 'eval "$(./bin/tally completion bash)"; complete -p tally'`);
  expect(completes.stdout).toContain("_tally_completion");
});

test("a document without a cli block gets what its lines of acceptance state", async () => {
  const built = await buildDocument(
    cliDocument({
      acceptance: {
        commands: [
          "node src/todo.js → 0",
          { command: "node src/todo.js --version", stdout_contains: "2.3.4" },
          { command: 'node src/todo.js add "Buy milk" --due friday', stdout_contains: "Added: Buy milk" },
          { command: "node src/todo.js list", stdout_contains: ["Buy milk", "friday"] },
          { command: "node src/todo.js done 1" },
          { command: "node src/todo.js list --json", stdout_contains: '"done": true' },
          { command: "node src/todo.js greet Ada", stdout_contains: "Hello, Ada!" },
          { command: "node src/todo.js greet Ben", stdout_contains: "Hello, Ben!" },
          "node src/todo.js done 99 → 3",
          "node src/todo.js dance → 4",
        ],
      },
    }),
  );
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual(["/acceptance/commands"]);
  expect(built.files.get("README.md")!.text).toContain("## Not built");
  const folder = await writeOut(built);
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  expect(await checkLines(built, folder)).toBe(10);
  expect((await runIn(folder, "node src/todo.js greet 'you there'")).stdout).toBe("Hello, you there!\n");
});

test("a program is found where the lines start it, in either language", async () => {
  const commands = (start: string) => [
    { command: `${start} add milk`, stdout_contains: "milk is there" },
    { command: `${start} count`, stdout_contains: "1" },
    `${start} → 0`,
    "npm run lint",
  ];
  for (const [language, start] of [
    ["javascript", "node src/main.js"],
    ["python", "python3 -m larder"],
    ["python", "python3 tools/larder.py"],
  ] as const) {
    const built = await buildDocument(cliDocument({ stack: { language }, acceptance: { commands: commands(start) } }));
    expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual(["/acceptance/commands/3"]);
    const folder = await writeOut(built);
    const tested = await runIn(folder, built.scripts["test"]!);
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
    const [add, count] = [await runIn(folder, `${start} add milk`), await runIn(folder, `${start} count`)];
    expect([add.stdout, count.stdout, (await runIn(folder, start)).exitCode]).toEqual(["milk is there\n", "1\n", 0]);
  }
  expect(unmetOf(await buildDocument(cliDocument({})))[0]!.pointer).toBe("/acceptance");
});

test("what cannot be built is reported, and the program says so too", async () => {
  const built = await buildDocument(
    cliDocument({
      stack: { language: "rust", framework: "clap" },
      cli: {
        binary: "odd",
        plugins: true,
        global_options: [{ name: "turbo", type: "boolean" }],
        commands: [
          { name: "fly", does: "levitate" },
          { name: "say", prints: "You said {word}", arguments: ["word"] },
          { name: "keep", does: "create" },
        ],
      },
      scripts: { test: "npm run verify" },
      acceptance: {
        tests: [{ file: "spec/**/*.spec.js", framework: "jest" }],
        commands: ["odd fly → 1", { command: "./bin/odd say hi", stdout_contains: "You said hi" }],
        startup_ms: 20,
      },
    }),
  );
  expect(
    unmetOf(built)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual(
    [
      "/acceptance/commands/0",
      "/acceptance/startup_ms",
      "/acceptance/tests/0",
      "/cli/commands/0/does",
      "/cli/commands/2/does",
      "/cli/global_options/0",
      "/cli/plugins",
      "/stack/framework",
      "/stack/language",
    ].toSorted(),
  );
  const folder = await writeOut(built);
  expect(await runIn(folder, "./bin/odd fly")).toMatchObject({ exitCode: 1, stdout: "" });
  expect((await runIn(folder, "./bin/odd say hi")).stdout).toBe("You said hi\n");
  expect([...built.files.keys()]).toContain("spec/acceptance.spec.js");
  const tested = await runIn(folder, "npm run verify");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  expect(tested.stdout).toMatch(/fail 0/);
});

const phased = cliDocument({
  cli: {
    binary: "shelf",
    record: { name: "book", fields: { title: { type: "string", required: true }, pages: "integer" } },
    commands: [
      { name: "put", does: "create", arguments: ["title"] },
      { name: "show", does: "get" },
      { name: "edit", does: "update", options: ["title", "pages"], prints: "{title} has {pages} pages" },
      { name: "count", does: "count" },
    ],
  },
  phases: {
    first: { acceptance: { commands: [{ command: "./bin/shelf put Emma", stdout_contains: "Added 1" }] } },
    second: {
      depends_on: ["first"],
      acceptance: {
        commands: [
          { command: "./bin/shelf edit 1 --pages 474", stdout_contains: "Emma has 474 pages" },
          { command: "./bin/shelf show 1", stdout_contains: "474" },
        ],
      },
    },
  },
});

test("after each phase the program as it is then is sound", async () => {
  const built = await buildDocument(phased);
  expect(built.tasks).toHaveLength(2);
  for (const count of [1, 2]) {
    const part = await buildTasks(built, count);
    expect(part.files.has("src/commands/edit.js")).toBe(count === 2);
    const folder = await writeOut(part);
    expect((await runIn(folder, "npm run build && npm test")).exitCode).toBe(0);
    if (count === 2) expect(await checkLines(built, folder)).toBe(3);
  }
});

async function buildTasks(built: Built, count: number): Promise<Built> {
  const { files, workspace } = memoryWorkspace(built.document);
  for (const task of built.tasks.slice(0, count)) await findOutcomeType("cli")!.build(task, workspace);
  return { ...built, files };
}

const inPython = example
  .replace("language: javascript", "language: python")
  .replace("runtime: node", "runtime: python3.11")
  .replace("test/**/*.test.js", "tests/unit/test_*.py")
  .replace('"node:test"', "unittest")
  .replace(/^scripts:\n(?: .*\n)+/m, "");

test("the same program is written in Python where the stack says so", async () => {
  const built = await buildDocument(inPython);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const tested = await runIn(folder, built.scripts["test"]!);
  expect(tested.exitCode, tested.stderr).toBe(0);
  expect(await checkLines(built, folder)).toBe(11);
  expect((await runIn(folder, "./bin/tally total --input -", "amount,category\n0.1,a\n0.2,b\n")).stdout).toBe(
    "total  0.30\n",
  );
  expect(await pythonCoverage(folder, "app", ["tests"])).toBeGreaterThanOrEqual(0.85);
  const file = join(folder, "app/records.py");
  await writeFile(file, (await readFile(file, "utf8")).replace("+ Decimal(", "- Decimal("));
  expect((await runIn(folder, built.scripts["test"]!)).exitCode).not.toBe(0);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  for (const text of [example, phased, inPython]) await expectSameBytes(text);
});

test("a mistake in the program makes its own tests fail", async () => {
  const folder = await writeOut(await buildDocument(example));
  for (const [path, from, to, name] of [
    ["src/records.js", "+ Math.round", "- Math.round", "records"],
    ["src/commands/list.js", "matching(", "((all) => all)(", "command-list"],
  ] as const) {
    const text = await readFile(join(folder, path), "utf8");
    expect(text).toContain(from);
    await writeFile(join(folder, path), text.replace(from, to));
    expect((await runIn(folder, `node --test test/${name}.test.js`)).exitCode).not.toBe(0);
    await writeFile(join(folder, path), text);
    expect((await runIn(folder, `node --test test/${name}.test.js`)).exitCode).toBe(0);
  }
});

test("whatever texts a document holds, its program is well formed", async () => {
  const document = parse(example);
  await expectWellFormedWith(
    (texts, choose) => {
      const cli = replaceTexts(document.cli, choose) as object;
      const fields = Object.fromEntries(texts.map((text) => [`f${text}`, { type: "string" }]));
      const record = texts.length % 2 === 0 ? { record: { name: texts[0], fields } } : {};
      const identity = { name: choose("a"), description: choose("b"), id: `x${choose("c")}` };
      return JSON.stringify({ ...document, ...identity, cli: { ...cli, ...record } });
    },
    { numRuns: 60 },
  );
});

test.each(["javascript", "python"])("a program of hostile texts in %s runs, and its tests pass", async (language) => {
  const hostile = ["`$", "{process.exit(7)}` '\"\\ */ </script>\u2028\n__proto__ ../.. 🦆"].join("");
  const built = await buildDocument(
    cliDocument({
      name: hostile,
      description: hostile,
      stack: { language },
      cli: {
        binary: hostile,
        version: hostile,
        record: {
          name: hostile,
          fields: { [hostile]: { type: "string", required: true }, json: "integer" },
        },
        commands: [
          { name: hostile, summary: hostile, example: hostile, does: "create", prints: hostile },
          { name: "help", does: "list", columns: [hostile, "constructor"] },
          { name: hostile, does: "print", prints: hostile, arguments: [{ name: hostile }] },
        ],
      },
    }),
  );
  expectWellFormed(built);
  const folder = await writeOut(built);
  const tested = await runIn(folder, `${built.scripts["build"]} && ${built.scripts["test"]}`);
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
});

test("whatever command lines a document holds, a program is made of them", async () => {
  const words = fc.array(
    fc.oneof(hostileText, fc.constantFrom("add", "list", "greet", "--json", "--a=b", "-x", "7", "|")),
    {
      maxLength: 5,
    },
  );
  const start = fc.constantFrom(
    "./bin/tool",
    "tool",
    "node src/tool.js",
    "node src/help.js",
    "python3 -m tool",
    "./a/b/tool",
  );
  const line = fc.record({
    command: fc.tuple(start, words).map(([program, rest]) => [program, ...rest.map((word) => shell(word))].join(" ")),
    exit_code: fc.constantFrom(0, 0, 1, 2),
    stdout_contains: fc.array(hostileText, { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), async (commands) => {
      expectWellFormed(await buildDocument(cliDocument({ acceptance: { commands } })));
    }),
    { numRuns: 80 },
  );
  const [commands] = fc.sample(fc.array(line, { minLength: 6, maxLength: 6 }), { numRuns: 1, seed: 7 });
  for (const language of ["javascript", "python"]) {
    const built = await buildDocument(cliDocument({ stack: { language }, acceptance: { commands } }));
    const folder = await writeOut(built);
    const checked = await runIn(folder, built.scripts["build"]!);
    expect(checked.exitCode, checked.stdout + checked.stderr).toBe(0);
  }
});

test("what else a command's entry asks for is said to be unmet, and the command itself is tested", async () => {
  const { cli } = parse(example);
  const commands = [{ name: "./bin/tally list", output_format: "json", performance: { max_execution_time_ms: 500 } }];
  const built = await buildDocument(
    cliDocument({ cli, acceptance: { commands, performance: { offline_functionality: true } } }),
  );
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual([
    "/acceptance/commands/0/output_format",
    "/acceptance/commands/0/performance/max_execution_time_ms",
    "/acceptance/performance/offline_functionality",
  ]);
  const tests = [...built.files].filter(([path]) => path.startsWith("test")).map(([, { text }]) => text);
  expect(tests.join()).toContain("./bin/tally list");
});

test.for(["javascript", "python"])(
  "of lines that contradict each other, those that lose are said; what depends on records may change (%s)",
  async (language) => {
    const { cli } = parse(example);
    const commands = [...cli.commands, { name: "show", does: "get" }];
    const lines = [
      "./bin/tally add 1 food → 0",
      "./bin/tally show 1 → 0",
      "./bin/tally remove 1 → 0",
      "./bin/tally remove 1 → 1",
      "./bin/tally show 1 → 1",
      "./bin/tally show 1 → 0",
      "./bin/tally frobnicate → 2",
      "./bin/tally frobnicate → 64",
      "./bin/tally add 2 food → 0",
      "./bin/tally add 2 food → 1",
      { command: "./bin/tally --version", stdout_contains: "9.9" },
      "./bin/tally --help → 3",
      { command: "./bin/tally show 2 --input -", stdin: "amount,category\n1,a\n5,b\n", stdout_contains: "5.00" },
      {
        command: "./bin/tally remove 1 --input -",
        stdin: "amount,category\n1,a\n",
        exit_code: 2,
        stderr_contains: "--input",
      },
    ];
    const built = await buildDocument(
      cliDocument({ stack: { language }, cli: { ...cli, commands }, acceptance: { commands: lines } }),
    );
    const lost = [5, 7, 9, 10, 11];
    expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual(lost.map((index) => `/acceptance/commands/${index}`));
    for (const index of lost) expect(built.files.get("README.md")!.text).toContain(`/acceptance/commands/${index}`);
    const folder = await writeOut(built);
    const tested = await runIn(folder, built.scripts["test"]!);
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
    expect((await runIn(folder, "./bin/tally show 2 --input -", "amount,category\n1,a\n5,b\n")).stdout).toContain(
      "5.00",
    );
  },
);
