import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startLoad } from "../../support/proxy/load.ts";
import { only, startProxy } from "../../support/proxy/stage.ts";
import { until } from "../../support/until.ts";

const running: ChildProcess[] = [];
let instances: readonly Instance[];

// Started together: a process takes longer than a test.
beforeEach(async () => {
  instances = await Promise.all([startInstance("1"), startInstance("2")]);
});

afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

test("readers under load notice nothing when an instance is killed", { tags: "long" }, async () => {
  const [first, second] = instances;
  const { url, proxy } = await startProxy(only("v1", first!.origin, second!.origin));
  const load = startLoad(url, 20);
  await load.reached(200);
  await kill(first!);
  await load.reached(load.total() + 400);
  proxy.setOrigins("v1", [second!.origin]);
  await load.reached(load.total() + 100);
  await load.stop();
  expect([...load.answers.keys()].sort()).toEqual(["1", "2"]);
  expect(proxy.traffic()).toMatchObject([{ failed: 0, dropped: 0, inFlight: 0 }]);
});

test("an answer in the middle and a change without an answer end with a killed instance, and are counted", async () => {
  const [first, second] = instances;
  const { url, proxy } = await startProxy(only("v1", first!.origin));
  const half = await fetch(`${url}/half`);
  const change = fetch(`${url}/silent`, { method: "POST", body: "x" });
  await until(() => proxy.traffic()[0]!.inFlight === 2);
  proxy.setOrigins("v1", [first!.origin, second!.origin]);
  const reader = fetch(`${url}/silent`);
  await until(() => proxy.traffic()[0]!.inFlight === 3);
  await kill(first!);
  await expect(half.text()).rejects.toThrow("terminated");
  expect((await change).status).toBe(502);
  expect(proxy.traffic()).toMatchObject([{ requests: 2, dropped: 2, inFlight: 1 }]);
  await kill(second!);
  expect((await reader).status).toBe(502);
  expect(proxy.traffic()).toMatchObject([{ requests: 3, dropped: 3, inFlight: 0 }]);
});

interface Instance {
  readonly child: ChildProcess;
  readonly origin: string;
}

async function startInstance(name: string): Promise<Instance> {
  const program = fileURLToPath(new URL("../../support/proxy/program.ts", import.meta.url));
  const child = spawn(process.execPath, [program, name], { stdio: ["ignore", "pipe", "inherit"] });
  running.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, origin: `http://127.0.0.1:${line.toString().trim()}` };
}

async function kill({ child }: Instance): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
