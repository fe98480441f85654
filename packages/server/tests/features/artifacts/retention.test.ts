import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { putArtifact, TrackedBlobs } from "../../../src/features/artifacts/index.ts";
import { adoptAll, collectBlobs } from "../../../src/features/artifacts/retention/collect-blobs.ts";
import { countDamaged, removeOldCheckpoints } from "../../../src/features/artifacts/retention/store.ts";
import { verifySome } from "../../../src/features/artifacts/retention/verify-blobs.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import { checkpointsOf, refusalOf, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { createProject, createTestApp, unbuildableDocument } from "../../support/test-app.ts";

const stage = await createStage();
const { app } = stage;
const { db, call } = app;
const folder = join(app.dataFolder, "artifacts");
const backend = await FolderBlobStore.open(folder);
const noQuotas = { project: undefined, total: undefined };
const blobs = new TrackedBlobs({ db, backend, quotas: noQuotas });
const deps = { db, backend, blobs };
const pathOf = (digest: string) => join(folder, digest.slice(0, 2), digest.slice(2));
const upload = (project: string, path: string, payload: string | Buffer, on = app) =>
  on.call({
    method: "POST",
    url: `/api/v1/projects/${project}/artifacts?type=documentation&path=${path}`,
    headers: { "content-type": "application/octet-stream" },
    payload,
  });

describe("what nothing refers to", () => {
  test("is removed after its time, and nothing else is", async () => {
    const id = await stage.play({ phases: { one: {}, two: { depends_on: ["one"] } } });
    await untilEnded(app, id);
    await upload(id, "kept.txt", "kept");
    await upload(id, "replaced.txt", "replaced");
    await upload(id, "replaced.txt", "by this");
    const { digest } = await blobs.put(Buffer.from("nobody's"));
    await collectBlobs(deps);
    expect(existsSync(pathOf(digest))).toBe(true);
    await collectBlobs(deps, { grace: 0 });
    expect(existsSync(pathOf(digest))).toBe(false);
    expect(existsSync(pathOf(sha256("replaced")))).toBe(false);
    // All of it is still there, and of every checkpoint.
    for (const checkpoint of ["", ...(await checkpointsOf(app, id)).map((one) => `?checkpoint=${one.checkpoint_id}`)]) {
      const url = `/api/v1/projects/${id}/artifacts`;
      const { artifacts } = (await call({ url: url + checkpoint })).json<{ artifacts: { path: string }[] }>();
      // Another node has nothing but the blobs.
      await rm(join(app.dataFolder, "workspaces", id), { recursive: true, force: true });
      for (const { path } of artifacts)
        expect((await call({ url: `${url}/${path}${checkpoint}` })).statusCode, path).toBe(200);
    }
    const check = await call({ method: "POST", url: `/api/v1/projects/${id}/artifacts/verify` });
    expect(check.json()).toMatchObject({ damaged: [], is_complete: true, next_after: null });
    expect(check.json<{ checked: number }>().checked).toBeGreaterThan(3);
  });

  test("goes with its project", async () => {
    const id = await createProject(app, unbuildableDocument());
    await untilEnded(app, id);
    await upload(id, "gone.txt", "gone with its project");
    const digest = sha256("gone with its project");
    await collectBlobs(deps, { grace: 0 });
    expect(existsSync(pathOf(digest))).toBe(true);
    await call({ method: "DELETE", url: `/api/v1/projects/${id}` });
    await collectBlobs(deps, { grace: 0 });
    expect(existsSync(pathOf(digest))).toBe(false);
  });

  test("is never removed from under who keeps the same bytes, however the two meet", { tags: "long" }, async () => {
    const id = await createProject(app, unbuildableDocument());
    const another = new TrackedBlobs({ db, backend: await FolderBlobStore.open(folder), quotas: noQuotas });
    const keep = async (content: Buffer, path: string, store: TrackedBlobs, asStream: boolean) => {
      const { digest, size } = await store.put(asStream ? streamOf(content) : content);
      await db.transaction().execute((trx) =>
        putArtifact(trx, {
          projectId: id,
          type: "logs",
          path,
          digest,
          sizeBytes: size,
          mediaType: "text/plain",
          now: new Date(),
        }),
      );
      return digest;
    };
    for (let round = 0; round < 200; round += 1) {
      const content = randomBytes(20);
      // It lies there, wanted by nobody, when both come.
      await blobs.put(content);
      // No grace at all would take what is put this very moment: here it is what was put before.
      await sql`update blobs set put_at = now() - interval '1 hour' where digest = ${sha256(content)}`.execute(db);
      const [digest] = await Promise.all([
        keep(content, `race/${round}`, round % 2 === 0 ? blobs : another, round % 3 === 0),
        collectBlobs(deps, { grace: 60_000 }),
        collectBlobs({ db, backend }, { grace: 60_000 }),
      ]);
      expect(existsSync(pathOf(digest)), `round ${round}`).toBe(true);
    }
  });

  test("is counted also where it was there before anybody counted", async () => {
    const content = Buffer.from("older than the count");
    await backend.put(content);
    const known = () => db.selectFrom("blobs").selectAll().where("digest", "=", sha256(content)).execute();
    expect(await known()).toEqual([]);
    await adoptAll(deps);
    expect(await known()).toMatchObject([{ size_bytes: content.length, problem: null }]);
    await collectBlobs(deps, { grace: 0 });
    expect(existsSync(pathOf(sha256(content)))).toBe(false);
  });
});

const checkedOf = async (id: string) =>
  (await call({ method: "POST", url: `/api/v1/projects/${id}/artifacts/verify` })).json<{ checked: number }>().checked;

describe("damaged bytes", () => {
  test("are found, told of by path, refused at the download, and mended by the same bytes", async () => {
    const id = await createProject(app, unbuildableDocument());
    // What else it brings forth is there by then.
    await untilEnded(app, id);
    const before = await checkedOf(id);
    const texts = { "changed.txt": "will be changed", "missing.txt": "will be missing", "fine.txt": "stays" };
    for (const [path, text] of Object.entries(texts)) await upload(id, path, text);
    await writeFile(pathOf(sha256("will be changed")), "was changed....");
    await rm(pathOf(sha256("will be missing")));
    const url = `/api/v1/projects/${id}/artifacts`;
    const check = await call({ method: "POST", url: `${url}/verify` });
    expect(check.json()).toMatchObject({
      checked: before + 3,
      damaged: expect.arrayContaining([
        expect.objectContaining({
          path: "changed.txt",
          problem: "changed",
          sha256: sha256("will be changed"),
          checkpoint_id: null,
        }),
        expect.objectContaining({ path: "missing.txt", problem: "missing" }),
      ]),
    });
    expect(await countDamaged(db)).toBe(2);
    expect((await call({ url: `${url}/changed.txt` })).json()).toMatchObject({ status: 500, code: "artifact_damaged" });
    for (const [path, text] of Object.entries(texts)) await upload(id, `again/${path}`, text);
    expect((await call({ url: `${url}/changed.txt` })).body).toBe("will be changed");
    expect((await call({ method: "POST", url: `${url}/verify` })).json()).toMatchObject({ damaged: [] });
    expect(await countDamaged(db)).toBe(0);
  });

  test("are found in the background, some at a time, and each in its turn", async () => {
    await sql`update blobs set verified_at = null`.execute(db);
    const digests: string[] = [];
    for (let at = 0; at < 5; at += 1) digests.push((await blobs.put(Buffer.alloc(1000, at + 65))).digest);
    await writeFile(pathOf(digests[3]!), "x");
    const found: string[] = [];
    const { count } = await db
      .selectFrom("blobs")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    for (let turn = 0; turn < count && found.length === 0; turn += 1)
      found.push(...(await verifySome(deps, 1500, { keptMs: 0 })).map(({ digest }) => digest));
    expect(found).toEqual([digests[3]]);
    await rm(pathOf(digests[3]!));
    await blobs.put(Buffer.alloc(1000, 68));
  });
});

test("checkpoints go by age and by count, but never the newest, nor what is live", async () => {
  const id = await stage.play({ phases: { one: {}, two: { depends_on: ["one"] } } });
  await untilEnded(app, id);
  await upload(id, "a.txt", "a");
  const phases = async () => (await checkpointsOf(app, id)).map(({ phase }) => phase);
  const all = await phases();
  expect(all.length).toBeGreaterThan(3);
  await removeOldCheckpoints(db, { days: 90, count: undefined });
  expect(await phases()).toEqual(all);
  await removeOldCheckpoints(db, { days: undefined, count: 2 });
  expect(await phases()).toEqual(all.slice(0, 2));
  await sql`update checkpoints set created_at = now() - interval '91 days'`.execute(db);
  await removeOldCheckpoints(db, { days: 90, count: undefined });
  expect(await phases()).toEqual(all.slice(0, 1));
  const left = await db
    .selectFrom("artifacts")
    .select("checkpoint_id")
    .distinct()
    .where("project_id", "=", id)
    .execute();
  expect(left.length).toBe(2);
  await collectBlobs(deps, { grace: 0 });
  await rm(join(app.dataFolder, "workspaces", id), { recursive: true });
  const [newest] = await checkpointsOf(app, id);
  for (const query of ["", `?checkpoint=${newest!.checkpoint_id}`])
    expect((await call({ url: `/api/v1/projects/${id}/artifacts/source_code${query}` })).statusCode).toBe(200);
});

describe("a quota", () => {
  test("of a project refuses what would not fit, and says how much there is", async () => {
    const small = await createTestApp({ artifacts: { projectQuota: 1000 } });
    const [one, two] = [await createProject(small), await createProject(small)];
    expect((await upload(one, "a", Buffer.alloc(900), small)).statusCode).toBe(201);
    const refused = await upload(one, "b", Buffer.alloc(200, 1), small);
    expect(refusalOf(refused)).toEqual([
      413,
      "The project's artifacts take 900 of the 1000 bytes that it may have; 200 more do not fit. Upload less, or ask the operator to raise artifact_quota_project.",
    ]);
    expect(refused.json()).toMatchObject({ code: "quota_exceeded" });
    // The same bytes again take no more room; another project has its own.
    expect((await upload(one, "c", Buffer.alloc(900), small)).statusCode).toBe(201);
    expect((await upload(two, "b", Buffer.alloc(200, 1), small)).statusCode).toBe(201);
    const begun = await small.call({
      method: "POST",
      url: `/api/v1/projects/${one}/uploads`,
      payload: { type: "logs", path: "big", size_bytes: 101 },
    });
    expect(refusalOf(begun)[0]).toBe(413);
  });

  test("of all together refuses whoever comes last", async () => {
    const small = await createTestApp({ artifacts: { totalQuota: 1000 } });
    const [one, two] = [await createProject(small), await createProject(small)];
    expect((await upload(one, "a", Buffer.alloc(900), small)).statusCode).toBe(201);
    expect(refusalOf(await upload(two, "b", Buffer.alloc(200, 1), small))[1]).toContain("artifact_quota_total");
    expect(await readdir(join(small.dataFolder, "artifacts", "unfinished"))).toEqual([]);
  });

  test("that an agent's work exceeds fails its attempt with the same words", async () => {
    const small = await createStage({}, { projectQuota: 20_000 });
    const id = await small.play({}, async ({ folder: work, task }) => {
      if (task.role === "planner") return undefined;
      await writeFile(join(work, "large.bin"), randomBytes(50_000));
      return { is: "done" };
    });
    const { status, error } = await untilEnded(small.app, id);
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "quota_exceeded", message: expect.stringContaining("artifact_quota_project") });
    expect((await tasksOf(small.app, id)).some(({ status: is }) => is === "failed")).toBe(true);
  });
});

function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

async function* streamOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}
