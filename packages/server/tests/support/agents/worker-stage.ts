import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClaimedTask } from "@slipway/contract";
import { CompiledQuery } from "kysely";
import { LeaseSignals, leasesChannel, workerDriver } from "../../../src/agents/index.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";

import { Waker } from "../../../src/platform/database/index.ts";
import { newId } from "../../../src/platform/ids.ts";
import { quietLog } from "../database/quiet-log.ts";
import { createProject, createTestApp, type TestApp } from "../test-app.ts";
import { follow, newFolder, plainHost, workIn } from "./plain-host.ts";

type Answer = Awaited<ReturnType<TestApp["call"]>>;
type Timeouts = NonNullable<Parameters<typeof workerDriver>[0]["timeouts"]>;

/** Where a worker's task begins. */
export const firstFiles: Readonly<Record<string, string>> = { "readme.md": "# Shop\n", "src/a.txt": "one\ntwo\n" };

/** A service without an engine: tests offer tasks themselves, and take them over HTTP. Call it at the top of a test file. */
export async function createWorkerStage() {
  const app = await createTestApp();
  const { db, call } = app;
  const blobs = await FolderBlobStore.open(join(app.dataFolder, "artifacts"));
  const owner = await app.userToken("svc:user");
  const other = await app.userToken("svc:user");
  // Of somebody else than the worker's.
  const projectId = await createProject(app);
  const wakeOthers = (waker: Waker) => (id: string) => waker.wake(leasesChannel, id);
  const query = (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values));

  /** What the service's nodes tell each other: the test's own run hears it too. */
  const listening: LeaseSignals[] = [];

  async function addAgent(name: string, kind = "worker"): Promise<string> {
    const id = newId("agent", Date.now());
    const row = { id, kind, name, capabilities: [], registered_by: owner.userId, slots: 2 };
    await db.insertInto("agents").values(row).execute();
    return id;
  }

  /** Offers a task as the engine would; gives the run and the folder in which its result appears. */
  async function offer(
    agentId: string,
    about: {
      taskId?: string;
      timeouts?: Timeouts;
      folder?: string;
      handle?: string;
      role?: string;
      files?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const folder = about.folder ?? (await fill(await newFolder(), about.files));
    const leases = new LeaseSignals(wakeOthers(new Waker({ query, log: quietLog })));
    const { timeouts, taskId = `task-${agentId}`, role } = about;
    const driver = workerDriver({ db, blobs, leases, ...(timeouts && { timeouts }) });
    const work = workIn(folder, role === undefined ? {} : { role });
    const given = { ...work, projectId, agentId, task: { ...work.task, id: taskId } };
    const host = plainHost(folder);
    const run = about.handle === undefined ? driver.start(given, host) : driver.resume!(about.handle, given, host);
    listening.push(leases);
    return { run, ended: follow(run), folder, host, leases };
  }

  const post = async (path: string, payload: object, token = owner.token): Promise<Answer> => {
    const answer = await call({ method: "POST", url: `/api/v1/${path}`, token, payload });
    for (const leases of listening) leases.signalAll();
    return answer;
  };
  const claim = async (agentId: string, waitSeconds = 30) => {
    const answer = await post(`agents/${agentId}/claim`, { wait_seconds: waitSeconds });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`);
    return answer.json<ClaimedTask>();
  };
  const upload = (lease: Pick<ClaimedTask, "lease_id" | "fence" | "project_id">, patch: string | Buffer) =>
    call({
      method: "POST",
      url: `/api/v1/projects/${lease.project_id}/artifacts?type=patch&path=patches/${lease.lease_id}.patch&lease_id=${lease.lease_id}&fence=${lease.fence}`,
      token: owner.token,
      headers: { "content-type": "application/octet-stream" },
      payload: patch,
    });
  /** Uploads a patch, and ends the task with it. */
  const complete = async (lease: ClaimedTask, patch?: string | Buffer, more: object = {}) => {
    if (patch !== undefined) {
      const uploaded = await upload(lease, patch);
      if (uploaded.statusCode !== 201) throw new Error(uploaded.body);
    }
    return post(`leases/${lease.lease_id}/complete`, {
      fence: lease.fence,
      outcome: "done",
      ...(patch !== undefined && { patch: `patches/${lease.lease_id}.patch` }),
      ...more,
    });
  };
  return { app, blobs, owner, other, projectId, addAgent, offer, post, claim, upload, complete };
}

async function fill(folder: string, files = firstFiles): Promise<string> {
  // As attempts have it: the files are in a folder of their own.
  const tree = join(folder, "tree");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
  }
  return tree;
}

/** A patch that adds a file. */
export function addingPatch(path: string, text: string, mode = "100644"): string {
  const lines = text.split("\n");
  const isWhole = lines.at(-1) === "";
  if (isWhole) lines.pop();
  return [
    `diff --git a/${path} b/${path}`,
    `new file mode ${mode}`,
    "--- /dev/null",
    `+++ b/${path}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    ...(isWhole ? [] : ["\\ No newline at end of file"]),
    "",
  ].join("\n");
}
