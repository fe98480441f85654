import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { folderWith, launcher, root, slipway, slipwayProcess } from "./run-slipway.ts";

/** Makes the launcher believe that an older Node runs it. */
const asOldNode = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";

test("an older Node goes on with the one that comes with the install", async () => {
  const { code, out } = await slipwayProcess(["version", "--json"], { nodeArgs: ["--import", asOldNode] });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ node: expect.stringMatching(/^24\./) });
});

test("exit code and standard input go through to the older Node's caller", async () => {
  const { code, out } = await slipwayProcess(["validate", "-"], { nodeArgs: ["--import", asOldNode], input: "[" });
  expect(code).toBe(1);
  expect(out).toContain("Invalid YAML syntax at line 1:");
});

test("a signal to the launcher ends the command it started", async () => {
  const child = spawn(process.execPath, ["--import", asOldNode, launcher, "validate", "-"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const childrenFile = `/proc/${child.pid}/task/${child.pid}/children`;
  const command = await vi.waitUntil(() => readFileSync(childrenFile, "utf8").trim(), { timeout: 240_000 });
  child.kill("SIGTERM");
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: "SIGTERM" });
  expect(existsSync(`/proc/${command}`)).toBe(false);
});

test("without the right Node it says plainly what is needed", async () => {
  const folder = await folderWith({});
  const file = join(folder, "slipway.cjs");
  await copyFile(launcher, file);
  const { code, err } = await slipwayProcess(["version"], { nodeArgs: ["--import", asOldNode], file });
  expect(code).toBe(1);
  expect(err).toContain("slipway needs Node 24 or newer; this is ");
  expect(err).toContain("run 'npm install' in ");
});

test("--version and version print the version", async () => {
  const [flag, command] = await Promise.all([slipway(["--version"]), slipway(["version"])]);
  expect(flag.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(command.out).toBe(flag.out);
});

test.for([[[]], [["--help"]], [["validate", "--help"]], [["help", "schema"]]] as const)(
  "slipway %o explains itself",
  async ([args]) => {
    const { out, err } = await slipway(args);
    expect(`${out}${err}`).toContain("Usage: slipway");
  },
);

test.for([
  [["validat"], "slipway: unknown command 'validat'\n(Did you mean validate?)"],
  [["validate"], "slipway: missing required argument 'file'"],
  [["validate", "--formt", "x", "a.yaml"], "slipway: unknown option '--formt'"],
  [["validate", "--format", "xml", "a.yaml"], "Allowed choices are human, json, sarif, github."],
] as const)("a wrong call, slipway %o, ends with 2 and says what is wrong", async ([args, message]) => {
  const { code, out, err } = await slipwayProcess(args);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toContain(message);
  expect(err).not.toContain("    at ");
});

test("a reader that stops reading ends the command quietly", async () => {
  expect(await inShell("schema | head -1 > /dev/null")).toEqual({ code: 0, err: "" });
});

test.for(["doctor", "validate -"])(
  "slipway %s does not say that all is well where its reader went before",
  async (line) => {
    const child = spawn("sh", ["-c", `read go; exec "${process.execPath}" "${launcher}" ${line}`], { cwd: root });
    child.stdout.destroy();
    await once(child.stdout, "close");
    child.stdin.end("go\n[");
    const err = await text(child.stderr);
    expect({ code: child.exitCode ?? (await once(child, "exit"))[0], err }).toEqual({
      code: expect.any(Number),
      err: "",
    });
    expect(child.exitCode).not.toBe(0);
  },
);

describe.runIf(existsSync("/dev/full"))("on a disk without room", () => {
  test.for(["schema", "config", "--help"])("results fail slipway %s, which says so in a line", async (line) => {
    const err = "slipway: the output cannot be written: ENOSPC: no space left on device, write\n";
    expect(await inShell(`${line} > /dev/full`)).toEqual({ code: 1, err });
  });

  test.for([
    ["validat", 2],
    ["projects list --url http://127.0.0.1:9 --token spec_ut_0", 5],
  ] as const)("messages change no exit code: slipway %s", async ([line, code]) => {
    expect(await inShell(`${line} 2> /dev/full`)).toEqual({ code, err: "" });
  });
});

async function inShell(line: string) {
  const child = spawn("sh", ["-c", `"${process.execPath}" "${launcher}" ${line}`], { cwd: root });
  child.stdout.resume();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code: code as number | null, err };
}
