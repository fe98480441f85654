import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import { describe, expect, test } from "vitest";
import { folderWith, slipway } from "./run-slipway.ts";

describe("with flags alone", () => {
  test("a valid document of the type is written, and what to do next is told", async () => {
    const folder = await folderWith({});
    const { code, out } = await slipway(["init", "web-app", "--name", "Tool shed"], { cwd: folder });
    expect(code).toBe(0);
    expect(out).toContain("✔ Wrote tool-shed.yaml. Next:\n  slipway run tool-shed.yaml ");
    const { document, diagnostics } = parseSpec(await readFile(join(folder, "tool-shed.yaml")));
    expect(diagnostics).toEqual([]);
    expect(document).toMatchObject({ id: "tool-shed", name: "Tool shed", outcome_type: "web-app" });
  });

  test("a file is never overwritten, unless that is asked for", async () => {
    const folder = await folderWith({ "my-api.yaml": "precious" });
    const { code, err } = await slipway(["init"], { cwd: folder });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("'my-api.yaml' exists; use --output for another, or --force"),
    ]);
    expect(await readFile(join(folder, "my-api.yaml"), "utf8")).toBe("precious");
    const forced = await slipway(["init", "--type", "api", "--force", "--json"], { cwd: folder });
    expect(JSON.parse(forced.out)).toEqual({ file: "my-api.yaml", outcome_type: "api", language: "javascript" });
  });

  test("--output - prints it, and the file's name serves where no name is given", async () => {
    expect((await slipway(["init", "game", "-o", "-"])).out).toContain("outcome_type: game\n");
    const folder = await folderWith({});
    await slipway(["init", "cli", "--language", "python", "-o", "unit_converter.yaml"], { cwd: folder });
    const { document } = parseSpec(await readFile(join(folder, "unit_converter.yaml")));
    expect(document).toMatchObject({ id: "unit-converter", name: "Unit converter", stack: { language: "python" } });
  });

  test.for([
    [["init", "webapp"], "there is no outcome type 'webapp'; did you mean 'web-app'?"],
    [["init", "spaceship"], "the types are web-app, api,"],
    [["init", "game", "--language", "cobol"], "the built-in agent writes game in javascript, not in 'cobol'"],
    [["init", "api", "--name", "a\u0007b"], "a name has no control characters"],
  ] as const)("%s is refused with the remedy", async ([args, message]) => {
    const { code, err } = await slipway([...args, "-o", "-"]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

test("in a terminal, what the command line does not say is asked", async () => {
  const folder = await folderWith({});
  const { code, err } = await slipway(["init"], { cwd: folder, answers: ["cli", "Area", "python"] });
  expect(code).toBe(0);
  expect(err).toMatch(/ml-pipeline +Data to model to prediction\./);
  expect(err).toContain(
    "What kind of software? [api] Its name? [My CLI] Written in javascript or python? [javascript] ",
  );
  expect(parseSpec(await readFile(join(folder, "area.yaml"))).document).toMatchObject({
    stack: { language: "python" },
  });
  const { out } = await slipway(["init", "-o", "-"], { answers: [] });
  expect(out).toContain("id: my-api\n");
});

test.for(["Über: 'quotes' \"and\" #hash", "true", "42 things", "日本", "x", "- list", "a\u2028b"])(
  "whatever the name is, the document is valid: %s",
  async (name) => {
    for (const type of ["api", "cli", "ml-pipeline"]) {
      const { out, code } = await slipway(["init", type, "--name", name, "-o", "-"]);
      expect(code, `${type} ${out}`).toBe(0);
      expect(parseSpec(out).document).toMatchObject({ name, outcome_type: type });
    }
  },
);
