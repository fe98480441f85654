// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { soakCases, soakRuns } from "../../../tools/soak-runs.ts";
import {
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { pythonCoverage } from "./support/coverage.ts";
import { expectWellFormed, expectWellFormedWith, hostileText, replaceTexts } from "./support/hostile-texts.ts";
import { runIn } from "./support/run-project.ts";

const example = await readExample("cli");

const cliDocument = (fields: Record<string, unknown>) =>
  documentOf("cli", { id: "small-tool", name: "Small tool", description: "A tool.", ...fields });

test("other command lines of the same kind work as well", { tags: "long" }, async () => {
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

const converter = cliDocument({
  stack: { language: "python" },
  cli: {
    binary: "convert",
    entry: ["convert.py"],
    default_command: "convert",
    exit_codes: { usage: 64, no_command: 0 },
    tables: {
      units: {
        m: { kind: "length", factor: 1, offset: 0 },
        km: { kind: "length", factor: 1000, offset: 0 },
        mi: { kind: "length", factor: 1609.344, offset: 0 },
        C: { kind: "temperature", factor: 1, offset: 273.15 },
        K: { kind: "temperature", factor: 1, offset: 0 },
      },
    },
    global_options: [{ name: "precision", type: "integer", default: 2, min: 0, max: 10, short: "p" }],
    commands: [
      {
        name: "convert",
        arguments: [
          { name: "value", type: "number", stdin: "lines" },
          { name: "from", values_of: "units" },
          { name: "to", values_of: "units" },
        ],
        errors: [{ when: "units[from].kind != units[to].kind", message: "{from} is of another kind than {to}" }],
        result: "(value * units[from].factor + units[from].offset - units[to].offset) / units[to].factor",
        decimals: "precision",
        prints: "{value} {from} = {result} {to}",
      },
      {
        name: "all",
        arguments: [
          { name: "value", type: "number" },
          { name: "from", values_of: "units" },
        ],
        for_each: { name: "to", in: "units", where: "units[to].kind == units[from].kind" },
        result: "value * units[from].factor / units[to].factor",
        columns: ["to", "result"],
      },
      { name: "units", does: "list", table: "units" },
      {
        name: "share",
        arguments: [
          { name: "part", type: "number" },
          { name: "whole", type: "number" },
        ],
        result: { share: "part / whole", percent: "share * 100", is_large: "percent >= 50 and not (percent > 100)" },
        decimals: 1,
      },
    ],
  },
});

test("a unit converter computes, in either language alike", { tags: "long" }, async () => {
  const outputs: string[][] = [];
  for (const document of [converter, converter.replace('"python"', '"javascript"').replace('"convert.py"', "")]) {
    const built = await buildDocument(document.replace("[,", "["));
    expect(unmetOf(built)).toEqual([]);
    const folder = await writeOut(built);
    const tested = await runIn(folder, `${built.scripts["build"]} && ${built.scripts["test"]}`);
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
    const lines = [
      ...["convert 5 km mi", "convert 0.125 m m", "convert -p 4 -- -40 C K", "convert 5 km C", "convert 5 km ly"],
      ...["convert many km m", "convert - km m --format csv < lines", "convert - km m < wrong"],
      ...["all 1 km --format table", "all 1 mi --json", "units", "share 1 3", "share 1 0"],
      ...["convert 1e3 m km -p5", "-p 1 convert 5 km mi", "5 km mi", "convert km m < lines", " | head -1"],
    ];
    await writeFile(join(folder, "lines"), "1\n\n2.5\n");
    await writeFile(join(folder, "wrong"), "1\nx\n");
    const script = lines.map((line) => `./bin/convert ${line} 2>&1; echo "[$?]"`).join("\n");
    outputs.push((await runIn(folder, script)).stdout.split(/(?<=\[\d+\]\n)/));
    if (built.files.has("convert.py"))
      expect((await runIn(folder, "python3 convert.py convert 1 km m")).stdout).toBe("1 km = 1000.00 m\n");
  }
  const [python, node] = outputs as [string[], string[]];
  expect(node).toEqual(python);
  const usage = "Try 'convert --help'.\n[64]\n";
  expect(python.slice(0, 9)).toEqual([
    "5 km = 3.11 mi\n[0]\n",
    "0.125 m = 0.13 m\n[0]\n",
    "-40 C = 233.1500 K\n[0]\n",
    "convert: km is of another kind than C\n[1]\n",
    `convert: to must be one of m, km, mi, C, K, not 'ly'\n${usage}`,
    `convert: value must be a number, not 'many'\n${usage}`,
    "value,from,to,result\n1,km,m,1000.00\n2.5,km,m,2500.00\n[0]\n",
    `convert: line 2 of the input: value must be a number, not 'x'\n${usage}`,
    "to          result\nm             1000\nkm               1\nmi  0.621371192237\n[0]\n",
  ]);
  expect(python.slice(-7)).toEqual([
    "share: 0.3\npercent: 33.3\nis_large: false\n[0]\n",
    "convert: nothing can be divided by zero\n[1]\n",
    "1000 m = 1.00000 km\n[0]\n",
    "5 km = 3.1 mi\n[0]\n",
    "5 km = 3.11 mi\n[0]\n",
    "1 km = 1000.00 m\n2.5 km = 2500.00 m\n[0]\n",
    "convert 1.0.0\n[0]\n",
  ]);
});

const todo = cliDocument({
  cli: {
    binary: "todo",
    default_command: "list",
    record: {
      name: "task",
      fields: {
        title: { type: "string", required: true },
        due: "date",
        priority: { type: "enum", values: ["low", "normal", "high"], default: "normal" },
        hours: { type: "number", min: 0 },
        done: { type: "boolean", default: false },
      },
    },
    commands: [
      { name: "add", does: "create", arguments: ["title"], options: ["due", "priority", "hours"] },
      {
        name: "list",
        does: "list",
        options: [
          "done",
          { name: "overdue", type: "boolean", where: "due < today() and not done" },
          { name: "before", type: "date", where: "due <= before" },
          { name: "search", where: "contains(lower(title), lower(search))" },
          { name: "limit", type: "integer" },
        ],
        columns: ["id", "title", "due"],
        sort: { option: "sort", values: ["due", "-priority"] },
      },
      { name: "done", does: "update", sets: { done: true }, prints: "Done: {title}" },
      { name: "export", does: "list", format: "csv", sort: "id" },
      { name: "load", does: "import" },
      { name: "left", does: "count", where: "not done" },
      { name: "hours", does: "sum", sums: "hours", group_by: { option: "by", values: ["priority"] } },
    ],
  },
});

test("a list of tasks has due dates, filters, an order and exports, in either language alike", {
  tags: "long",
}, async () => {
  const outputs: string[] = [];
  for (const language of ["javascript", "python"]) {
    const built = await buildDocument(JSON.stringify({ ...JSON.parse(todo), stack: { language } }));
    expect(unmetOf(built)).toEqual([]);
    const folder = await writeOut(built);
    const tested = await runIn(folder, built.scripts["test"]!);
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
    const lines = [
      ...[
        "add Milk --due 2020-01-01 --hours 0.5",
        "add 'Say \"hi\", now' --due 2999-01-02 --priority high",
        "add Third",
      ],
      ...["", "list --overdue", "list --before 2020-01-01 --json", "list --search THIRD", "list --sort -priority"],
      ...["done 1", "list --overdue", "list --done --limit 1", "left", "hours --by priority", "list --sort title"],
      ...["export > all.csv; cat all.csv", "load all.csv", "load -", "left --json"],
    ];
    const script = lines.map((line) => `./bin/todo ${line}; echo "[$?]"`).join("\n");
    const { stdout, stderr } = await runIn(folder, script.replace("load -", "load - < all.csv"));
    outputs.push(stdout + stderr);
  }
  expect(outputs[1]).toBe(outputs[0]);
  expect(outputs[0]).toContain("id  title          due\n 3  Third\n 1  Milk           2020-01-01\n");
  expect(outputs[0]).toContain("id  title  due\n 1  Milk   2020-01-01\n[0]\n[\n");
  expect(outputs[0]).toContain(' 2  Say "hi", now  2999-01-02\n 3  Third\n 1  Milk');
  expect(outputs[0]).toContain("Done: Milk\n[0]\nid  title  due\n[0]\n");
  expect(outputs[0]).toContain('2,"Say ""hi"", now",2999-01-02,high,,false\n');
  expect(outputs[0]).toContain("Added 3\n[0]\nAdded 3\n[0]\n");
  expect(outputs[0]).toContain("todo: sort must be one of due, -priority, not 'title'");
});

test("changing only what acceptance expects leaves every byte of the result the same", async () => {
  const document = parse(example);
  const other = {
    ...document,
    acceptance: {
      ...document.acceptance,
      commands: [
        { command: "./bin/tally greet Ada", stdout_contains: "Hello, Ada!" },
        { command: "node src/other.js", exit_code: 7, stdin: "a", stderr_contains: "b" },
      ],
    },
  };
  const built = await buildDocument(JSON.stringify(other));
  expect(built.files).toEqual((await buildDocument(example)).files);
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual(["/acceptance/commands/0", "/acceptance/commands/1"]);
});

test.each(soakCases(["javascript", "python"]))(
  "in %s, rules that a type cannot have are reported and left out",
  async (language) => {
    const built = await buildDocument(
      cliDocument({
        stack: { language },
        cli: {
          binary: "odd",
          record: {
            name: "note",
            fields: { text: { type: "string", required: true, min: 3 }, due: { type: "date", default: "soon" } },
          },
          commands: [
            { name: "hi", prints: 'Hi {whom}, {name} {"a": 1}', arguments: ["name"] },
            {
              name: "calc",
              arguments: [{ name: "n", type: "integer", max_length: 2 }],
              options: [
                { name: "k", type: "integer", default: "many" },
                { name: "m", type: "integer", min: 5, max: 2, default: 3 },
                { name: "mode", type: "enum", values: ["a", "b"], default: "c" },
              ],
              result: "n * m",
            },
            { name: "calc", arguments: [{ name: "n", type: "integer" }], result: "n + 1" },
            {
              name: "add",
              does: "create",
              arguments: ["text", "colour"],
              options: ["size"],
              prints: "Added {id} {text}",
            },
          ],
        },
      }),
    );
    const unmet = unmetOf(built);
    expect(unmet.map(({ pointer }) => pointer).toSorted()).toEqual(
      [
        ...["/cli/record/fields/text/min", "/cli/record/fields/due/default", "/cli/commands/0/prints"],
        ...["/cli/commands/1/arguments/0/max_length", "/cli/commands/1/options/0/default", "/cli/commands/1/options/0"],
        ...["/cli/commands/1/options/1/min", "/cli/commands/1/options/2/default", "/cli/commands/1/options/2"],
        ...["/cli/commands/2", "/cli/commands/3/arguments/1", "/cli/commands/3/options/0"],
      ].toSorted(),
    );
    expect(unmet.find(({ pointer }) => pointer.endsWith("/prints"))!.reason).toContain("there is name");
    const folder = await writeOut(built);
    expect((await runIn(folder, "./bin/odd calc 7 --m 9")).stdout).toBe("63\n");
    expect((await runIn(folder, "./bin/odd calc-2 7")).exitCode).toBe(2);
    expect((await runIn(folder, "./bin/odd add Milk red")).exitCode).toBe(2);
    const tested = await runIn(folder, built.scripts["test"]!);
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  },
);

test("what cannot be built is reported, and is not there", { tags: "long" }, async () => {
  const command = (name: string, more: object) => ({ name, arguments: [{ name: "n", type: "number" }], ...more });
  const built = await buildDocument(
    cliDocument({
      stack: { language: "rust", framework: "clap" },
      cli: {
        binary: "odd",
        plugins: true,
        entry: ["../odd.js", "src/help.js", "odd.py"],
        global_options: [{ name: "turbo", type: "boolean" }],
        tables: { mixed: { a: 1, b: "x" } },
        commands: [
          { name: "fly" },
          { name: "say", prints: "You said {word}", arguments: ["word"], options: ["loud"] },
          { name: "keep", does: "create" },
          command("open", { result: "n +" }),
          command("unknown", { result: "n * factor" }),
          command("typed", { result: "n * 'x'" }),
          command("called", { result: "frobnicate(n)" }),
          command("looked", { result: "n * mixed['a']" }),
          command("absent", { options: [{ name: "k", type: "number" }], result: "n * k" }),
          command("unused", { result: "1 + 1", sums: "n" }),
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
  const unmet = Object.fromEntries(unmetOf(built).map(({ pointer, reason }) => [pointer, reason]));
  expect(Object.keys(unmet).toSorted()).toEqual(
    [
      ...["/acceptance/commands/0", "/acceptance/startup_ms", "/acceptance/tests/0", "/cli/plugins"],
      ...["/cli/commands/0", "/cli/commands/1/options/0", "/cli/commands/2/does", "/cli/commands/3/result"],
      ...["/cli/commands/4/result", "/cli/commands/5/result", "/cli/commands/6/result", "/cli/commands/7/result"],
      ...["/cli/commands/8/result", "/cli/commands/9/arguments/0", "/cli/commands/9/sums", "/cli/entry/0"],
      ...["/cli/entry/1", "/cli/entry/2", "/cli/global_options/0", "/stack/framework", "/stack/language"],
    ].toSorted(),
  );
  expect(unmet["/cli/commands/4/result"]).toContain("'factor' is not known here. Known are mixed, n, turbo.");
  expect(unmet["/cli/commands/8/result"]).toContain("k may be absent: give it a default.");
  const folder = await writeOut(built);
  expect(await runIn(folder, "./bin/odd fly")).toMatchObject({ exitCode: 2, stdout: "" });
  expect((await runIn(folder, "./bin/odd say hi")).stdout).toBe("You said hi\n");
  expect([...built.files.keys()]).toContain("spec/program.spec.js");
  const tested = await runIn(folder, "npm run verify");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  expect(tested.stdout).toMatch(/fail 0/);
  expect(unmetOf(await buildDocument(cliDocument({}))).map(({ pointer }) => pointer)).toEqual(["/cli"]);
});

test("misspelled keys and values are told with what was meant", () => {
  const document = cliDocument({
    cli: {
      binry: "x",
      record: { fields: { a: "enmu", b: { type: "intger", requird: true } } },
      commands: [{ name: "add", dose: "create" }],
    },
  });
  const { diagnostics } = parseSpec(document);
  expect(diagnostics.map(({ suggestion }) => suggestion)).toEqual([
    "Did you mean 'binary'?",
    "Did you mean 'enum'?",
    "Did you mean 'integer'?",
    "Did you mean 'required'?",
    "Did you mean 'does'?",
  ]);
});

const inPython = example
  .replace("language: javascript", "language: python")
  .replace("runtime: node", "runtime: python3.11")
  .replace("test/**/*.test.js", "tests/unit/test_*.py")
  .replace('"node:test"', "unittest")
  .replace(/^scripts:\n(?: .*\n)+/m, "");

test("the same program is written in Python where the stack says so", { tags: "long" }, async () => {
  const built = await buildDocument(inPython);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const tested = await runIn(folder, built.scripts["test"]!);
  expect(tested.exitCode, tested.stderr).toBe(0);
  expect(await checkLines(built, folder)).toBe(14);
  expect((await runIn(folder, "./bin/tally total --input -", "amount,category\n0.1,a\n0.2,b\n")).stdout).toBe(
    "total  0.30\n",
  );
  expect(await pythonCoverage(folder, "app", ["tests"])).toBeGreaterThanOrEqual(0.85);
  const file = join(folder, "app/records.py");
  await writeFile(file, (await readFile(file, "utf8")).replace("+ Decimal(", "- Decimal("));
  expect((await runIn(folder, built.scripts["test"]!)).exitCode).not.toBe(0);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  for (const text of [example, todo, converter, inPython]) await expectSameBytes(text);
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

/** Texts of the example that are words of the vocabulary: in their place no other text is allowed. */
const words = new Set("create list sum delete completion decimal string date number csv lines".split(" "));

test("whatever texts a document holds, its program is well formed", async () => {
  const document = parse(example);
  await expectWellFormedWith(
    (texts, choose) => {
      const cli = replaceTexts(document.cli, (text) => (words.has(text) ? text : choose(text) || "x")) as object;
      const fields = Object.fromEntries(texts.map((text) => [`f${text}`, { type: "string" }]));
      const record = texts.length % 2 === 0 ? { record: { name: texts[0], fields } } : {};
      const identity = { name: choose("a"), description: choose("b"), id: `x${choose("c")}` };
      return JSON.stringify({ ...document, ...identity, cli: { ...cli, ...record } });
    },
    { numRuns: 60 },
  );
});

test.each(soakCases(["javascript", "python"]))(
  "a program of hostile texts in %s runs, and its tests pass",
  async (language) => {
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
          tables: { units: { [hostile]: 1, __proto__: 2, b: 3 }, [hostile]: { a: 1 } },
          commands: [
            {
              name: "look",
              arguments: [{ name: "unit", values_of: "units" }],
              result: "units[unit] * 2",
              prints: hostile,
            },
            { name: "units", does: "list", table: "units" },
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
  },
);

test.each(soakCases(["javascript", "python"]))(
  "texts with words of the program's own modules run in %s",
  async (language) => {
    const words = "the tables. fill( sorted( textOf( in_order( text_of( TABLES[1]";
    const built = await buildDocument(
      cliDocument({
        stack: { language },
        cli: {
          binary: "small",
          commands: [
            { name: "say", does: "print", prints: `${words} {x}`, arguments: [{ name: "x" }] },
            { name: "next", result: "n + 1", prints: `${words} {result}`, arguments: [{ name: "n", type: "number" }] },
          ],
        },
      }),
    );
    const folder = await writeOut(built);
    expect(await runIn(folder, "./bin/small say b")).toMatchObject({ exitCode: 0, stdout: `${words} b\n` });
    expect(await runIn(folder, "./bin/small next 1")).toMatchObject({ exitCode: 0, stdout: `${words} 2\n` });
  },
);

test("whatever an expression is, it is understood or refused", async () => {
  const part = fc.constantFrom(
    ..."n t 1 0.5 'a' ( ) [ ] . , + - * / % ^ == < and or not if( round( units true".split(" "),
  );
  const text = fc.oneof(
    hostileText,
    fc.array(part, { maxLength: 9 }).map((parts) => parts.join(" ")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (results) => {
      const parameters = [
        { name: "n", type: "number" },
        { name: "t", values_of: "units" },
      ];
      const commands = results.map((result) => ({ name: "c", arguments: parameters, result }));
      const cli = { tables: { units: { a: 1, 'b"': 2, __proto__x: 3 } }, commands };
      for (const language of ["javascript", "python"])
        expectWellFormed(await buildDocument(cliDocument({ stack: { language }, cli })));
    }),
    { numRuns: soakRuns(60) },
  );
});

test.for(soakCases(["javascript", "python"]))(
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
    const folder = await writeOut(built);
    const tested = await runIn(folder, built.scripts["test"]!);
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
    expect((await runIn(folder, "./bin/tally show 2 --input -", "amount,category\n1,a\n5,b\n")).stdout).toContain(
      "5.00",
    );
  },
);
