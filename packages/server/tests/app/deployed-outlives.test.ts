import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Project } from "@slipway/contract";
import { expect, test } from "vitest";
import { endProcessesIn, processesIn, signal } from "../support/database/run-starter.ts";
import { ask, program } from "../support/deployment/programs.ts";
import { supervisorOf } from "../support/deployment/supervisor-of.ts";
import { entry, type Service, startService, usedDataFolder } from "../support/run-service.ts";
import { smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const document = (version: string) => `${smallDocument("larder")}
requirements: { agents: { implementer: { capabilities: [scripted] } } }
scripts: { start: NAME=${version} node server.cjs }
deployment: { health_checks: { path: /health, interval_seconds: 1 } }
`;

/** Writes the program, as a coding agent would. */
const agents = `agents:
- name: writes
  kind: command
  command: sh
  args: ["-c", "printf %s \\"$PROGRAM\\" | base64 -d > server.cjs"]
  env: [PROGRAM]
  capabilities: [scripted]
`;

const env = {
  SLIPWAY_SUPERVISOR: "process",
  SLIPWAY_LOG_LEVEL: "warn",
  PROGRAM: Buffer.from(program).toString("base64"),
};

const start = (data: string) =>
  startService(data, ["--config", join(dirname(data), "agents.yaml")], { program: entry, env });

async function deploy(service: Service, version: string): Promise<number> {
  const { project_id: id } = await service.createProject(document(version));
  const read = async () => (await (await service.call(`/api/v1/projects/${id}`)).json()) as Project;
  const ended = await until(async () => {
    const project = await read();
    return project.status === "deployed" || project.status === "failed" ? project : undefined;
  });
  expect(ended).toMatchObject({ status: "deployed", error: null });
  const events = (await (await service.call(`/api/v1/projects/${id}/events?limit=100`)).json()) as {
    events: { event: string; data: { url: string } }[];
  };
  const { url } = events.events.find(({ event }) => event === "project.deployed")!.data;
  return Number(new URL(url).port);
}

const answerOf = (port: number) => until(() => ask(port).catch(() => undefined));

const untilSilent = (port: number) =>
  until(() =>
    ask(port).then(
      () => false,
      () => true,
    ),
  );

test("what is deployed outlives the service, its death and that of the whole machine, with its address and data", async () => {
  const data = await usedDataFolder();
  await writeFile(join(dirname(data), "agents.yaml"), agents);
  const first = await start(data);
  const port = await deploy(first, "one");
  const { pid, lines } = await ask(port, "/milk", "POST");
  expect(lines).toBe("milk\n");

  // The service is killed: nobody who uses the application notices, and the next service finds it.
  await first.killGroup();
  expect(await ask(port, "/bread", "POST")).toMatchObject({ pid, lines: "milk\nbread\n" });
  const second = await start(data);
  expect(await deploy(second, "two")).toBe(port);
  const next = await ask(port);
  expect(next).toMatchObject({ name: "two", lines: "milk\nbread\n" });

  // It is stopped in good order: the application goes on.
  await second.stop();
  expect(await ask(port)).toMatchObject({ pid: next.pid });

  // Everything is killed, as when the machine loses power.
  signal(supervisorOf(data), "SIGKILL");
  for (const one of processesIn(data)) signal(one, "SIGKILL");
  await untilSilent(port);
  const third = await start(data);
  expect(await answerOf(port)).toMatchObject({ name: "two", lines: "milk\nbread\n" });

  await third.stop();
  signal(supervisorOf(data), "SIGTERM");
  await untilSilent(port);
  await endProcessesIn(data);
});
