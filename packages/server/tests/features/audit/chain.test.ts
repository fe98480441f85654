import type { AuditCheck } from "@slipway/contract";
import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { recordChange, sealAudit } from "../../../src/features/audit/index.ts";
import { createTestApp } from "../../support/test-app.ts";

const { db, clock, call } = await createTestApp({});
const request = { ip: "127.0.0.1", id: "req_1", principal: undefined };

async function write(count: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (let n = 1; n <= count; n += 1)
      await recordChange(
        trx,
        clock,
        { request },
        { action: "project.create", target: `t${n}`, detail: { zz: n, a: ["x"] } },
      );
  });
}

const check = async (query = "") => (await call({ url: `/api/v1/audit/check${query}` })).json<AuditCheck>();

beforeEach(async () => {
  await db.deleteFrom("audit").execute();
});

test("an empty log is intact", async () => {
  expect(await check()).toEqual({
    is_intact: true,
    checked: 0,
    last: null,
    has_more: false,
    unsealed: 0,
    problem: null,
  });
});

test("nodes that seal at once make one chain without a gap", async () => {
  await write(1_200);
  await Promise.all([sealAudit(db), sealAudit(db), sealAudit(db)]);
  await write(3);
  await sealAudit(db);
  const all = await check();
  expect(all).toMatchObject({ is_intact: true, checked: 1_203, last: { position: 1_203 }, unsealed: 0 });
  // The same in parts.
  const first = await check("?through=700");
  expect(first).toMatchObject({ is_intact: true, checked: 700, last: { position: 700 }, has_more: false });
  expect(await check("?after=700")).toEqual({ ...all, checked: 503 });
});

describe("is not intact where somebody with access to the database", () => {
  const size = 6;
  const position = fc.integer({ min: 1, max: size });
  const text = fc.constantFrom("actor", "actor_name", "action", "target", "address", "request_id");
  const tampering = fc.oneof(
    fc.record({ how: fc.constant("changes a text" as const), position, column: text }),
    fc.record({ how: fc.constant("changes the detail" as const), position }),
    fc.record({ how: fc.constant("changes the time" as const), position }),
    fc.record({ how: fc.constant("changes a hash" as const), position }),
    // The last one: only who kept the end notices that it is gone.
    fc.record({ how: fc.constant("removes an entry" as const), position: fc.integer({ min: 1, max: size - 1 }) }),
    fc.record({ how: fc.constant("exchanges two" as const), position: fc.integer({ min: 1, max: size - 1 }) }),
  );

  test("changes, removes or exchanges entries", async () => {
    await fc.assert(
      fc.asyncProperty(tampering, async (done) => {
        await db.deleteFrom("audit").execute();
        await write(size);
        expect(await check()).toMatchObject({ is_intact: true, checked: size });
        const at = sql`position = ${done.position}`;
        if (done.how === "changes a text")
          await sql`update audit set ${sql.ref(done.column)} = ${sql.ref(done.column)} || 'x' where ${at}`.execute(db);
        else if (done.how === "changes the detail")
          await sql`update audit set detail = jsonb_set(detail, '{zz}', '99') where ${at}`.execute(db);
        else if (done.how === "changes the time")
          await sql`update audit set at = at - interval '1 ms' where ${at}`.execute(db);
        else if (done.how === "changes a hash") await sql`update audit set hash = sha256(hash) where ${at}`.execute(db);
        else if (done.how === "removes an entry") await sql`delete from audit where ${at}`.execute(db);
        else
          await sql`
            update audit set target = other.target from audit as other
            where audit.${sql.ref("position")} = ${done.position} and other.position = ${done.position + 1}`.execute(
            db,
          );
        const found = await check();
        expect(found).toMatchObject({ is_intact: false, problem: expect.stringMatching(/position \d/) });
        expect(found.checked).toBeLessThan(size);
      }),
      { numRuns: 25 },
    );
  });
});

describe("the list", () => {
  test.each([
    ["actor=nobody", 0],
    ["action=project.create", 3],
    ["action=project.*", 3],
    ["action=user.*", 0],
    ["target=t2", 1],
    ["since=2999-01-01T00:00:00Z", 0],
    ["until=2999-01-01T00:00:00Z", 3],
  ])("with %s has %i", async (query, count) => {
    await write(3);
    const { entries } = (await call({ url: `/api/v1/audit?${query}` })).json<{ entries: object[] }>();
    expect(entries).toHaveLength(count);
  });

  test("refuses a time that is none", async () => {
    const answer = await call({ url: "/api/v1/audit?since=yesterday" });
    expect({ status: answer.statusCode, body: answer.body }).toMatchObject({
      status: 400,
      body: expect.stringContaining("since"),
    });
  });
});
