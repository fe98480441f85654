// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { supervisorOf } from "../../server/tests/support/deployment/supervisor-of.ts";
import { unsetEnv as env, folderWith, launcher, slipwayProcess } from "./run-slipway.ts";

const program = "require('http').createServer((q,s)=>s.end('hello')).listen(process.env.PORT,process.env.HOST)";
const documentOf = (id: string) =>
  JSON.stringify({
    ...{ spec_version: "1.0.0", id, name: "Hello", description: "Says hello.", outcome_type: "api" },
    ...{ stack: {}, acceptance: {}, scripts: { start: `${process.execPath} -e "${program}"` } },
  });

// Six processes are started, one after the other.
test("what a service deployed goes on without it, as it says, and is stopped and started without it", async () => {
  const folder = await folderWith({ "hello.yaml": documentOf("hello") });
  const apps = (...args: string[]) => slipwayProcess(["apps", ...args], { cwd: folder, env });
  const service = serve(folder);
  onTestFinished(async () => {
    await apps("rm", "hello", "--yes");
  });
  await service.said(/ready at/);
  const run = await slipwayProcess(["run", "hello.yaml"], { cwd: folder, env });
  const [, url = ""] = /Result: {2}(\S+)\n {2}Stop: {4}slipway apps stop app_\w+\n/.exec(run.out) ?? [];
  expect(await answerOf(url), run.out + run.err).toBe("hello");
  await service.stop();
  expect(service.text).toContain("1 application keeps running without the service");
  expect(await answerOf(url)).toBe("hello");
  expect(await apps("stop", "hello")).toMatchObject({ code: 0, out: expect.stringContaining("is stopped") });
  expect(await answerOf(url)).toBe("nothing");
  expect(await apps("start", "hello")).toMatchObject({ code: 0, out: expect.stringContaining(`is live at ${url}`) });
  expect(await answerOf(url)).toBe("hello");
});

test("a run that starts a service of its own leaves what others deployed, and ends only what nobody else keeps", async () => {
  const folder = await folderWith({ "hello.yaml": documentOf("hello"), "other.yaml": documentOf("other") });
  const slipway = (...args: string[]) => slipwayProcess(args, { cwd: folder, env });
  const statuses = async () => {
    const { applications } = JSON.parse((await slipway("apps", "list", "--json")).out) as Listed;
    return applications.flatMap(({ document_id, deployments }) => [document_id, ...deployments.map(statusOf)]);
  };
  onTestFinished(async () => {
    await slipway("apps", "rm", "hello", "--yes");
    await slipway("apps", "rm", "other", "--yes");
  });

  // Nothing runs here: it ends with the service, and nobody is told otherwise.
  const alone = await slipway("run", "hello.yaml", "--exit-when-done");
  const url = resultOf(alone.out);
  expect(alone.err).toContain("Stopping the service and what it deployed.");
  expect(await answerOf(url)).toBe("nothing");
  expect(await statuses()).toEqual(["hello", "stopped"]);

  const service = serve(folder);
  await service.said(/ready at/);
  await expect.poll(() => answerOf(url)).toBe("hello");
  await service.stop();
  const others = await slipway("run", "other.yaml", "--exit-when-done");
  expect(others.err).toContain("Stopping the service. To start it again: slipway serve\n");
  expect(others.err).toContain(
    "What is deployed from .slipway keeps running: 'slipway apps list' lists it, 'slipway apps stop' ends one.\n",
  );
  expect([await answerOf(url), await answerOf(resultOf(others.out))]).toEqual(["hello", "hello"]);
  expect(await statuses()).toEqual(["other", "live", "hello", "live"]);

  // The machine loses power: nothing is live that does not run.
  process.kill(supervisorOf(join(folder, ".slipway")), "SIGKILL");
  await expect.poll(() => answerOf(url)).toBe("nothing");
  expect(await statuses()).toEqual(["other", "stopped", "hello", "stopped"]);
});

interface Listed {
  readonly applications: readonly {
    readonly document_id: string;
    readonly deployments: readonly { readonly status: string }[];
  }[];
}

function statusOf({ status }: { readonly status: string }): string {
  return status;
}

function resultOf(out: string): string {
  return /Result: {2}(\S+)/.exec(out)?.[1] ?? "";
}

function serve(folder: string) {
  const child = spawn(process.execPath, [launcher, "serve", "--port", "0"], {
    cwd: folder,
    env: { ...process.env, ...env, SLIPWAY_DATA: join(folder, ".slipway") },
  });
  const ended = once(child, "close");
  const service = {
    text: "",
    said: async (what: RegExp) => expect.poll(() => service.text).toMatch(what),
    stop: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      service.text += text;
    });
  onTestFinished(service.stop);
  return service;
}

function answerOf(url: string): Promise<string> {
  return fetch(url, { headers: { connection: "close" } }).then(
    (answer) => answer.text(),
    () => "nothing",
  );
}
