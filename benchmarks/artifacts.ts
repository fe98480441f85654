/**
 * Downloads beside other people's programs: a tree of 200 MB as a zip beside `zip -6`, a file of 100 MB beside nginx, on loopback:
 * `npm run bench:artifacts`, or one part of it: `npm run bench:artifacts zip|file`. It needs git, curl, zip and nginx. Each number is the median of rounds that take turns, each ratio
 * that of the rounds' ratios.
 */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { FolderBlobStore } from "../packages/server/src/artifacts/index.ts";
import { Workspaces } from "../packages/server/src/workspace/index.ts";
import { memoryMb, newFolder, type Running, startService, stopAll } from "./http/processes.ts";
import { median, printRow } from "./measure.ts";

const rounds = 5;
const treeBytes = 200_000_000;
const fileBytes = 100_000_000;
const run = promisify(execFile);
const quiet = { info: () => undefined, warn: () => undefined };

console.log(`Artifacts (Node ${process.versions.node}; medians of ${rounds} rounds)`);
printRow("", "", "ratio", "goal");
try {
  await compare();
} finally {
  await stopAll();
}

async function compare(): Promise<void> {
  const data = newFolder();
  const service = await startService(data, "--roles", "api");
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  const project = await createProject(service, token);
  const chosen = process.argv[2];
  if (chosen === undefined || chosen === "zip") {
    const tree = join(newFolder(), "tree");
    fillTree(tree);
    await keepSource(data, project, tree);
    await compareZip(service, token, project, tree);
  }
  if (chosen === undefined || chosen === "file") await compareFile(service, token, project);
}

async function compareZip(service: Running, token: string, project: string, tree: string): Promise<void> {
  const ours = () =>
    fetchAll(`http://127.0.0.1:${service.port}/api/v1/projects/${project}/artifacts/source_code`, token);
  const theirs = () => run("sh", ["-c", "zip -6 -q -r - . > /dev/null"], { cwd: tree });
  // The first one counts the files, and looks at every page for the first time.
  await ours();
  const before = memoryMb(service.pid);
  let most = before;
  const watching = setInterval(() => {
    try {
      most = Math.max(most, memoryMb(service.pid));
    } catch {
      // A git that ended while it was looked at.
    }
  }, 200);
  await ours();
  clearInterval(watching);
  const times = await inTurns({ ours, theirs });
  printRow("zip -6 of 200 MB", seconds(times.theirs), "1.00×");
  printRow("source code of 200 MB as a zip", seconds(times.ours), ratio(times.theirs, times.ours), "≥ 1.0×");
  printRow("memory that it takes meanwhile", `${(most - before).toFixed(0)} MB`, "", "≤ 64 MB");
}

async function compareFile(service: Running, token: string, project: string): Promise<void> {
  const folder = newFolder();
  writeFileSync(join(folder, "file.bin"), randomBytes(fileBytes));
  const address = `http://127.0.0.1:${service.port}/api/v1`;
  await upload(address, token, project, join(folder, "file.bin"));
  const port = await startNginx(folder);
  const times = await inTurns({
    ours: () => fetchAll(`${address}/projects/${project}/artifacts/file.bin`, token),
    theirs: () => fetchAll(`http://127.0.0.1:${port}/file.bin`, token),
  });
  printRow("nginx, a file of 100 MB", seconds(times.theirs), "1.00×");
  printRow("the same file as an artifact", seconds(times.ours), ratio(times.theirs, times.ours), "≥ 0.3×");
}

async function inTurns<Name extends string>(
  contestants: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const start = performance.now();
      await contestants[name]();
      if (round >= 0) times[name].push(performance.now() - start);
    }
  }
  return times;
}

/** In another process, so that reading costs the service nothing. */
async function fetchAll(url: string, token: string): Promise<void> {
  await run("curl", ["-sSf", "-o", "/dev/null", "-H", `Authorization: Bearer ${token}`, url]);
}

async function createProject({ port }: Running, token: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/yaml" },
    body: 'spec_version: "1.0.0"\nid: bench\nname: Bench\ndescription: Is downloaded.\noutcome_type: api\nstack: {}\nacceptance: {}\n',
  });
  return ((await answer.json()) as { project_id: string }).project_id;
}

/** Files as there are in projects: what is installed here, as often as it takes to reach the size. */
function fillTree(tree: string): void {
  let left = treeBytes;
  const visit = (folder: string, below: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (left <= 0) return;
      const [from, to] = [join(folder, entry.name), join(below, entry.name)];
      if (entry.isDirectory() && !entry.name.startsWith(".")) visit(from, to);
      // Programs are no source code.
      if (!entry.isFile() || statSync(from).size > 5_000_000 || /\.(?:node|so|exe)\b/.test(entry.name)) continue;
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(from, to);
      left -= statSync(from).size;
    }
  };
  for (let copy = 1; left > 0; copy += 1)
    visit(fileURLToPath(new URL("../node_modules", import.meta.url)), join(tree, String(copy)));
}

/** Makes a folder the project's source code, as a task would. */
async function keepSource(data: string, projectId: string, tree: string): Promise<void> {
  const blobs = await FolderBlobStore.open(join(data, "artifacts"));
  const workspaces = new Workspaces({ folder: join(data, "workspaces"), blobs, log: quiet });
  const { commit: base } = await workspaces.open(projectId, undefined);
  const worktree = await workspaces.checkOut(projectId, "bench", base);
  await run("cp", ["-r", `${tree}/.`, worktree.path]);
  const author = { name: "Bench", email: "bench@slipway.invalid" };
  const made = await workspaces.takeResult(worktree, { base, author, message: "Fill", trailers: {}, at: new Date() });
  const commit = made!.commit;
  const head = { commit, bundle: await workspaces.save(projectId, commit) };
  await workspaces.release(worktree);
  const client = new pg.Client({ host: join(data, "postgres"), user: "slipway", database: "postgres" });
  await client.connect();
  await client.query("update projects set state = json_build_object('head', $1::json) where id = $2", [
    head,
    projectId,
  ]);
  await client.end();
}

async function upload(address: string, token: string, project: string, file: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const content = readFileSync(file);
  const begun = await fetch(`${address}/projects/${project}/uploads`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ type: "documentation", path: "file.bin", size_bytes: content.length }),
  });
  const { upload_id } = (await begun.json()) as { upload_id: string };
  for (let at = 0; at < content.length; at += 10_000_000) {
    const answer = await fetch(`${address}/uploads/${upload_id}`, {
      method: "PATCH",
      headers: { ...headers, "upload-offset": String(at) },
      body: content.subarray(at, at + 10_000_000),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

/** Nginx as a child, which ends with us, with sendfile on as it is usually run. */
async function startNginx(folder: string): Promise<number> {
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `user root;
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http { sendfile on; tcp_nopush on; access_log off; server { listen 127.0.0.1:${port}; root ${folder}; } }
`,
  );
  const nginx = spawn("nginx", ["-c", config, "-p", folder], { stdio: "inherit" });
  process.once("exit", () => nginx.kill());
  nginx.once("exit", (code) => {
    if (code) throw new Error("nginx ended; is it installed?");
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/nginx.conf`).catch(() => undefined);
    if (answer?.ok) return port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nginx does not answer.");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function seconds(timesMs: readonly number[]): string {
  return `${(median(timesMs) / 1000).toFixed(3)} s`;
}

function ratio(timesMs: readonly number[], othersMs: readonly number[]): string {
  return `${median(timesMs.map((time, round) => time / othersMs[round]!)).toFixed(2)}×`;
}
