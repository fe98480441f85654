// @module-tag soak
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Project } from "@slipway/contract";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { programToWrite, writingAgent } from "../support/agents/writing-agent.ts";
import { endProcessesIn, processesIn, signal } from "../support/database/run-starter.ts";
import { program } from "../support/deployment/programs.ts";
import { supervisorOf } from "../support/deployment/supervisor-of.ts";
import type { DeploymentWithReleases } from "../support/deployments/app-calls.ts";
import { entry, type Service, startService, usedDataFolder } from "../support/run-service.ts";
import { smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** A piece of software that keeps names. */
interface Software {
  readonly document: object;
  readonly start: string;
  readonly list: string;
  readonly add: (address: string, name: string) => Promise<Response>;
}

/** Written by a command, as a coding agent would. */
const larder: Software = {
  document: {
    ...parse(smallDocument("larder")),
    requirements: { agents: { implementer: { capabilities: ["scripted"] } } },
    deployment: { health_checks: { path: "/health", interval_seconds: 1 } },
  },
  start: "node server.cjs",
  list: "/",
  add: (address, name) => fetch(`${address}/${name}`, { method: "POST" }),
};

/** Written by the built-in builder. */
const issues: Software = {
  document: parse(readFileSync(new URL("../../../../examples/api.yaml", import.meta.url), "utf8")),
  start: "node src/server.js",
  list: "/api/issues",
  add: (address, title) =>
    fetch(`${address}/api/issues`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title }),
    }),
};

/** Runs with each program of a version that is bad only where it is deployed: half of its answers are errors. */
const halfBad = `data:text/javascript,import{Server}from'node:http';const{emit}=Server.prototype;let n=0;if(process.env.SLIPWAY_VERSION)Server.prototype.emit=function(name,q,s){return name==='request'&&q.url!=='/health'&&n++%2?s.writeHead(500).end():emit.apply(this,arguments)}`;

const env = {
  SLIPWAY_SUPERVISOR: "process",
  SLIPWAY_LOG_LEVEL: "warn",
  SLIPWAY_REQUESTS_PER_MINUTE: "10000",
  ...programToWrite(program),
};
const start = (data: string) =>
  startService(data, ["--config", join(dirname(data), "agents.yaml")], { program: entry, env });

const isLong = process.env["SLIPWAY_LONG"] === "1";
const everything = isLong ? [["larder", larder] as const, ["issues", issues] as const] : [["larder", larder] as const];

test.for(everything)(
  "%s is updated, canaried, rolled back, killed and healed at one address with its data",
  {
    timeout: 600_000,
  },
  async ([, software]) => {
    const data = await usedDataFolder();
    await writeFile(join(dirname(data), "agents.yaml"), writingAgent);
    const first = await start(data);
    const { project_id, deployment, application_id } = await deployed(first, versionOf(software, "one"));
    const address = deployment!.url!;
    const names = async () => {
      const text = await (await fetch(address + software.list)).text();
      return ["milk", "bread"].filter((name) => text.includes(name));
    };
    expect((await software.add(address, "milk")).ok).toBe(true);

    // A new version takes over: nobody who uses it is dropped.
    const load = startLoad(address + software.list);
    expect((await deployed(first, versionOf(software, "two"))).deployment!.url).toBe(address);
    expect(await names()).toEqual(["milk"]);

    // The service is killed: nobody who uses the application notices, and the next service finds it.
    await first.killGroup();
    await load.hundredMore();
    expect((await software.add(address, "bread")).ok).toBe(true);
    const second = await start(data);
    const live = () => liveRelease(second, application_id);
    expect(await live()).toBe(2);
    expect(load.failed).toEqual([]);

    // A version that fails half of its requests is taken back while few have met it.
    const canary = { strategy: "canary", canary: { percent: 10, minutes: 60, min_requests: 10 } };
    const bad = await ended(second, versionOf(software, "three", canary, `node --import "${halfBad}"`));
    expect(bad).toMatchObject({ status: "failed", error: { code: "deployment_failed" } });
    expect(bad.error?.message).toContain("The canary was taken back");
    expect(await live()).toBe(2);
    const met = load.failed.length;
    expect(new Set(load.failed)).toEqual(new Set([500]));

    // Yesterday's version is one command away.
    const path = `/api/v1/applications/${application_id}/deployments/default`;
    expect((await second.call(`${path}/rollback`, { method: "POST" })).status).toBe(200);
    expect(await live()).toBe(1);
    await load.hundredMore();
    expect(load.failed).toHaveLength(met);
    await load.stop();
    expect(await names()).toEqual(["milk", "bread"]);

    // Its own process is killed: it is started again.
    const programs = programsOf(data);
    expect(programs).not.toEqual([]);
    for (const pid of programs) signal(pid, "SIGKILL");
    await until(async () => (await fetch(address + software.list)).ok);
    const events = await until(async () => {
      const told = await eventsOf(second, project_id);
      return told.some(({ event }) => event === "deployment.recovered") && told;
    });
    const ill = events.filter(({ event }) => event === "deployment.unhealthy");
    expect(ill.map(({ data }) => data.reason)).toEqual([expect.stringMatching(/exit code 137|SIGKILL/)]);

    // The service is stopped in good order: the application goes on.
    await second.stop();
    expect(await names()).toEqual(["milk", "bread"]);

    // Everything is killed, as when the machine loses power.
    signal(supervisorOf(data), "SIGKILL");
    for (const one of processesIn(data)) signal(one, "SIGKILL");
    await untilSilent(address);
    const third = await start(data);
    await until(() => names().catch(() => undefined));
    expect(await names()).toEqual(["milk", "bread"]);
    expect(await liveRelease(third, application_id)).toBe(1);

    await third.stop();
    signal(supervisorOf(data), "SIGTERM");
    await untilSilent(address);
    await endProcessesIn(data);
  },
);

function versionOf({ document, start: command }: Software, version: string, deployment: object = {}, node = "node") {
  const own = document as { deployment: object; scripts?: object };
  const scripts = { ...own.scripts, start: `NAME=${version} ${command.replace(/^node/, node)}` };
  return stringify({ ...own, scripts, deployment: { ...own.deployment, ...deployment } });
}

async function deployed(service: Service, document: string): Promise<Project> {
  const project = await ended(service, document);
  expect(project).toMatchObject({ status: "deployed", error: null });
  return project;
}

async function ended(service: Service, document: string): Promise<Project> {
  const { project_id: id } = await service.createProject(document);
  return until(async () => {
    const project = (await (await service.call(`/api/v1/projects/${id}`)).json()) as Project;
    return project.status === "deployed" || project.status === "failed" ? project : undefined;
  });
}

async function liveRelease(service: Service, applicationId: string): Promise<number | undefined> {
  const answer = await service.call(`/api/v1/applications/${applicationId}/deployments/default`);
  return ((await answer.json()) as DeploymentWithReleases).release?.number;
}

async function eventsOf(service: Service, projectId: string) {
  const answer = await service.call(`/api/v1/projects/${projectId}/events?limit=100`);
  return ((await answer.json()) as { events: { event: string; data: { reason?: string } }[] }).events;
}

/** People who use the application, without a pause. */
function startLoad(url: string) {
  const failed: unknown[] = [];
  let asked = 0;
  let isOver = false;
  const people = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const status = await fetch(url).then(
        async (answer) => {
          await answer.text();
          return answer.status;
        },
        (error: Error) => error.cause ?? error,
      );
      if (status !== 200) failed.push(status);
      asked += 1;
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(people);
  };
  onTestFinished(stop);
  const hundredMore = () => {
    const enough = asked + 100;
    return until(() => asked >= enough);
  };
  return { failed, hundredMore, stop };
}

const untilSilent = (address: string) =>
  until(() =>
    fetch(address).then(
      () => false,
      () => true,
    ),
  );

/** The processes of what is deployed from a data folder, but not those that hold them. */
function programsOf(dataFolder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isNode = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0]!.endsWith("node");
        return isNode && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`SLIPWAY_DATA_DIR=${dataFolder}/`);
      } catch {
        return false;
      }
    });
}
