import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { Workspaces } from "../../packages/server/src/engine/workspaces/workspaces.ts";
import { FolderBlobStore } from "../../packages/server/src/platform/blobs/folder-blob-store.ts";

import { newDataFolder, type Running, startService } from "../http/processes.ts";

const run = promisify(execFile);
const quiet = { info: () => undefined, warn: () => undefined };

/** A service with a project whose artifacts are downloaded. */
export interface Stage {
  readonly service: Running;
  readonly data: string;
  readonly token: string;
  readonly projectId: string;
  /** Where its API is. */
  readonly api: string;
  /** Where the project's artifacts are. */
  readonly artifacts: string;
}

export async function openStage(): Promise<Stage> {
  const data = newDataFolder();
  const service = await startService(data, "--roles", "api");
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  const api = `http://127.0.0.1:${service.port}/api/v1`;
  const projectId = await createProject(api, token);
  return { service, data, token, projectId, api, artifacts: `${api}/projects/${projectId}/artifacts` };
}

/** In another process, so that reading costs the service nothing. */
export async function fetchAll(url: string, token: string): Promise<void> {
  await run("curl", ["-sSf", "-o", "/dev/null", "-H", `Authorization: Bearer ${token}`, url]);
}

async function createProject(api: string, token: string): Promise<string> {
  const answer = await fetch(`${api}/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/yaml" },
    body: 'spec_version: "1.0.0"\nid: bench\nname: Bench\ndescription: Is downloaded.\noutcome_type: api\nstack: {}\nacceptance: {}\n',
  });
  return ((await answer.json()) as { project_id: string }).project_id;
}

/** Files as there are in projects: what is installed here, as often as it takes to reach the size. */
export function fillTree(tree: string, bytes: number): void {
  let left = bytes;
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
    visit(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(tree, String(copy)));
}

/** Makes a folder the project's source code, as a task would. */
export async function keepSource({ data, projectId }: Stage, tree: string): Promise<void> {
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

/** Uploads a file as an artifact of its name. */
export async function upload({ api, token, projectId }: Stage, file: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const content = readFileSync(file);
  const begun = await fetch(`${api}/projects/${projectId}/uploads`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ type: "documentation", path, size_bytes: content.length }),
  });
  const { upload_id } = (await begun.json()) as { upload_id: string };
  for (let at = 0; at < content.length; at += 10_000_000) {
    const answer = await fetch(`${api}/uploads/${upload_id}`, {
      method: "PATCH",
      headers: { ...headers, "upload-offset": String(at) },
      body: content.subarray(at, at + 10_000_000),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}
