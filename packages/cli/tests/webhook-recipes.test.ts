// @module-tag soak
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../tools/soak-runs.ts";
import { folderWith, root, slipway } from "./run-slipway.ts";

const page = await readFile(join(root, "docs/reference/receiving-webhooks.md"), "utf8");
const plainSecret = "an old secret, 古い鍵";
const encodedSecret = `whsec_${Buffer.from("0123456789abcdef\u00ff").toString("base64")}`;

interface Recipe {
  readonly file: string;
  /** The program that must be there, and the line that starts the receiver. */
  readonly program: string;
  readonly command: (folder: string) => readonly [string, ...string[]];
}

const recipes: Readonly<Record<string, Recipe>> = {
  js: { file: "receiver.mjs", program: process.execPath, command: () => [process.execPath, "receiver.mjs"] },
  python: { file: "receiver.py", program: "python3", command: () => ["python3", "receiver.py"] },
  go: { file: "receiver.go", program: "go", command: (folder) => built(folder) },
};

describe.for(soakCases(Object.entries(recipes)))(
  "the receiver in %s of the page",
  ([language, { file, program, command }]) => {
    const isThere = spawnSync(program, [program === "go" ? "version" : "--version"]).status === 0;

    test.skipIf(!isThere)(
      isThere ? "passes every check, and takes each delivery once" : `skipped: no ${program}`,
      { timeout: 300_000 },
      async () => {
        const folder = await folderWith({ [file]: blockOf(language) });
        await symlink(join(root, "node_modules"), join(folder, "node_modules"));
        const line = command(folder);
        for (const secret of [encodedSecret, plainSecret]) {
          const { url, told } = await start(line, folder, secret);
          const { code, out, err } = await slipway(["webhooks", "verify", url, "--json"], {
            env: { SLIPWAY_WEBHOOK_SECRET: secret },
          });
          expect(err).toBe("");
          const { checks } = JSON.parse(out) as { checks: { name: string; verdict: string; expected: string }[] };
          expect(checks.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
          expect(code).toBe(0);
          const ids = () => told.filter((text) => text.startsWith("evt_")).map((text) => text.split(" ")[0]);
          const sent = checks.flatMap(({ expected }) => expected.split(", ")).filter((text) => text.startsWith("2xx"));
          // One of them is sent twice.
          await expect.poll(ids).toHaveLength(sent.length - 1);
          expect(new Set(ids()).size).toBe(sent.length - 1);
          expect(told.filter((text) => text.includes("missing"))).toEqual([" missing: 1 to 4"]);
        }
      },
    );

    test.skipIf(!isThere)("does not start without a secret", { timeout: 300_000 }, async () => {
      const folder = await folderWith({ [file]: blockOf(language) });
      await symlink(join(root, "node_modules"), join(folder, "node_modules"));
      for (const secret of ["", "whsec_"]) {
        const [executable, ...args] = command(folder);
        const env = { ...process.env, SLIPWAY_WEBHOOK_SECRET: secret, PORT: "0" };
        const { status, stderr } = spawnSync(executable, args, {
          cwd: folder,
          env,
          encoding: "utf8",
          timeout: 240_000,
        });
        expect(status).toBe(1);
        expect(stderr).toContain("SLIPWAY_WEBHOOK_SECRET holds no secret");
      }
    });
  },
);

/** The one block of code in a language. */
function blockOf(language: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, of]) => of === language);
  expect(blocks).toHaveLength(1);
  return blocks[0]?.[2] ?? "";
}

function built(folder: string): readonly [string] {
  const { status, stderr } = spawnSync("go", ["build", "-o", "receiver", "receiver.go"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return [join(folder, "receiver")];
}

/** Starts a receiver, which ends with the test; what it prints is collected. */
async function start([executable, ...args]: readonly [string, ...string[]], cwd: string, secret: string) {
  const env = { ...process.env, SLIPWAY_WEBHOOK_SECRET: secret, PORT: "0" };
  const child = spawn(executable, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  });
  const told: string[] = [];
  const lines = createInterface(child.stdout);
  const [url] = (await once(lines, "line")) as [string];
  lines.on("line", (text) => told.push(text));
  return { url, told };
}
