// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unsetEnv as env, folderWith, launcher, slipwayProcess } from "./run-slipway.ts";

const program = "require('http').createServer((q,s)=>s.end('hello')).listen(process.env.PORT,process.env.HOST)";
const document = JSON.stringify({
  ...{ spec_version: "1.0.0", id: "hello", name: "Hello", description: "Says hello.", outcome_type: "api" },
  ...{ stack: {}, acceptance: {}, scripts: { start: `${process.execPath} -e "${program}"` } },
});

// Six processes are started, one after the other.
test("what a service deployed goes on without it, as it says, and is stopped and started without it", async () => {
  const folder = await folderWith({ "hello.yaml": document });
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
