import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../../src/platform/sandbox/index.ts";
import { findBrowser } from "../../../src/verification/browser/index.ts";
import { runFlows } from "../../../src/verification/browser/run-flows.ts";
import { signal } from "../../support/database/run-starter.ts";
import { followFlows, noBrowser, serve } from "../../support/verification/follow-flows.ts";

describe.skipIf(noBrowser !== undefined)("a flow", async () => {
  const url = await serve((request, response) => {
    const isProgram = programs[request.url ?? ""];
    if (isProgram !== undefined) killOwn(isProgram);
    const busy = request.url === "/busy" ? "<script>setTimeout(() => { for (;;); })</script>" : "";
    response.writeHead(200, { "content-type": "text/html" }).end(`<p>All is well</p>${busy}`);
  });
  const fine = ["open /fine", "see All is well"];
  const { verdicts } = await followFlows(url, [
    ["open /fine", "open /driver", "see All is well"],
    ["open /browser", "see All is well"],
    ["open /fine", "open /page", "see Nothing"],
    fine,
  ]);
  const late = await followFlows(url, [["open /busy", "see Nothing"]], { flowMs: 5_000 });
  const lost = await runFlows(await hastySandbox(), {
    ...{ flows: [[]], browser: (await findBrowser())!, url, servicePorts: [], flowMs: 5_000 },
    signal: new AbortController().signal,
  });
  await lost.remove();

  test("whose driver, browser or page is killed is not green", () => {
    expect(verdicts.slice(0, 3)).toMatchObject([
      { verdict: "not_checked", reason: expect.stringContaining("The browser ended at step 2, 'open /driver'.") },
      { verdict: "failed" },
      { verdict: "failed" },
    ]);
  });

  test("that takes too long says which limit it has", () => {
    const message = "the flow took longer than 5 seconds. Make its pages quicker, or write two flows.";
    expect(late.verdicts).toMatchObject([{ verdict: "failed", reason: expect.stringContaining(message) }]);
  });

  test("whose browser takes too long says which limit it has", () => {
    expect(lost.ends).toMatchObject([{ why: "The browser took longer than 125 seconds. Make it quicker." }]);
  });

  test("after them is followed all the same", () => {
    expect(verdicts[3]).toMatchObject({ verdict: "passed" });
  });
});

test("a program that says what is no message is ended, and the flow is lost", async () => {
  const said = await runFlows(await garbledSandbox(), {
    ...{ flows: [[], []], browser: "/usr/bin/none", url: "http://127.0.0.1:1", servicePorts: [] },
    signal: new AbortController().signal,
  });
  await said.remove();
  expect(said.ends).toMatchObject(Array.from({ length: 2 }, () => ({ why: "It said what is no message." })));
});

/** Whose programs print something else, and go on. */
async function garbledSandbox(): Promise<Parameters<typeof runFlows>[0]> {
  const sandbox = await createSandbox({ mode: "auto", dataFolder: join(tmpdir(), "slipway-flows-data") });
  const startProcess: typeof sandbox.startProcess = (options) =>
    sandbox.startProcess({ ...options, readable: [], command: ["sh", "-c", "echo hello; exec sleep 1000"] });
  return { found: sandbox.found, temporary: sandbox.temporary, startProcess };
}

/** For whose programs the time is over as soon as they begin. */
async function hastySandbox(): Promise<Parameters<typeof runFlows>[0]> {
  const sandbox = await createSandbox({ mode: "auto", dataFolder: join(tmpdir(), "slipway-flows-data") });
  const startProcess: typeof sandbox.startProcess = (options) =>
    sandbox.startProcess({ ...options, limits: { ...options.limits, wallMs: 1 } });
  return { found: sandbox.found, temporary: sandbox.temporary, startProcess };
}

/** What is killed when a page is asked for. */
const programs: Readonly<Record<string, (command: string) => boolean>> = {
  "/driver": (command) => command.includes("flow-program"),
  "/browser": (command) => command.includes("--remote-debugging-pipe") && !command.includes("--type="),
  "/page": (command) => command.includes("--type=renderer"),
};

/** Kills the programs that this process has started, itself or by others, and that are meant. */
function killOwn(isMeant: (command: string) => boolean): void {
  const processes = readdirSync("/proc").flatMap((name) => {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      return parent === undefined ? [] : [{ id: Number(name), parent: Number(parent), command }];
    } catch {
      return [];
    }
  });
  const own = new Set([process.pid]);
  for (let before = 0; before !== own.size; ) {
    before = own.size;
    for (const { id, parent } of processes) if (own.has(parent)) own.add(id);
  }
  for (const { id, command } of processes)
    if (own.has(id) && !command.startsWith("bwrap") && !command.includes("/bwrap ") && isMeant(command))
      signal(id, "SIGKILL");
}
