import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { followFlows, noBrowser, serve } from "../../support/verification/follow-flows.ts";

describe.skipIf(noBrowser !== undefined)("a flow", async () => {
  const url = await serve((request, response) => {
    const isProgram = programs[request.url ?? ""];
    if (isProgram !== undefined) killOwn(isProgram);
    response.writeHead(200, { "content-type": "text/html" }).end("<p>All is well</p>");
  });
  const fine = ["open /fine", "see All is well"];
  const { verdicts } = await followFlows(url, [
    ["open /fine", "open /driver", "see All is well"],
    ["open /browser", "see All is well"],
    ["open /fine", "open /page", "see Nothing"],
    fine,
  ]);

  test("whose driver, browser or page is killed is not green", () => {
    expect(verdicts.slice(0, 3)).toMatchObject([
      { verdict: "not_checked", reason: expect.stringContaining("The browser ended at step 2, 'open /driver'.") },
      { verdict: "failed" },
      { verdict: "failed" },
    ]);
  });

  test("after them is followed all the same", () => {
    expect(verdicts[3]).toMatchObject({ verdict: "passed" });
  });
});

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
      process.kill(id, "SIGKILL");
}
