import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { folderWith, root, slipway, slipwayProcess } from "./run-slipway.ts";

const valid = `spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: web-app
stack: {}
acceptance: {}
environments:
  staging: { auto_deploy: true, guardrails: { security_scan: block } }
`;
const wrong = valid.replace("web-app", "webapp").replace("acceptance: {}\n", "");
const doubtful = valid.replace("stack: {}", "stack: {}\nguardrail: {}");

describe("for people", () => {
  test("a valid document ends with 0 and says so", async () => {
    const folder = await folderWith({ "shop.yaml": valid });
    const { code, out, err } = await slipway(["validate", "shop.yaml"], { cwd: folder });
    expect({ code, out, err }).toEqual({ code: 0, out: "✔ The document is valid.\n", err: "" });
  });

  test("each problem is told with its place, the line, a caret, the reason and the remedy", async () => {
    const folder = await folderWith({ "shop.yaml": wrong });
    const { code, out } = await slipway(["validate", "shop.yaml"], { cwd: folder });
    expect(code).toBe(1);
    expect(
      out,
    ).toBe(`shop.yaml:1:1: error: Schema validation error: missing required field: acceptance. [missing_fields]
  1 | spec_version: "1.0.0"
    | ^^^^^^^^^^^^
    = Add 'acceptance:'.

shop.yaml:5:15: error: Unknown outcome_type 'webapp'. Valid types: web-app, api, cli, game, library, ml-pipeline, mobile-app, desktop-app, infrastructure, documentation [unknown_outcome_type]
  5 | outcome_type: webapp
    |               ^^^^^^
    = Did you mean 'web-app'?

✘ 1 document of 1 is not valid: 2 errors.
`);
  });

  test("warnings do not fail, unless --strict", async () => {
    const folder = await folderWith({ "shop.yaml": doubtful });
    const lenient = await slipway(["validate", "shop.yaml"], { cwd: folder });
    expect(lenient.out).toContain('shop.yaml:7:1: warning: Unknown key "guardrail".');
    expect(lenient.code).toBe(0);
    expect((await slipway(["validate", "--strict", "shop.yaml"], { cwd: folder })).code).toBe(1);
  });

  test("standard input is read for -", async () => {
    const { code, out } = await slipway(["validate", "-"], { input: wrong });
    expect(code).toBe(1);
    expect(out).toContain("<stdin>:5:15: error:");
  });

  test("colours are used when asked for, and NO_COLOR turns them off", async () => {
    const colored = await slipwayProcess(["validate", "-"], { input: wrong, env: { NO_COLOR: "", FORCE_COLOR: "1" } });
    expect(colored.out).toContain("\x1b[31m");
    expect((await slipwayProcess(["validate", "-"], { input: wrong })).out).not.toContain("\x1b");
  });

  test("a document cannot write to the terminal", async () => {
    const hostile = `${valid}x: "\x1b]0;owned\x07"\nphases: { a: { depends_on: ["\\e[2J"] } }\n`;
    const { out } = await slipway(["validate", "-"], { input: hostile });
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });
});

describe("several files", () => {
  test("globs that the shell left alone are followed, in order, and each file once", async () => {
    const folder = await folderWith({ "b/two.yaml": valid, "a/one.yaml": wrong, "a/notes.txt": "" });
    const { code, out } = await slipway(["validate", "**/*.yaml", "a/one.yaml", "--json"], { cwd: folder });
    expect(code).toBe(1);
    const { valid: all, files } = JSON.parse(out) as { valid: boolean; files: { file: string; valid: boolean }[] };
    expect({ all, files: files.map(({ file, valid }) => [file, valid]) }).toEqual({
      all: false,
      files: [
        ["a/one.yaml", false],
        ["b/two.yaml", true],
      ],
    });
  });

  test.for([
    ["a missing file", ["missing.yaml"], "slipway: there is no file 'missing.yaml'\n"],
    ["a glob without a match", ["*.yml"], "slipway: no file matches '*.yml'\n"],
    ["a glob in a folder that is not there", ["/no/such/*.yml"], "slipway: no file matches '/no/such/*.yml'\n"],
    ["a folder", ["."], "slipway: '.' is a folder; name the documents in it, such as './*.yaml'\n"],
  ] as const)("%s ends with 2 and the rest is still checked", async ([, args, message]) => {
    const folder = await folderWith({ "shop.yaml": valid });
    const { code, out, err } = await slipway(["validate", ...args, "shop.yaml"], { cwd: folder });
    expect({ code, out, err }).toEqual({ code: 2, out: "✔ The document is valid.\n", err: message });
  });

  test("globs follow no link out of the folder, as one of a pull request may be, and none to git's own files", async () => {
    const folder = await folderWith({
      "here/shop.yaml": valid,
      "here/specs/.gitkeep": "",
      "here/.git/config": "token: a-secret",
      "there/keys.yaml": "password: a-secret",
    });
    const cwd = join(folder, "here");
    for (const [name, target] of Object.entries({
      "environ.yaml": "/proc/self/environ",
      "git.yaml": "../.git/config",
      "inside.yaml": "../shop.yaml",
      "keys.yaml": "../../there/keys.yaml",
      "loop.yaml": "loop.yaml",
      up: "../../there",
    }))
      await symlink(target, join(cwd, "specs", name));
    const { code, out, err } = await slipway(["validate", "specs/**/*.yaml", "specs/up/*.yaml"], { cwd });
    expect({ code, out }).toEqual({ code: 2, out: "✔ The document is valid.\n" });
    const refused = ["specs/environ.yaml", "specs/git.yaml", "specs/keys.yaml", "specs/up/keys.yaml"];
    for (const path of refused)
      expect(err).toContain(`slipway: '${path}' leads out of the folder: name the file itself\n`);
    expect(err).not.toContain("a-secret");
    // Whoever names a place elsewhere wants it.
    expect((await slipway(["validate", "../there/*.yaml"], { cwd })).out).toContain("password");
    expect((await slipway(["validate", "specs/keys.yaml"], { cwd })).out).toContain("password");
  });

  test("names of files are no orders to a terminal or to GitHub Actions", async () => {
    const names = [
      "a\n::error::x.yaml",
      "b\u001b]0;x\u0007.yaml",
      "c\u202egpj.yaml",
      "::error::d.yaml",
      "##[error]e.yaml",
    ];
    const cwd = await folderWith({ ...Object.fromEntries(names.map((name) => [name, wrong])), "f\n::x.yaml/g": "" });
    for (const more of [[], ["--format", "github"], ["--show-defaults", "--explain"]]) {
      const { out, err } = await slipway(["validate", "*.yaml", ...more], { cwd });
      expect(err).toMatch(/^slipway: 'f\ufffd::x.yaml' is a folder/);
      // Annotations themselves are orders, and escape what is in them.
      const text = more[0] === "--format" ? err : out + err;
      expect(text).not.toMatch(/^\s*::|##\[|[\u001b\u0007\u202e]/m);
    }
  });

  test("a file far over the limit is refused without being read whole", async () => {
    const { code, out } = await slipway(["validate", "/dev/zero"]);
    expect(code).toBe(1);
    expect(out).toContain("larger than 1 MiB");
  });
});

describe("environments, defaults and explanations", () => {
  test("an environment that does not exist is a problem of the document", async () => {
    const { code, out } = await slipway(["validate", "-", "--environment", "stagin", "--json"], { input: valid });
    const [file] = (JSON.parse(out) as { files: { diagnostics: unknown[] }[] }).files;
    expect(code).toBe(1);
    expect(file?.diagnostics).toMatchObject([
      { code: "unknown_environment", pointer: "/environments", line: 8, suggestion: "Did you mean 'staging'?" },
    ]);
  });

  test("--show-defaults lists what the document leaves open, for the environment", async () => {
    const { out } = await slipway(["validate", "-", "--show-defaults", "--environment", "staging"], { input: valid });
    expect(out).toContain("timeouts.implementation_minutes: 30\n");
    expect(out).toContain("resources.memory_gb: 2\n");
    expect(out).not.toContain("guardrails.security_scan");
  });

  test("--explain tells phases in order, the longest chain, services, events and checks", async () => {
    const { out } = await slipway([
      "validate",
      "--explain",
      "examples/services.yaml",
      "examples/phases-and-environments.yaml",
    ]);
    expect(out).toContain("planning → foundation → operator-desk → public-page → hardening → handbook → validation");
    expect(out).toContain("order.placed: orders → stock, messages");
    expect(out).toMatch(/5 services' health, 3 integration tests/);
  });

  test("--explain prints no control characters of the document", async () => {
    const folder = await folderWith({ "shop.yaml": valid.replace("name: Shop", 'name: "S\\e]0;title\\ahop"') });
    const { code, out } = await slipway(["validate", "--explain", "shop.yaml"], { cwd: folder });
    expect(code).toBe(0);
    expect(out).toContain("S\ufffd]0;title\ufffdhop");
  });

  test("--explain with --json gives the outline as data", async () => {
    const { out } = await slipway(["validate", "--explain", "--json", "examples/ml-pipeline.yaml"]);
    const [file] = (JSON.parse(out) as { files: { outline: unknown }[] }).files;
    expect(file?.outline).toMatchObject({ outcome_type: "ml-pipeline", environment: null, needs_approval: false });
  });

  test("outcome types of plugins are taken when they are named", async () => {
    const input = valid.replace("web-app", "platform");
    expect((await slipway(["validate", "-"], { input })).code).toBe(1);
    expect((await slipway(["validate", "-", "--outcome-type", "platform"], { input })).code).toBe(0);
    expect((await slipway(["validate", "--outcome-type", "platform", "-"], { input })).code).toBe(0);
  });
});

describe("for machines", () => {
  test("--json answers of each file what the API answers of a document", async () => {
    const { out } = await slipway(["validate", "-", "--json"], { input: doubtful });
    expect(JSON.parse(out)).toEqual({
      valid: true,
      files: [
        {
          file: "<stdin>",
          valid: true,
          diagnostics: [
            {
              severity: "warning",
              code: "misspelled_key",
              message: 'Unknown key "guardrail".',
              pointer: "/guardrail",
              line: 7,
              column: 1,
              endLine: 7,
              endColumn: 10,
              suggestion: "Did you mean 'guardrails'?",
            },
          ],
        },
      ],
    });
  });

  test("--format github prints annotations, one a line, with everything escaped", async () => {
    const folder = await folderWith({ "a,b: 100%.yaml": doubtful });
    const { out } = await slipway(["validate", "--format", "github", "a,b: 100%.yaml"], { cwd: folder });
    expect(out).toBe(
      "::warning file=a%2Cb%3A 100%25.yaml,line=7,col=1,endLine=7,endColumn=10,title=misspelled_key" +
        "::Unknown key \"guardrail\".%0ADid you mean 'guardrails'?\n",
    );
  });

  test("--format github prints nothing for valid documents", async () => {
    expect((await slipway(["validate", "--format", "github", "examples/api.yaml"])).out.trim()).toBe("");
  });

  test("--format sarif is valid SARIF 2.1.0", async () => {
    const folder = await folderWith({ "my shop.yaml": wrong });
    const { code, out } = await slipway(["validate", "--format", "sarif", "my shop.yaml"], { cwd: folder });
    expect(code).toBe(1);
    const log = JSON.parse(out) as { runs: { results: unknown[] }[] };
    const validate = sarifValidator();
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(log.runs[0]?.results[1]).toMatchObject({
      ruleId: "unknown_outcome_type",
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "my%20shop.yaml" },
            region: { startLine: 5, startColumn: 15, endLine: 5, endColumn: 21 },
          },
        },
      ],
    });
  });

  test("slipway schema prints the committed JSON Schema", async () => {
    const { out } = await slipway(["schema"]);
    expect(out).toBe(readFileSync(`${root}packages/spec/spec.schema.json`, "utf8"));
  });
});

function sarifValidator() {
  const file = createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
  // Its dialect marks are those of draft 4; what it uses means the same in the current one.
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  return new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
}
