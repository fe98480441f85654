import { readFileSync } from "node:fs";
import { Command as CommanderCommand } from "commander";
import { describe, expect, test } from "vitest";
import { addCommand } from "../src/build-command.ts";
import { type Command, connectionOptions } from "../src/command.ts";
import { commands } from "../src/commands.ts";
import { errorAsJson } from "../src/error-json.ts";
import { examplesOf } from "../src/examples.ts";
import { CommandError } from "../src/exit-code.ts";
import { toYaml } from "../src/output/yaml.ts";
import { rootHelp } from "../src/root-help.ts";
import { commandReference } from "../tools/command-reference.ts";
import { slipway } from "./run-slipway.ts";

const all = commands.flatMap((command): [string, Command][] =>
  "commands" in command ? command.commands.map((below) => [`slipway ${command.name}`, below]) : [["slipway", command]],
);
const own = all.filter(([, command]) => !("isPassThrough" in command));

test("the help fits a screen and names every command", () => {
  const lines = rootHelp().trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  for (const { name } of commands) expect(rootHelp()).toMatch(new RegExp(`[ \\n]${name}(?:[ \\n]|$)`));
});

test("the reference is the one that the table makes", () => {
  const page = readFileSync(new URL("../../../docs/reference/command-line.md", import.meta.url), "utf8");
  expect(page === commandReference(), "run 'npm run generate'").toBe(true);
});

describe.each(own)("%s %o", (prefix, declared) => {
  test("takes --json, and its examples can be read", async () => {
    for (const example of examplesOf(prefix, declared)) {
      let ran = 0;
      const deps = { terminal: {} as never, end: () => undefined };
      const program = new CommanderCommand("slipway").exitOverride().configureOutput({ writeErr: () => undefined });
      const group = prefix === "slipway" ? program : program.command(prefix.split(" ")[1]!).exitOverride();
      const isAway = declared.needs !== undefined;
      const options = [...(declared.options ?? []), ...(isAway ? connectionOptions : [])];
      const { needs: _, check: __, ...local } = declared as Command & { check?: unknown };
      const run = async () => {
        ran++;
        return 0 as const;
      };
      addCommand(deps, group, { ...local, options, run } as Command);
      const command = example.replace(/ [<|>] .*$/, "").replace(/^.*\| /, "");
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(1);
      await program.parseAsync([...words, "--json"], { from: "user" });
      expect(ran, example).toBe(1);
    }
  });
});

test("earlier verbs still work, but are not shown", async () => {
  const [{ out: help }, old] = await Promise.all([slipway(["agents", "--help"]), slipway(["agents", "describe"])]);
  expect(help).toContain("show ");
  expect(help).not.toContain("describe");
  expect(old).toMatchObject({ code: 2, err: expect.stringContaining("give the agent's id or name") });
});

test("a failure for programs has a code, a message, a hint and what to do next", async () => {
  const { code, err } = await slipway(["projects", "show", "--json"]);
  expect([code, JSON.parse(err)]).toEqual([
    2,
    {
      ...{ code: "usage", message: "give the project's id; 'slipway projects list' shows it", hint: null },
      next: ["slipway projects list"],
    },
  ]);
  const mistyped = await slipway(["projects", "lst", "--json"]);
  expect([mistyped.code, JSON.parse(mistyped.err)]).toEqual([
    2,
    {
      ...{ code: "usage", message: "unknown command 'lst'", next: ["slipway --help"] },
      hint: "(Did you mean list?)\n'slipway --help' lists all commands",
    },
  ]);
  const error = new CommandError(124, "timed out\nThe project continues. To watch it: slipway projects watch proj_1");
  expect(JSON.parse(errorAsJson(error))).toEqual({
    ...{ code: "timed_out", message: "timed out", next: ["slipway projects watch proj_1"] },
    hint: "The project continues. To watch it: slipway projects watch proj_1",
  });
});

test("YAML says the same as JSON", async () => {
  const { parse } = await import("yaml");
  const value = {
    ...{ text: "plain words", number: 1, no: null, empty: "", yes: "yes", version: "1.0", multi: "a\nb: c", list: [] },
    ...{ deep: [{ a: [1, [2, "x"]], "odd key:": {} }, "#no comment", "- dash", "it's"], date: "2026-11-15T09:30:00Z" },
  };
  expect(parse(toYaml(value))).toEqual(value);
  expect(toYaml({ a: [{ b: 1, c: "d" }] })).toBe("a:\n  - b: 1\n    c: d");
});
