import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { TrackedBlobs } from "../../../src/features/artifacts/index.ts";
import { collectBlobs } from "../../../src/features/artifacts/retention/collect-blobs.ts";
import { forgetBlob, markRemoval } from "../../../src/features/artifacts/retention/store.ts";
import { verifySome } from "../../../src/features/artifacts/retention/verify-blobs.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import { openBlobBackend } from "../../../src/platform/blobs/open-blob-backend.ts";
import { connectDatabase, type Schema } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";
import { FakeS3 } from "../../support/fake-s3.ts";
import { until } from "../../support/until.ts";

const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));
const { connection } = await createTestDatabase(migrations);
const { db, close } = connectDatabase<Schema>(connection, { log: quietLog });
const folder = await mkdtemp(join(tmpdir(), "slipway-removal-"));
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});
const s3 = await new FakeS3().listen();
const backend = await openBlobBackend({
  folder,
  s3: {
    bucket: s3.bucket,
    endpoint: s3.url,
    region: "eu-1",
    prefix: "",
    isPathStyle: true,
    key: { id: "the-key", secret: "the-secret" },
  },
});
const blobs = new TrackedBlobs({ db, backend, quotas: { project: undefined, total: undefined } });
const grace = 60_000;
const row = (digest: string) => db.selectFrom("blobs").selectAll().where("digest", "=", digest).executeTakeFirst();
const isThere = (digest: string) => s3.objects.has(`${digest.slice(0, 2)}/${digest.slice(2)}`);
const puts = () => s3.asked.filter((one) => one.startsWith("PUT ")).length;

/** Bytes that nobody has wanted for an hour. */
async function putOld(): Promise<{ content: Buffer; digest: string }> {
  const content = randomBytes(20);
  const { digest } = await blobs.put(content);
  await sql`update blobs set put_at = now() - interval '1 hour' where digest = ${digest}`.execute(db);
  return { content, digest };
}

test("storing bytes while they are removed waits, however slow the removal is, and then writes them again", async () => {
  const { content, digest } = await putOld();
  const { promise, resolve } = Promise.withResolvers<void>();
  s3.beforeDelete = promise;
  const before = puts();
  const collected = collectBlobs({ db, backend }, { grace });
  await until(() => s3.asked.some((one) => one.startsWith("DELETE ")));
  let isKept = false;
  const kept = blobs.put(content).finally(() => {
    isKept = true;
  });
  // These go the same way: who would not wait would have come as far.
  await blobs.put(randomBytes(20));
  expect(isKept).toBe(false);
  // A transaction that is idle for long is ended by the database, and its locks with it.
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`.execute(db);
  expect([rows[0]!.open, puts()]).toEqual([0, before + 1]);
  resolve();
  expect(await collected).toBe(1);
  expect((await kept).digest).toBe(digest);
  expect([isThere(digest), puts()]).toEqual([true, before + 2]);
  expect(await row(digest)).toMatchObject({ problem: null, put_at: expect.any(Date) });
});

test("after an unfinished removal, bytes are written again even if they seem to exist", async () => {
  const { content, digest } = await putOld();
  const mark = await markRemoval(db, digest, grace);
  expect(mark).toBeDefined();
  // Another may not take it over before its time.
  expect(await markRemoval(db, digest, grace)).toBeUndefined();
  expect(await collectBlobs({ db, backend }, { grace })).toBe(0);
  await sql`update blobs set verified_at = now() - interval '61 seconds' where digest = ${digest}`.execute(db);
  const before = puts();
  await blobs.put(content);
  expect(puts()).toBe(before + 1);
  // Who comes back late has nothing to say any more.
  await forgetBlob(db, digest, mark!);
  expect(await row(digest)).toMatchObject({ problem: null, put_at: expect.any(Date) });
});

test("a removal that fails is tried again later", async () => {
  const { digest } = await putOld();
  s3.failures = 1000;
  await expect(collectBlobs({ db, backend }, { grace })).rejects.toMatchObject({ code: "store_unavailable" });
  s3.failures = 0;
  expect(isThere(digest)).toBe(true);
  // Nobody calls it damaged meanwhile.
  expect(await verifySome({ db, blobs }, 1_000_000, { keptMs: 0 })).toEqual([]);
  await sql`update blobs set verified_at = now() - interval '61 seconds' where digest = ${digest}`.execute(db);
  expect(await collectBlobs({ db, backend }, { grace })).toBe(1);
  expect([isThere(digest), await row(digest)]).toEqual([false, undefined]);
});

test("who is told too late removes nothing", async () => {
  const inFolder = await FolderBlobStore.open(join(folder, "blobs"));
  for (const one of [backend, inFolder]) {
    const { digest } = await one.put(randomBytes(20));
    await expect(one.remove(digest, AbortSignal.abort())).rejects.toThrow();
    expect(await one.has(digest)).toBe(true);
  }
});

test("bytes that a killed process had only announced are not called damaged", async () => {
  const digest = createHash("sha256").update("never written").digest("hex");
  await sql`insert into blobs (digest, size_bytes, put_at) values (${digest}, 13, now() - interval '25 hours')`.execute(
    db,
  );
  expect(await verifySome({ db, blobs }, 1_000_000)).toEqual([]);
  await collectBlobs({ db, backend });
  expect(await row(digest)).toBeUndefined();
});

test("what is unused among thousands of projects is found within the time that a statement has", {
  tags: "long",
}, async () => {
  const digestOf = (what: string) => sql`encode(sha256((${sql.lit(what)} || n || '-' || k)::bytea), 'hex')`;
  await sql`insert into users (id, name, role) values ('usr_1', 'ann', 'svc:admin')`.execute(db);
  await sql`
    insert into applications (id, owner_id, document_id, projects, latest_project_id, updated_at)
    values ('app_1', 'usr_1', 'x', 1, 'proj_1', now())`.execute(db);
  await sql`
    insert into projects (id, application_id, owner_id, document_id, name, outcome_type, state)
    select 'proj_' || n, 'app_1', 'usr_1', 'x', 'X', 'api', (
      select json_object_agg(k, json_build_object('bundle', ${digestOf("used")}, 'note', 'in a text: ' || ${digestOf("told")} || '.'))
      from generate_series(1, 6) as k)
    from generate_series(1, 4000) as n`.execute(db);
  for (const [what, projects] of [
    ["used", 4000],
    ["told", 4000],
    ["unused", 100],
  ] as const)
    await sql`
      insert into blobs (digest, size_bytes, put_at) select ${digestOf(what)}, 1, now() - interval '2 days'
      from generate_series(1, ${sql.lit(projects)}) as n, generate_series(1, 6) as k`.execute(db);
  await collectBlobs({ db, backend: { ...backend, remove: async () => undefined } as typeof backend });
  const left = await db
    .selectFrom("blobs")
    .select("digest")
    .where("put_at", "<", sql<Date>`now() - interval '1 day'`)
    .execute();
  expect(left.length).toBe(48_000);
});
