import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { usedDataFolder } from "../../server/tests/support/run-service.ts";
import { unsetEnv as env, folderWith, helloDocument, launcher, slipwayProcess } from "./run-slipway.ts";

const noAgents = "No agents available with capabilities: [alchemy]";

test("README's first command takes an example to running software, without a model or a network", async () => {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const [, file] = /npm install --omit=dev && npx slipway run (examples\/\S+) --exit-when-done\n/.exec(readme)!;
  const example = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
  const run = await slipwayProcess(["run", example, "--exit-when-done"], { cwd: await folderWith({}), env });
  expect(run.out).toMatch(/✔ Corkboard API is deployed/);
  expect(run.code).toBe(0);
});

test("a document that nobody can implement fails with the reason, on a service of our own that ends with it", {
  tags: "long",
}, async () => {
  const folder = await helloFolder();
  const run = await slipwayProcess(["run", "hello.yaml", "--exit-when-done", "--timeout", "2"], { cwd: folder, env });
  expect(run.code).toBe(1);
  expect(run.out).toContain(noAgents);
  const listed = await slipwayProcess(["projects", "list", "--json"], { cwd: folder, env });
  expect(JSON.parse(listed.out)).toMatchObject({ projects: [{ status: "failed", error: { message: noAgents } }] });
});

test("without --exit-when-done our own service stays up after the end, until Ctrl-C", { tags: "long" }, async () => {
  const folder = await helloFolder("elsewhere");
  const run = start(folder, ["run", "hello.yaml", "--data", "elsewhere"]);
  const [, address] = await said(run, /The service at (\S+) and what it deployed keep running/);
  expect(run.text).toContain("To start both again: slipway serve --data elsewhere ");
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  const shown = await slipwayProcess(["projects", "list", "--data", "elsewhere"], { cwd: folder, env });
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("failed") });
  run.child.kill("SIGINT");
  expect(await run.ended).toBe(1);
});

test("a plan that waits for approval is told with the command that approves it, and the command does", {
  tags: "long",
}, async () => {
  const folder = await helloFolder();
  const run = start(folder, ["run", "hello.yaml", "--review-plan", "--exit-when-done"]);
  const [, command] = await said(
    run,
    /is waiting for approval. To decide, run in another terminal:\n {2}slipway (.*)\n/,
  );
  const approved = await slipwayProcess(command!.split(" "), { cwd: folder, env });
  expect(approved).toMatchObject({ code: 0, out: expect.stringMatching(/^plan is approved \(appr_\w+\)\n$/) });
  expect(await run.ended).toBe(1);
  expect(run.text).toContain(noAgents);
});

// With --review-plan, so that the project is still there to be waited for.
test("Ctrl-C stops our own service and says how to go on; a second run finds a service that runs already", {
  tags: "long",
}, async () => {
  const folder = await helloFolder();
  const first = start(folder, ["serve", "--port", "0"]);
  const [, address] = await said(first, /ready at (\S+)/);
  const second = start(folder, ["run", "hello.yaml", "--review-plan"]);
  await said(second, new RegExp(`Using the service at ${address}`));
  await said(second, /Hello was created/);
  second.child.kill("SIGINT");
  expect(await second.ended).toBe(130);
  expect(second.text).toContain("The project continues. To watch it: slipway projects watch proj_");
  first.child.kill("SIGTERM");
  await first.ended;

  const third = start(folder, ["run", "hello.yaml", "--review-plan"]);
  await said(third, /Started a service on .slipway at http/);
  await said(third, /Hello was created/);
  const postmaster = join(folder, ".slipway/postgres/data/postmaster.pid");
  expect(existsSync(postmaster)).toBe(true);
  third.child.kill("SIGINT");
  expect(await third.ended).toBe(130);
  expect(third.text).toContain("To continue: slipway serve\n");
  expect(existsSync(postmaster)).toBe(false);
});

test("a service of our own ends with us, however we end", { tags: "long" }, async () => {
  const folder = await helloFolder();
  const run = start(folder, ["run", "hello.yaml", "--review-plan"]);
  await said(run, /Hello was created/);
  run.child.kill("SIGKILL");
  await run.ended;
  await vi.waitUntil(() => !existsSync(join(folder, ".slipway/postgres/data/postmaster.pid")), { timeout: 240_000 });
});

test("a service of our own that is killed after the end is told of, and what was deployed with it is no success", {
  tags: "long",
}, async () => {
  const folder = await helloFolder();
  const run = start(folder, ["run", "hello.yaml"]);
  await said(run, /and what it deployed keep running/);
  const parent = run.child.pid!;
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, "utf8")).trim().split(" ");
  for (const child of children) process.kill(Number(child), "SIGKILL");
  expect(await run.ended).toBe(5);
  expect(run.text).toContain("the service ended unexpectedly (SIGKILL)");
});

/** A folder with the document, and with a data folder of that name on which a service has run before. */
async function helloFolder(dataName = ".slipway"): Promise<string> {
  const data = await usedDataFolder();
  const folder = dirname(data);
  await rename(data, join(folder, dataName));
  await writeFile(join(folder, "hello.yaml"), helloDocument);
  return folder;
}

interface Started {
  readonly child: ReturnType<typeof spawn>;
  readonly ended: Promise<number | null>;
  text: string;
}

function start(cwd: string, args: readonly string[]): Started {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const started: Started = { child, text: "", ended: once(child, "close").then(([code]) => code as number | null) };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      started.text += text;
    });
  return started;
}

async function said(started: Started, what: RegExp): Promise<RegExpExecArray> {
  return vi
    .waitUntil(() => what.exec(started.text), { timeout: 240_000 })
    .catch(() => {
      throw new Error(`It did not say ${what}, but: ${started.text}`);
    });
}
