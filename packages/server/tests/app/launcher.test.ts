// @module-tag soak
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { processesIn, signal, testFolder } from "../support/database/run-starter.ts";
import { entry, launcher, Service, startService, withoutOurs } from "../support/run-service.ts";
import { unbuildableDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Makes the launcher believe that an older Node runs it: it goes on with another one, as a process between. */
const asOldNode = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";

test.for(
  soakCases([
    { name: "the launcher of an older Node before it", nodeArgs: ["--import", asOldNode] },
    { name: "the command", nodeArgs: [] },
  ]),
)("a violent end of $name alone ends the service as SIGTERM does", { tags: "long" }, async ({ nodeArgs }) => {
  const folder = await testFolder();
  const service = await startService(join(folder, "data"), [], { nodeArgs });
  const { project_id } = await service.createProject(unbuildableDocument());
  const url = `/api/v1/projects/${project_id}`;
  // Nobody here can build it: then nothing changes any more, and who waits waits.
  await until(async () => ((await (await service.call(url)).json()) as { status: string }).status === "failed");
  const waiting = service.call(url, { headers: { prefer: "wait=60" } });
  await until(async () => (await openStreams(service)) === 1);
  process.kill(service.child.pid!, "SIGKILL");
  // Who waits is answered, and the database is taken along.
  expect((await waiting).status).toBe(200);
  await service.ended;
  await until(() => processesIn(folder).length === 0);
  const again = await startService(service.data);
  expect((await again.call(url)).status).toBe(200);
});

test("a violent end of the command while the service starts leaves nothing behind", { tags: "long" }, async () => {
  const folder = await testFolder();
  const service = new Service(join(folder, "data"));
  await until(() => service.postgresPid);
  process.kill(service.child.pid!, "SIGKILL");
  await service.ended;
  await until(() => processesIn(folder).length === 0);
});

test.for(soakCases(["npm", "its shell"]))("a violent end of %s ends a service that npx has started", async (whose) => {
  const folder = await testFolder();
  const command = [process.execPath, launcher, "serve", "--port", "0", "--data", join(folder, "data")];
  // As npx does it: a process that waits for a shell, which waits for the command.
  const shell = `sh -c '"$@"; true' sh "$@" & echo "process $!"; wait`;
  const npm = spawn("sh", ["-c", shell, "sh", ...command], {
    cwd: folder,
    detached: true,
    env: { ...withoutOurs(process.env), npm_lifecycle_event: "npx" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  endAllIn(folder);
  const out = collect(npm);
  await until(() => /ready at (\S+)/.exec(out.text)?.[1]);
  process.kill(whose === "npm" ? npm.pid! : Number(/process (\d+)/.exec(out.text)?.[1]), "SIGKILL");
  await until(() => processesIn(folder).length === 0);
});

test.for(
  soakCases([
    { name: "slipway serve", program: launcher },
    { name: "the service's own entry", program: entry },
  ]),
)("$name & goes on when the shell that started it has ended", { tags: "long" }, async ({ program }) => {
  const folder = await testFolder();
  const command = [process.execPath, program, "serve", "--port", "0", "--data", join(folder, "data")];
  const shell = spawn("sh", ["-c", '"$@" & echo "process $!"', "sh", ...command], {
    cwd: folder,
    detached: true,
    env: withoutOurs(process.env),
    stdio: ["pipe", "pipe", "ignore"],
  });
  endAllIn(folder);
  const out = collect(shell);
  await once(shell, "exit");
  shell.stdin!.end();
  const address = await until(() => /ready at (\S+)/.exec(out.text)?.[1]);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  process.kill(Number(/process (\d+)/.exec(out.text)?.[1]), "SIGTERM");
  await until(() => processesIn(folder).length === 0);
});

test("the service's entry, started by a program that lets go of it, goes on", { tags: "long" }, async () => {
  const folder = await testFolder();
  const child = fork(entry, ["serve", "--port", "0", "--data", join(folder, "data")], {
    cwd: folder,
    env: withoutOurs(process.env),
    execArgv: [],
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  endAllIn(folder);
  const out = collect(child);
  const address = await until(() => /ready at (\S+)/.exec(out.text)?.[1]);
  const disconnected = once(child, "disconnect");
  child.disconnect();
  await disconnected;
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  await fetch(`${address}/readyz`).then(({ status }) => expect(status).toBe(200));
  child.kill("SIGTERM");
  await until(() => processesIn(folder).length === 0);
});

function collect({ stdout }: ChildProcess): { text: string } {
  const collected = { text: "" };
  stdout!.setEncoding("utf8").on("data", (text: string) => {
    collected.text += text;
  });
  return collected;
}

/** After the test, whatever became of it. */
function endAllIn(folder: string): void {
  onTestFinished(async () => {
    for (const pid of processesIn(folder)) signal(pid, "SIGKILL");
    await until(() => processesIn(folder).length === 0);
  });
}

async function openStreams(service: Service): Promise<number> {
  const text = await (await service.call("/metrics")).text();
  return Number(/^slipway_http_open_streams (\d+)$/m.exec(text)?.[1]);
}
