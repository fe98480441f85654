import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { findArtifact, keepArtifacts, putArtifact, selectArtifacts } from "../../../src/features/artifacts/index.ts";
import { connectDatabase, type Schema } from "../../../src/platform/database/index.ts";
import { newId } from "../../../src/platform/ids.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const { connection } = await createTestDatabase(migrations);
const { db, close } = connectDatabase<Schema>(connection, { log: quietLog });
afterAll(close);
const now = new Date("2026-11-15T09:30:00.000Z");
await db.insertInto("users").values({ id: "usr_1", name: "ann", role: "svc:admin" }).execute();

test("an artifact takes the place of the one that had its path", async () => {
  const projectId = await newProject();
  await put(projectId, { type: "logs", path: "a.txt", digest: "1".repeat(64), sizeBytes: 1 });
  await put(projectId, { type: "coverage", path: "a.txt", digest: "2".repeat(64), sizeBytes: 5_000_000_000 });
  expect(await selectArtifacts(db, projectId)).toEqual([
    {
      project_id: projectId,
      type: "coverage",
      path: "a.txt",
      digest: "2".repeat(64),
      size_bytes: 5_000_000_000,
      media_type: "text/plain",
      modified: now,
      checkpoint_id: null,
    },
  ]);
});

test("artifacts of a checkpoint stay as they were", async () => {
  const projectId = await newProject();
  await put(projectId, { path: "b.txt", digest: "1".repeat(64) });
  await put(projectId, { path: "a.txt", digest: "1".repeat(64) });
  await db.transaction().execute((trx) => keepArtifacts(trx, [{ id: "ckpt_1", projectId }]));
  await put(projectId, { path: "b.txt", digest: "2".repeat(64) });
  await db.transaction().execute((trx) => keepArtifacts(trx, [{ id: "ckpt_1", projectId }]));
  await put(projectId, { path: "only-there.txt", digest: "3".repeat(64), checkpointId: "ckpt_1" });
  expect(await digests(projectId)).toEqual({ "a.txt": "1", "b.txt": "2" });
  expect(await digests(projectId, "ckpt_1")).toEqual({ "a.txt": "1", "b.txt": "1", "only-there.txt": "3" });
  expect(await digests(projectId, "ckpt_2")).toEqual({});
  const found = await findArtifact(db, projectId, "b.txt", { checkpoint: "ckpt_1" });
  expect(found?.artifacts[0]).toMatchObject({ digest: "1".repeat(64), checkpoint_id: "ckpt_1" });
});

test("a name is taken for a type, else a path, else a file name", async () => {
  const projectId = await newProject();
  await put(projectId, { type: "logs", path: "logs/b.txt" });
  await put(projectId, { type: "logs", path: "logs/a.txt" });
  await put(projectId, { type: "report", path: "logs" });
  await put(projectId, { type: "report", path: "c.xml" });
  await put(projectId, { type: "report", path: "deep/c.xml" });
  await put(projectId, { type: "report", path: "deep/d%e.xml" });
  await put(projectId, { type: "report", path: "deeper/d%e.xml" });
  const found = async (name: string) => {
    const { matchedBy, artifacts } = (await findArtifact(db, projectId, name)) ?? {};
    return [matchedBy, artifacts?.map(({ path }) => path)];
  };
  expect(await found("logs")).toEqual(["type", ["logs/a.txt", "logs/b.txt"]]);
  expect(await found("c.xml")).toEqual(["path", ["c.xml"]]);
  expect(await found("d%e.xml")).toEqual(["name", ["deep/d%e.xml", "deeper/d%e.xml"]]);
  expect(await found("a.txt")).toEqual(["name", ["logs/a.txt"]]);
  expect(await found("%.xml")).toEqual([undefined, undefined]);
  expect(await found("txt")).toEqual([undefined, undefined]);
});

test("paths may be longer than an index entry", async () => {
  const projectId = await newProject();
  const path = `${Array.from({ length: 400 }, (_, index) => `folder-${index}`).join("/")}/a.txt`;
  await put(projectId, { path });
  await put(projectId, { path });
  expect((await selectArtifacts(db, projectId)).map((row) => row.path)).toEqual([path]);
});

test("artifacts go with their project, and what is no digest is refused", async () => {
  const projectId = await newProject();
  await put(projectId, { path: "a.txt" });
  await expect(put(projectId, { path: "b.txt", digest: "../x" })).rejects.toThrow("artifacts_digest_check");
  await expect(put("proj_nobody", { path: "a.txt" })).rejects.toThrow("foreign key");
  await db.deleteFrom("projects").where("id", "=", projectId).execute();
  expect(await selectArtifacts(db, projectId)).toEqual([]);
});

type Artifact = Partial<Parameters<typeof putArtifact>[1]>;

async function put(projectId: string, artifact: Artifact): Promise<void> {
  const usual = { type: "logs", path: "a.txt", digest: "0".repeat(64), sizeBytes: 10, mediaType: "text/plain", now };
  await db.transaction().execute((trx) => putArtifact(trx, { projectId, ...usual, ...artifact }));
}

/** The first character of each digest, by path. */
async function digests(projectId: string, checkpoint?: string): Promise<Record<string, string>> {
  const rows = await selectArtifacts(db, projectId, { checkpoint });
  return Object.fromEntries(rows.map(({ path, digest }) => [path, digest.slice(0, 1)]));
}

async function newProject(): Promise<string> {
  const id = newId("project", Date.now());
  const values = { owner_id: "usr_1", document_id: id, updated_at: now };
  await db
    .insertInto("applications")
    .values({ ...values, id: `app_${id}`, projects: 1, latest_project_id: id })
    .execute();
  await db
    .insertInto("projects")
    .values({ ...values, id, application_id: `app_${id}`, name: "Hello", outcome_type: "api" })
    .execute();
  return id;
}
