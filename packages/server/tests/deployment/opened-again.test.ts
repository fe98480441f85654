import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { createDeployments } from "../../src/app/create-deployments.ts";
import { type Deployments, type OpenRelease, selectReleases } from "../../src/deployment/index.ts";
import { ProjectLogs } from "../../src/engine/logs/index.ts";
import { createSandbox } from "../../src/platform/sandbox/index.ts";
import { readDocument } from "../support/agents/command-agent.ts";
import { untilEnded } from "../support/engine/follow.ts";
import { createStage, documentOf } from "../support/engine/stage.ts";

const { app, play } = await createStage();
const { db, clock } = app;
const dataFolder = await mkdtemp(join(tmpdir(), "slipway-again-"));
const projectId = await play();
await untilEnded(app, projectId);

const log = pino({ level: "silent" });
const sandbox = await createSandbox({ mode: "none", dataFolder });
const document = readDocument(documentOf());
/** Two nodes of one data folder: the first does not know that its work was given to the second. */
const [frozen, successor] = [nodeOf(), nodeOf()];
afterAll(async () => {
  await Promise.all([frozen, successor].map((node) => node.close()));
  await rm(dataFolder, { recursive: true, force: true });
});

let attempts = 0;
const stored = { type: "bundle", path: "deployment/a.tar.gz", mediaType: "text/plain", digest: "0", size: 1 };

test("a node that wakes gives up its own version, and leaves that of its successor alone", async () => {
  const [own, next] = await openTwice();
  await frozen.giveUp(own, { reason: "It was interrupted.", secrets: {} });
  expect(await isLiveAfter(successor, next)).toBe(true);
  expect(await statusesOf(next)).toEqual(["live", "failed"]);
  await access(next.folder);
});

test("a node that wakes brings nothing live that its successor has taken over", async () => {
  const [own, next] = await openTwice();
  expect(await isLiveAfter(successor, next)).toBe(true);
  expect(await isLiveAfter(frozen, own)).toBe(false);
  const [last] = await selectReleases(db, next.deploymentId, 1);
  expect(last).toMatchObject({ id: next.releaseId, status: "live" });
  expect(await readFile(join(next.current, "made-by"), "utf8")).toBe(next.releaseId);
});

test("what is live already is not opened again, and a migration is not run again", async () => {
  const [own] = await openTwice();
  await db.updateTable("releases").set({ migrated_at: clock.now() }).where("status", "=", "preparing").execute();
  const third = await open(successor, attempts);
  expect(third.releaseId).not.toBe(own.releaseId);
  expect(await selectReleases(db, third.deploymentId, 1)).toMatchObject([{ migrated_at: expect.any(Date) }]);
  expect(await isLiveAfter(successor, third)).toBe(true);
  expect(await open(successor, attempts)).toMatchObject({
    releaseId: third.releaseId,
    live: {
      deployment: { version: third.version },
      wentLive: { report: { is_live: true, release_id: third.releaseId }, rendered: [], files: [stored] },
    },
  });
});

test("a version whose node died is given up when its project has ended, with its files", async () => {
  attempts += 1;
  const left = await open(frozen, attempts);
  await db.updateTable("projects").set({ status: "deployment" }).where("id", "=", projectId).execute();
  await successor.settleAll();
  expect(await statusesOf(left)).toEqual(["preparing", "live"]);
  await db.updateTable("projects").set({ status: "failed" }).where("id", "=", projectId).execute();
  await successor.settleAll();
  expect(await statusesOf(left)).toEqual(["failed", "live"]);
  await expect(access(left.folder)).rejects.toThrow("ENOENT");
});

function nodeOf(): Deployments {
  const containers = { baseImages: {}, allowsOwn: async () => false, engine: undefined };
  const apps = { host: "here", addressHost: "127.0.0.1", maxDiskBytes: 2 ** 30, isInside: true } as const;
  return createDeployments({
    ...{ db, clock, log, dataFolder, sandbox, minuteMs: 60_000 },
    apps: { ...apps, containers, targets: { kubernetes: undefined, ssh: new Map() }, orchestrators: ["process"] },
    logs: new ProjectLogs({ db, log, onWritten: () => undefined }),
    findDocument: async () => document,
    findSecrets: async () => ({ values: {} }),
    onProjectChanged: () => undefined,
  });
}

async function openTwice(): Promise<[OpenRelease, OpenRelease]> {
  attempts += 1;
  return [await open(frozen, attempts), await open(successor, attempts)];
}

async function open(node: Deployments, attempt: number): Promise<OpenRelease> {
  const place = { environment: "further", version: `0123456789a${attempt}`, strategy: "blue_green" };
  const opened = await node.open({ projectId, attempt, document, ...place });
  if ("code" in opened) throw new Error(opened.message);
  if (opened.live === undefined) {
    await mkdir(opened.folder, { recursive: true });
    await writeFile(join(opened.folder, "made-by"), opened.releaseId);
  }
  return opened;
}

async function isLiveAfter(node: Deployments, release: OpenRelease): Promise<boolean> {
  const { signal } = new AbortController();
  const openLog = () => ({ write: () => undefined, end: () => undefined });
  const how = { scripts: {}, services: [], published: undefined, secrets: {}, environment: "further" };
  const end = await node.goLive(release, {
    projectId,
    document,
    ...how,
    files: [stored],
    beganAtMs: 0,
    signal,
    openLog,
  });
  const isLive = "deployment" in end;
  const { report } = isLive ? end.wentLive! : end;
  expect(report).toMatchObject({ is_live: isLive, error: isLive ? null : expect.any(String) });
  return isLive;
}

async function statusesOf({ deploymentId }: OpenRelease): Promise<string[]> {
  return (await selectReleases(db, deploymentId, 2)).map(({ status }) => status);
}
