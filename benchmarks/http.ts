/**
 * The service beside bare Fastify and `pg` on the same database, its start, its memory, and what many projects cost:
 * `npm run bench:http`, or one part of it: `npm run bench:http peer|start|growth`. Each number is the median of rounds that take
 * turns, each ratio that of the rounds' ratios; the load comes from another process.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import type { Load } from "./http/load.ts";
import {
  memoryMb,
  newDataFolder,
  newFolder,
  type Running,
  startPeer,
  startService,
  stopAll,
} from "./http/processes.ts";
import { largeDocument } from "./large-document.ts";
import { isSmoke, median, printRow, sized } from "./measure.ts";

const rounds = sized(5, 1);
const connections = 16;
const databaseUser = "slipway";

console.log(`HTTP (Node ${process.versions.node}; ${connections} connections; medians of ${rounds} rounds)`);
printRow("", "", "ratio", "goal");
const parts = { peer: compareWithPeer, start: measureStart, growth: measureGrowth };
const chosen = process.argv[2];
try {
  for (const [name, measure] of Object.entries(parts)) if (chosen === undefined || chosen === name) await measure();
} finally {
  await stopAll();
}

async function compareWithPeer(): Promise<void> {
  const data = newDataFolder();
  // Requests alone: what carries the projects out would take its share of the machine.
  const service = await startService(data, "--roles", "api");
  const token = readToken(data);
  const documents = Array.from({ length: sized(200, 8) }, (_, index) => documentOf2Kb(index));
  const ids = await Promise.all(
    documents.slice(0, sized(100, 4)).map((document) => createProject(service, token, document)),
  );
  const peer = await startPeer(data, databaseUser);
  const reads = ids.map((id) => request("GET", `/api/v1/projects/${id}`, { authorization: `Bearer ${token}` }));
  const known = { authorization: `Bearer ${token}`, "if-none-match": '"1"' };
  const rechecks = ids.map((id) => request("GET", `/api/v1/projects/${id}`, known));
  const bareReads = ids.map((id) => request("GET", `/projects/${id}`, {}));
  const yaml = { "content-type": "application/yaml" };
  const creates = documents.map((text) =>
    request("POST", "/api/v1/projects", { ...yaml, authorization: `Bearer ${token}` }, text),
  );
  const bareCreates = documents.map((text) => request("POST", "/projects", yaml, text));

  const read = await inTurns({
    bare: { port: peer.port, requests: bareReads, status: 200 },
    ours: { port: service.port, requests: reads, status: 200 },
    unchanged: { port: service.port, requests: rechecks, status: 304 },
  });
  const create = await inTurns({
    bare: { port: peer.port, requests: bareCreates, status: 201 },
    ours: { port: service.port, requests: creates, status: 201 },
  });
  printRow("bare route, one select by key", perSecond(read.bare), "1.00×");
  printRow("GET /projects/{id}", perSecond(read.ours), ratio(read.ours, read.bare), "≥ 0.5×");
  printRow(
    "GET /projects/{id}, If-None-Match: 304",
    perSecond(read.unchanged),
    ratio(read.unchanged, read.bare),
    "≥ 0.8×",
  );
  printRow(`bare route, the same inserts, ${documents[0]!.length} bytes`, perSecond(create.bare), "1.00×");
  printRow("POST /projects", perSecond(create.ours), ratio(create.ours, create.bare), "≥ 0.5×");
  await peer.stop();
  await service.stop();
}

async function measureStart(): Promise<void> {
  const colds: number[] = [];
  const warms: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const data = newFolder();
    for (const times of [colds, warms]) {
      const service = await startService(data);
      times.push(service.readyMs);
      await service.stop();
    }
  }
  printRow("ready from a cold folder", `${(median(colds) / 1000).toFixed(2)} s`, "", "≤ 3 s");
  printRow("ready from a warm folder", `${(median(warms) / 1000).toFixed(2)} s`, "", "≤ 1 s");

  if (isSmoke) return;
  const data = newFolder();
  const service = await startService(data);
  const id = await createProject(service, readToken(data), largeDocument(2_048));
  await untilEnded(service, readToken(data), id);
  await delay(3_000);
  printRow("memory when idle, server and Postgres", `${memoryMb(service.pid).toFixed(0)} MB`, "", "≤ 200 MB");
  await service.stop();
}

async function measureGrowth(): Promise<void> {
  const few = await serviceWith(sized(1_000, 10));
  const many = isSmoke ? few : await serviceWith(100_000);
  const list = await inTurns({ few: few.list, many: many.list });
  const read = await inTurns({ few: few.read, many: many.read });
  printRow("list at 1,000 projects", perSecond(list.few), "1.00×");
  printRow("list at 100,000 projects, cost", perSecond(list.many), ratio(list.few, list.many), "≤ 1.5×");
  printRow("read at 1,000 projects", perSecond(read.few), "1.00×");
  printRow("read at 100,000 projects, cost", perSecond(read.many), ratio(read.few, read.many), "≤ 1.5×");
}

function documentOf2Kb(index: number): string {
  const text = largeDocument(2_000).replace("id: large", `id: large-${index}`);
  return `${text}# ${"-".repeat(2_048 - text.length - 3)}\n`;
}

type Target = Pick<Load, "port" | "requests" | "status">;

/** A service with so many projects, and requests that list and read them. */
async function serviceWith(projects: number): Promise<{ list: Target; read: Target }> {
  const data = newDataFolder();
  const service = await startService(data, "--roles", "api");
  const token = readToken(data);
  const first = await createProject(service, token, largeDocument(2_048));
  const client = new pg.Client({ host: join(data, "postgres"), user: databaseUser, database: "postgres" });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    `insert into projects (id, application_id, owner_id, document_id, name, outcome_type)
     select 'proj_' || lpad(number::text, 20, '0'), application_id, owner_id, document_id, name, outcome_type
     from projects, generate_series(2, $1) as number where id = $2 returning id`,
    [projects, first],
  );
  await client.query("vacuum analyze projects");
  await client.end();
  const authorization = `Bearer ${token}`;
  const some = rows.filter((_, index) => index % Math.ceil(projects / 500) === 0);
  return {
    list: { port: service.port, requests: [request("GET", "/api/v1/projects", { authorization })], status: 200 },
    read: {
      port: service.port,
      requests: some.map(({ id }) => request("GET", `/api/v1/projects/${id}`, { authorization })),
      status: 200,
    },
  };
}

/** Requests a second of each target in each round: all of them in every round, so that a noisy machine disturbs them alike. */
async function inTurns<Name extends string>(targets: Readonly<Record<Name, Target>>): Promise<Record<Name, number[]>> {
  const entries = Object.entries(targets) as [Name, Target][];
  const measured = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, target] of entries)
      measured[name].push(await loadFor(target, round === 0 ? sized(2_000, 50) : 500));
  }
  return measured;
}

async function loadFor(target: Target, warmUpMs: number): Promise<number> {
  const load: Load = { ...target, connections, warmUpMs, measureMs: sized(2_000, 100) };
  const program = fileURLToPath(new URL("http/load.ts", import.meta.url));
  const running = promisify(execFile)(process.execPath, [program]);
  running.child.stdin!.end(JSON.stringify(load));
  return Number((await running).stdout);
}

function request(method: string, path: string, headers: Readonly<Record<string, string>>, body = ""): string {
  const all = {
    host: "127.0.0.1",
    ...headers,
    ...(body !== "" && { "content-length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

async function createProject({ port }: Running, token: string, document: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/yaml" },
    body: document,
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return ((await answer.json()) as { project_id: string }).project_id;
}

/** Building what a document asks for takes other programs, and their memory, for a while. */
async function untilEnded({ port }: Running, token: string, id: string): Promise<void> {
  const ends = ["deployed", "failed", "cancelled"];
  for (;;) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/projects/${id}`, { headers });
    if (ends.includes(((await answer.json()) as { status: string }).status)) return;
    await delay(500);
  }
}

function readToken(data: string): string {
  return readFileSync(join(data, "admin-token"), "utf8").trim();
}

function perSecond(values: readonly number[]): string {
  return `${median(values).toFixed(0)}/s`;
}

/** How often one goes into the other, round by round. */
function ratio(values: readonly number[], others: readonly number[]): string {
  return `${median(values.map((value, round) => value / others[round]!)).toFixed(2)}×`;
}
