import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Project } from "@slipway/contract";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { removeFolder } from "../../src/platform/remove-folder.ts";
import { programToWrite, writingAgent } from "../support/agents/writing-agent.ts";
import { endProcessesIn } from "../support/database/run-starter.ts";
import { entry, run, type Service, startService, usedDataFolder } from "../support/run-service.ts";
import { smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/**
 * Keeps names in SQLite, two rows in each transaction, and writes without a pause once it is deployed. Beside the database
 * it leaves what a backup may stumble over.
 */
const program = `
const { createServer } = require("node:http");
const { DatabaseSync } = require("node:sqlite");
const { appendFileSync, existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } = require("node:fs");
const { execFileSync } = require("node:child_process");
const folder = process.env.SLIPWAY_DATA_DIR ?? ".";
const db = new DatabaseSync(folder + "/rows.db", { timeout: 30_000 });
db.exec("pragma journal_mode = wal; create table if not exists rows (name text)");
const add = (name) => {
  db.exec("begin immediate");
  for (let n = 0; n < 2; n += 1) db.prepare("insert into rows values (?)").run(name);
  db.exec("commit");
};
if (process.env.SLIPWAY_DATA_DIR) {
  if (!existsSync(folder + "/empty")) {
    mkdirSync(folder + "/empty");
    mkdirSync(folder + "/.git");
    writeFileSync(folder + "/.git/HEAD", "kept");
    symlinkSync("/etc/shadow", folder + "/link");
    execFileSync("mkfifo", [folder + "/pipe"]);
    writeFileSync(folder + "/sparse", "");
    truncateSync(folder + "/sparse", 2 ** 42);
    writeFileSync(folder + "/claims.db", "SQLite format 3\\0 and nothing else");
    writeFileSync(folder + "/held.db", "SQLite format 3\\0");
    execFileSync("mkfifo", [folder + "/held.db-journal"]);
    writeFileSync(Buffer.concat([Buffer.from(folder + "/caf"), Buffer.from([0xe9])]), "");
    writeFileSync(folder + "/names", Buffer.alloc(4_000_000, Math.random().toString()));
    for (let n = 10; n < 50; n += 1) linkSync(folder + "/names", folder + "/names-" + n);
    const letters = "a".repeat(100);
    execFileSync("sh", ["-c", "for i in $(seq 45); do mkdir " + letters + " && cd -P " + letters + "; done"], { cwd: folder });
  }
  setInterval(() => { add("tick"); appendFileSync(folder + "/log", "tick\\n"); }, 1);
}
createServer(({ url, method }, response) => {
  if (method === "POST") add(url.slice(1));
  const all = (text) => db.prepare(text).all().map((row) => Object.values(row)[0]);
  const found = {
    names: all("select distinct name from rows where name <> 'tick' order by name"),
    torn: all("select name from rows group by name having count(*) % 2 = 1"),
    integrity: all("pragma integrity_check"),
    git: existsSync(folder + "/.git/HEAD") && readFileSync(folder + "/.git/HEAD", "utf8"),
    hasFolder: existsSync(folder + "/empty"),
  };
  response.end(JSON.stringify(found));
}).listen(process.env.PORT, process.env.HOST);
`;

const document = stringify({
  ...parse(smallDocument("larder")),
  requirements: { agents: { implementer: { capabilities: ["scripted"] } } },
  scripts: { start: "node server.cjs" },
});

const env = { SLIPWAY_LOG_LEVEL: "warn", ...programToWrite(program) };
const slipway = (...args: string[]) => run(args, { program: entry, env });
const start = (data: string, config: string) => startService(data, ["--config", config], { program: entry, env });

test("a backup of a busy service is restored elsewhere: history, artifacts, and the application with its data", {
  timeout: 300_000,
}, async () => {
  const data = await usedDataFolder();
  const place = dirname(data);
  // Its paths are too long for others.
  onTestFinished(() => removeFolder(join(data, "apps")));
  const config = join(place, "agents.yaml");
  await writeFile(config, writingAgent);
  const first = await start(data, config);
  const project = await deployed(first);
  const address = project.deployment!.url!;
  await fetch(`${address}/milk`, { method: "POST" });
  const before = await historyOf(first, project.project_id);

  // What a killed backup left is replaced.
  const backup = join(place, "backups", "today");
  await mkdir(`${backup}.partial/database`, { recursive: true });
  await writeFile(`${backup}.partial/process`, "999999999\n");
  const made = await slipway("backup", backup, "--data", data, "--json");
  expect(made).toMatchObject({ code: 3, err: expect.stringContaining("Left out: apps/dep_") });
  const manifest = JSON.parse(made.out) as { left_out: string[]; apps: object[]; tables: Record<string, number> };
  expect(manifest.left_out.map((line) => /data\/([^:]+):/.exec(line)?.[1]).sort()).toEqual([
    expect.stringMatching(/^a{100}\/a{98}…$/),
    "caf\\xe9",
    "claims.db",
    "held.db",
    "sparse",
  ]);
  expect(manifest.tables["projects"]).toBe(1);
  expect(existsSync(`${backup}.partial`)).toBe(false);
  const [app] = manifest.apps as { deployment_id: string }[];
  const archive = join(backup, "apps", app!.deployment_id, "data.tar.gz");
  const packed = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).trim().split("\n");
  const isMany = (path: string) => /^(a{100}\/|names-\d+$)/.test(path);
  expect(packed.filter((path) => !isMany(path)).sort()).toEqual([
    ".git/",
    ".git/HEAD",
    "empty/",
    "link",
    "log",
    "names",
    "rows.db",
  ]);
  expect(execFileSync("gzip", ["-dc", archive], { maxBuffer: 2 ** 28 }).length).toBeLessThan(20_000_000);
  expect((await stat(backup)).mode & 0o777).toBe(0o700);
  const secrets = (await readFile(join(data, "master-key"), "utf8")).split(":")[1]!.trim();
  expect(await readFile(join(backup, "manifest.json"), "utf8")).not.toContain(secrets);
  await fetch(`${address}/bread`, { method: "POST" });
  await first.killGroup();
  await endProcessesIn(data);
  await until(() =>
    fetch(address).then(
      () => false,
      () => true,
    ),
  );

  // Of the same length: what fits into the one fits into the other.
  const other = join(place, "else");
  await mkdir(other, { recursive: true });
  await copyFile(join(data, "master-key"), join(other, "master-key"));
  const restored = await slipway("restore", backup, "--data", other);
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(`into ${other}`) });
  expect((await slipway("admin-token", "rotate", "--data", other)).code).toBe(0);
  const second = await start(other, config);
  const after = await historyOf(second, project.project_id);
  expect(after.events.slice(0, before.events.length)).toEqual(before.events);
  expect(after.artifacts).toEqual(before.artifacts);
  const answer = await until(() =>
    fetch(address).then(
      (found) => found.json(),
      () => undefined,
    ),
  );
  expect(answer).toEqual({ names: ["milk"], torn: [], integrity: ["ok"], git: "kept", hasFolder: true });

  // The event log goes on: readers in commit order see old and new events.
  const { project_id: next } = await second.createProject(document);
  expect(await streamedProjects(second, 2)).toEqual(new Set([project.project_id, next]));
  await second.stop();
  await endProcessesIn(other);
});

async function deployed(service: Service): Promise<Project> {
  const { project_id: id } = await service.createProject(document);
  const project = await until(async () => {
    const found = (await (await service.call(`/api/v1/projects/${id}`)).json()) as Project;
    return found.status === "deployed" || found.status === "failed" ? found : undefined;
  });
  expect(project).toMatchObject({ status: "deployed", error: null });
  return project;
}

/** The events of a project, and its artifacts, whose bytes are compared with their digests. */
async function historyOf(service: Service, projectId: string) {
  const get = async (path: string) => (await service.call(`/api/v1/projects/${projectId}/${path}`)).json();
  const { events } = (await get("events?limit=100")) as { events: object[] };
  const { artifacts } = (await get("artifacts")) as { artifacts: object[] };
  const verified = await service.call(`/api/v1/projects/${projectId}/artifacts/verify`, { method: "POST" });
  expect(await verified.json()).toMatchObject({ damaged: [] });
  expect(artifacts).not.toEqual([]);
  return { events, artifacts };
}

/** The projects of which a reader of the whole event log hears, until there are so many. */
async function streamedProjects(service: Service, count: number): Promise<Set<string>> {
  const projects = new Set<string>();
  let last = "0..0";
  return until(async () => {
    const answer = await service.call("/api/v1/webhooks/stream", { headers: { "last-event-id": last } });
    const page = (await answer.json()) as { deliveries: { body: string }[]; last_event_id: string };
    last = page.last_event_id;
    for (const { body } of page.deliveries) projects.add((JSON.parse(body) as { project_id: string }).project_id);
    return projects.size >= count && projects;
  });
}
