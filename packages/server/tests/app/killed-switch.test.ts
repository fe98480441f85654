// @module-tag long
import { randomBytes, randomInt } from "node:crypto";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { EventRecord, Project } from "@slipway/contract";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { programToWrite, writingAgent } from "../support/agents/writing-agent.ts";
import { signal, testFolder } from "../support/database/run-starter.ts";
import { createTestDatabase } from "../support/database/test-database.ts";
import { type Answer, program } from "../support/deployment/programs.ts";
import { supervisorsOf } from "../support/deployment/supervisor-of.ts";
import type { DeploymentWithReleases } from "../support/deployments/app-calls.ts";
import { FakeS3 } from "../support/fake-s3.ts";
import { entry, type Service, startService } from "../support/run-service.ts";
import { smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const migrations = fileURLToPath(new URL("../../src/platform/database/migrations", import.meta.url));
const databases = [await createTestDatabase(migrations), await createTestDatabase(migrations)];
const s3 = await new FakeS3().listen();
const rounds = 20;
const strategies = ["blue_green", "rolling", "recreate", "canary"];

const env = {
  SLIPWAY_MASTER_KEY: randomBytes(32).toString("base64"),
  SLIPWAY_SUPERVISOR: "process",
  SLIPWAY_LOG_LEVEL: "warn",
  SLIPWAY_REQUESTS_PER_MINUTE: "100000",
  SLIPWAY_ARTIFACT_STORE: "s3",
  SLIPWAY_S3_BUCKET: s3.bucket,
  SLIPWAY_S3_ENDPOINT: s3.url,
  SLIPWAY_S3_REGION: "here",
  SLIPWAY_S3_PATH_STYLE: "true",
  SLIPWAY_S3_ACCESS_KEY_ID: "the-key",
  SLIPWAY_S3_SECRET_ACCESS_KEY: "the-secret",
  ...programToWrite(program),
};

test.for([
  ["on one data folder", ["a", "a"], databases[0]!.url],
  ["with a data folder each", ["a", "b"], databases[1]!.url],
] as const)(
  `every version goes live while one of two nodes %s is killed within the switch, ${rounds} times`,
  {
    timeout: 120_000 + rounds * 60_000,
  },
  async ([, names, database]) => {
    const folder = await testFolder();
    const config = join(folder, "agents.yaml");
    await writeFile(config, writingAgent);
    const [one, two] = names.map((name) => join(folder, name)) as [string, string];
    const start = (data: string) =>
      startService(data, ["--config", config], { program: entry, env: { ...env, SLIPWAY_DATABASE_URL: database } });
    const nodes: [Service, Service] = [await start(one), await start(two)];
    if (one !== two) await copyFile(join(one, "admin-token"), join(two, "admin-token"));
    const first = await ended(nodes[0], (await nodes[0].createProject(versionOf(0))).project_id);
    expect(first).toMatchObject({ status: "deployed", error: null });
    const address = first.deployment!.url!;
    const endSupervisors = (name: NodeJS.Signals) => {
      for (const pid of new Set([one, two].flatMap(supervisorsOf))) signal(pid, name);
    };
    const newest = async (service: Service) => {
      const answer = await service.call(`/api/v1/applications/${first.application_id}/deployments/default`);
      return ((await answer.json()) as DeploymentWithReleases).releases[0]!;
    };
    for (let round = 1; round <= rounds; round += 1) {
      const [dies, stays] = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
      const before = (await newest(nodes[stays])).number;
      const { project_id: id } = await nodes[stays].createProject(versionOf(round));
      await until(async () => (await newest(nodes[stays])).number > before);
      // The moment is chance, once the version is being deployed: that is what is tried.
      await delay(randomInt(0, 1_200));
      await nodes[dies].killGroup();
      // Every third time what keeps programs alive dies with it.
      if (round % 3 === 0) endSupervisors("SIGKILL");
      nodes[dies] = await start(dies === 0 ? one : two);

      expect(await ended(nodes[stays], id)).toMatchObject({
        status: "deployed",
        error: null,
        deployment: { url: address },
      });
      const { name } = await until(async () => {
        const answer = await fetch(`${address}/line${round}`, { method: "POST" }).catch(() => undefined);
        return answer?.ok ? ((await answer.json()) as Answer) : undefined;
      });
      expect(name).toBe(`v${round}`);
      expect(await newest(nodes[dies])).toMatchObject({ status: "live" });
      const { events } = await asked<{ events: EventRecord[] }>(nodes[dies], `/api/v1/projects/${id}/events?limit=100`);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
      expect(events.filter(({ event }) => event === "project.deployed")).toHaveLength(1);
    }
    const { lines } = (await (await fetch(address)).json()) as Answer;
    expect(lines.trim().split("\n")).toEqual(Array.from({ length: rounds }, (_, round) => `line${round + 1}`));
    await Promise.all(nodes.map((node) => node.stop()));
    endSupervisors("SIGTERM");
  },
);

/** It takes a while to start, so that most kills meet the switch. */
function versionOf(round: number): string {
  const strategy = strategies[round % strategies.length]!;
  return stringify({
    ...parse(smallDocument("larder")),
    requirements: { agents: { implementer: { capabilities: ["scripted"] } } },
    scripts: { start: `sleep 0.5; NAME=v${round} exec node server.cjs` },
    deployment: {
      strategy,
      ...(strategy === "canary" && { canary: { percent: 50, minutes: 0.05, min_requests: 1 } }),
      health_checks: { path: "/health", interval_seconds: 1 },
    },
  });
}

function ended(service: Service, id: string): Promise<Project> {
  return until(async () => {
    const project = await asked<Project>(service, `/api/v1/projects/${id}`);
    return project.status === "deployed" || project.status === "failed" ? project : undefined;
  });
}

async function asked<T>(service: Service, path: string): Promise<T> {
  return (await (await service.call(path)).json()) as T;
}
