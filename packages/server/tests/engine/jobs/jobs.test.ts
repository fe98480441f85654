import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type ClaimedJob,
  claimJobs,
  countJobs,
  deferJobs,
  deleteAllNodes,
  deleteJobs,
  enqueueAndClaimJobs,
  enqueueJobs,
  isAttemptInFlight,
  type MetDemand,
  type NewJob,
  pauseJobs,
  releaseJobs,
  releaseLostJobs,
  renewNode,
  selectOwnJobs,
  selectQueues,
  settleJobs,
} from "../../../src/engine/jobs/index.ts";
import { NodeLease } from "../../../src/engine/jobs/leases.ts";
import { connectDatabase, type Database, type Schema } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";
import { migrations } from "../../support/engine/cluster.ts";

const { connection } = await createTestDatabase(migrations);
// A machine so busy that this process gets no turn for seconds must not end its transactions.
const { db, close } = connectDatabase<Schema>(connection, { log: quietLog, idleTransactionMs: 240_000 });
afterAll(close);
beforeEach(() => sql`truncate jobs, nodes`.execute(db));

const leaseMs = 600_000;
const demands = (max: number, ...queues: string[]) => [{ queues: queues.length > 0 ? queues : ["q"], max }];
const claim = async (node: string, max: number, ...queues: string[]) => {
  await renewNode(db, node, leaseMs);
  return claimJobs(db, { node, demands: demands(max, ...queues) });
};

describe("claiming", () => {
  test("gives each job to one of many who ask at the same time", async () => {
    await enqueue(Array.from({ length: 500 }, (_, number) => ({ number })));
    const claimers = Array.from({ length: 12 }, async (_, at) => {
      const taken: number[] = [];
      for (let none = 0; none < 3; ) {
        const jobs = await claim(`node-${at}`, 7);
        taken.push(...jobs.map(({ number }) => number));
        none = jobs.length === 0 ? none + 1 : 0;
      }
      return taken;
    });
    const all = (await Promise.all(claimers)).flat();
    expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, number) => number));
  });

  test("takes the most urgent first, then the oldest", async () => {
    for (const [number, priority] of [2, 0, 3, 2, 1, 0].entries()) await enqueue([{ number, priority }]);
    const order: number[] = [];
    for (let count = 0; count < 6; count += 1) order.push((await claim("node", 1))[0]!.number);
    expect(order).toEqual([1, 5, 4, 0, 3, 2]);
  });

  test("leaves alone what is not due, what is held and what lies in other queues", async () => {
    await enqueue([
      { number: 1, delayMs: 60_000 },
      { number: 2, isPaused: true },
      { number: 3, queue: "other" },
      { number: 4 },
    ]);
    expect(numbersOf(await claim("node", 10))).toEqual([4]);
    await db.transaction().execute((trx) => pauseJobs(trx, "group", false));
    expect(numbersOf(await claim("node", 10))).toEqual([2]);
  });

  test("meets each demand from its own queues and no more than it asks for", async () => {
    await enqueue([...Array(5).keys()].map((number) => ({ number, queue: number < 3 ? "a" : "b" })));
    const asked = [
      { queues: ["a"], max: 1 },
      { queues: ["b", "a"], max: 3 },
    ];
    const jobs = await claimJobs(db, { node: "node", demands: asked });
    for (const { demand, queue } of jobs) expect(asked[demand]!.queues).toContain(queue);
    expect(jobs.filter(({ demand }) => demand === 0).length).toBeLessThanOrEqual(1);
    expect(jobs.filter(({ demand }) => demand === 1).length).toBeLessThanOrEqual(3);
    expect(new Set(numbersOf(jobs)).size).toBe(jobs.length);
  });

  test("hands what is only now enqueued to who has hands free after what waited, and keeps the rest", async () => {
    await enqueue([{ number: 1 }]);
    const fresh = [2, 3, 4].map((number) => jobOf({ number, ...(number === 3 && { isPaused: true }) }));
    const found = await enqueueAndClaim(fresh, 2);
    expect(numbersOf(found.claimed)).toEqual([1, 2]);
    expect(found.isDrained).toBe(false);
    expect(await settle(found.claimed)).toEqual([1, 2]);
    expect(numbersOf(await claim("node", 5))).toEqual([4]);
  });

  test("says that nothing more is due when hands are left over, and is believed the next time", async () => {
    const first = await enqueueAndClaim([jobOf({ number: 1 }), jobOf({ number: 2, delayMs: 60_000 })], 5);
    expect([numbersOf(first.claimed), first.isDrained]).toEqual([[1], true]);
    await enqueue([{ number: 3 }]);
    const second = await enqueueAndClaim([jobOf({ number: 4 })], 5, true);
    expect(numbersOf(second.claimed)).toEqual([4]);
  });

  function enqueueAndClaim(jobs: readonly NewJob[], max: number, isDrained = false) {
    const claim = { node: "node", demands: demands(max) };
    return db.transaction().execute(async (trx) => {
      const taking = await enqueueAndClaimJobs(trx, jobs, claim, { isDrained });
      await Promise.all(taking.answers);
      return { claimed: await taking.claimed, isDrained: taking.isDrained };
    });
  }
});

describe("a lease", () => {
  test("keeps others away while it is renewed, and lets them in when it has ended, which counts as a loss", async () => {
    await enqueue([{ number: 1 }]);
    const [first] = (await claim("a", 1)) as [MetDemand];
    await releaseLostJobs(db);
    expect(await claim("b", 1)).toEqual([]);
    await loseClaim(first);
    const [second] = (await claim("b", 1)) as [MetDemand];
    expect(second).toMatchObject({ id: first.id, losses: 1 });
    expect(second.fence).toBeGreaterThan(first.fence);
  });

  test("that was lost again and again is free only after a while, unlike those lost with it", async () => {
    await enqueue(Array.from({ length: 50 }, (_, number) => ({ number })));
    const due = async () => {
      await sql`update jobs set claimed_by = 'silent', available_at = 'infinity'`.execute(db);
      await releaseLostJobs(db);
      const times = sql<{ at: string }>`select distinct available_at::text as at from jobs`;
      return (await times.execute(db)).rows.length;
    };
    expect(await due()).toBe(1);
    await sql`update jobs set losses = 4`.execute(db);
    expect(await due()).toBeGreaterThan(40);
  });

  test("that was lost can be neither settled nor renewed nor given back nor put off", async () => {
    await enqueue([{ number: 1 }]);
    const [old] = (await claim("a", 1)) as [MetDemand];
    await loseClaim(old);
    const [job] = (await claim("b", 1)) as [MetDemand];
    const before = await rows();
    expect(await settle([old])).toEqual([]);
    await releaseJobs(db, [old]);
    await deferJobs(db, [old]);
    expect(await rows()).toEqual(before);
    expect(await selectOwnJobs(db, [old])).toEqual(new Set());
    expect(await selectOwnJobs(db, [job])).toEqual(new Set([job.id]));
    expect(await settle([job])).toEqual([1]);
    expect(await settle([job])).toEqual([]);
  });

  test("that has ended still counts while nobody else has released the jobs", async () => {
    await enqueue([{ number: 1 }]);
    const jobs = await claim("a", 1);
    await renewNode(db, "a", 0);
    expect(await settle(jobs)).toEqual([1]);
  });

  test("of a node says whether another one is silent", async () => {
    expect(await renewNode(db, "a", leaseMs)).toEqual({ hasSilent: false });
    await renewNode(db, "b", 0);
    expect(await renewNode(db, "a", leaseMs)).toEqual({ hasSilent: true });
    expect(await renewNode(db, "b", leaseMs)).toEqual({ hasSilent: false });
  });

  test("is renewed for all jobs of a node by one row, and no row of a job is written", async () => {
    await enqueue(Array.from({ length: 500 }, (_, number) => ({ number })));
    expect(await claim("a", 500)).toHaveLength(500);
    const versions = () =>
      sql<{ version: string }>`select xmin::text || ctid::text as version from jobs order by number`.execute(db);
    const before = (await versions()).rows;
    const lease = new NodeLease({ db, node: "a", leaseMs });
    const clock = vi.spyOn(performance, "now");
    onTestFinished(() => clock.mockRestore());
    for (const nowMs of [0, leaseMs / 2, leaseMs, 1.5 * leaseMs]) {
      clock.mockReturnValue(nowMs);
      expect(await lease.keep()).toBe(true);
    }
    expect((await versions()).rows).toEqual(before);
    expect(await claim("b", 500)).toEqual([]);
  });

  test("given back is free at once and no loss; put off it is one, and free later each time", async () => {
    await enqueue([{ number: 1 }]);
    const [job] = (await claim("a", 1)) as [MetDemand];
    expect(await isAttemptInFlight(db, "group", 1, job.fence)).toBe(true);
    await releaseJobs(db, [job]);
    expect(await isAttemptInFlight(db, "group", 1, job.fence)).toBe(false);
    expect(await settle([job])).toEqual([]);
    const waits: number[] = [];
    for (let losses = 0; losses < 12; losses += 1) {
      const [again] = (await claim("b", 1)) as [MetDemand];
      expect(again.losses).toBe(losses);
      await deferJobs(db, [again]);
      expect(await claim("b", 1)).toEqual([]);
      const { rows: left } = await sql<{
        ms: number;
      }>`select extract(epoch from available_at - now())::float8 * 1000 as ms from jobs`.execute(db);
      waits.push(left[0]!.ms);
      await sql`update jobs set available_at = now()`.execute(db);
    }
    expect(waits.map((ms) => Math.ceil(ms / 250) / 4)).toEqual([0.25, 0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
  });

  test("of a process that is no more is freed when that is certain", async () => {
    await enqueue([{ number: 1 }, { number: 2, delayMs: 60_000 }]);
    const [old] = (await claim("dead", 1)) as [MetDemand];
    await deleteAllNodes(db);
    await releaseLostJobs(db);
    expect(await settle([old])).toEqual([]);
    expect(numbersOf(await claim("node", 5))).toEqual([1]);
  });

  test("of a job that is held while somebody is at it goes on", async () => {
    await enqueue([{ number: 1 }]);
    const jobs = await claim("a", 1);
    await db.transaction().execute((trx) => pauseJobs(trx, "group", true));
    expect(await selectOwnJobs(db, jobs)).toEqual(new Set(jobs.map(({ id }) => id)));
    expect(await settle(jobs)).toEqual([1]);
  });

  test("of a job that is dropped is lost", async () => {
    await enqueue([{ number: 1 }, { number: 2 }, { number: 3, groupId: "another" }]);
    const jobs = await claim("a", 3);
    await db.transaction().execute((trx) => deleteJobs(trx, "group", [2]));
    expect(await settle(jobs.filter(({ number }) => number === 2))).toEqual([]);
    await db.transaction().execute((trx) => deleteJobs(trx, "group"));
    expect(await settle(jobs)).toEqual([3]);
  });
});

test("whatever is done in whatever order, a job is taken by rank and settled by its holder, once", async () => {
  const anyOperation = fc.oneof(
    fc.record({
      do: fc.constant("enqueue" as const),
      priority: fc.integer({ min: 0, max: 3 }),
      isPaused: fc.boolean(),
    }),
    fc.record({ do: fc.constant("claim" as const), max: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      do: fc.constantFrom("settle", "give back", "put off", "lose", "hold", "release" as const),
      at: fc.nat(9),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { maxLength: 30 }), async (operations) => {
      await sql`truncate jobs`.execute(db);
      const claimed: ClaimedJob[] = [];
      const settled: number[] = [];
      let enqueued = 0;
      for (const operation of operations) {
        switch (operation.do) {
          case "enqueue":
            await enqueue([{ ...operation, number: enqueued, groupId: `g${enqueued % 3}` }]);
            enqueued += 1;
            break;
          case "claim": {
            const expected = await firstDue(operation.max);
            const taken = await claim("node", operation.max);
            expect(taken.map(({ id }) => id)).toEqual(expected);
            claimed.push(...taken);
            break;
          }
          default: {
            const job = claimed[operation.at % (claimed.length || 1)];
            if (job === undefined) break;
            const isOwn = (await selectOwnJobs(db, [job])).has(job.id);
            const done = await carryOut(operation.do, job);
            if (operation.do === "settle") expect(done).toEqual(isOwn ? [job.number] : []);
            settled.push(...done);
          }
        }
      }
      expect(new Set(settled).size).toBe(settled.length);
      expect((await rows()).length).toBe(enqueued - settled.length);
    }),
    { numRuns: 60 },
  );
});

async function carryOut(what: string, job: ClaimedJob): Promise<number[]> {
  switch (what) {
    case "settle":
      return settle([job]);
    case "give back":
      await releaseJobs(db, [job]);
      break;
    case "put off":
      await deferJobs(db, [job]);
      break;
    case "lose":
      await loseClaim(job);
      break;
    default:
      await db.transaction().execute((trx) => pauseJobs(trx, job.groupId, what === "hold"));
  }
  return [];
}

test("many claims, renewals, returns and losses at once leave every job settled once", { tags: "long" }, async () => {
  const count = 300;
  await enqueue(Array.from({ length: count }, (_, number) => ({ number, priority: number % 4 })));
  const settled: number[] = [];
  let turns = 0;
  const worker = async (name: string) => {
    while ((await rows()).length > 0) {
      const jobs = await claim(name, 5);
      for (const job of jobs) {
        turns += 1;
        if (turns % 3 === 0) await releaseJobs(db, [job]);
        if (turns % 3 !== 1) continue;
        await loseClaim(job);
        // What is lost again and again would wait for seconds.
        await sql`update jobs set available_at = now() where id = ${job.id} and claimed_by is null`.execute(db);
      }
      // Also what is no longer its own.
      settled.push(...(await settle(jobs)));
    }
  };
  await Promise.all(["a", "b", "c", "d", "e", "f"].map(worker));
  expect(settled.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, number) => number));
});

test("a row at the end of any column's range stops neither claims nor what follows them", async () => {
  const anyInteger = fc.constantFrom(-2_147_483_648, -1, 0, 1_023, 1_024, 2_147_483_646, 2_147_483_647);
  const anyTime = fc.constantFrom("-infinity", "infinity", "4713-01-01 BC", "294276-12-31", "now");
  const anyRow = fc.record({
    priority: fc.constantFrom(-32_768, 0, 3, 32_767),
    available_at: anyTime,
    created_at: anyTime,
    number: anyInteger,
    kind: fc.constantFrom("", "task", "no such kind", "x".repeat(10_000)),
    payload: fc.constantFrom("null", "{}", "[]", '"text"', "1e308"),
    fence: anyInteger,
    losses: anyInteger,
  });
  await fc.assert(
    fc.asyncProperty(anyRow, fc.constantFrom("release", "defer", "lose"), async (row, what) => {
      await sql`truncate jobs`.execute(db);
      await sql`
        insert into jobs (queue, is_paused, group_id, priority, available_at, created_at, number, kind, payload, fence, losses)
        values ('q', false, 'odd', ${row.priority}, ${row.available_at}, ${row.created_at}, ${row.number}, ${row.kind},
          ${row.payload}, ${row.fence}, ${row.losses})`.execute(db);
      await enqueue([{ number: 1 }]);
      const jobs = await claim("a", 5);
      expect(jobs.filter(({ groupId }) => groupId === "group")).toHaveLength(1);
      if (what === "release") await releaseJobs(db, jobs);
      else if (what === "defer") await deferJobs(db, jobs);
      else for (const job of jobs) await loseClaim(job);
      await sql`update jobs set available_at = now() where claimed_by is null and isfinite(available_at)`.execute(db);
      expect(await settle(await claim("a", 5))).toContain(1);
    }),
    { numRuns: 60 },
  );
});

describe("with many thousands waiting", () => {
  test("taking a job reads a few of them, also when the database knows how many there are", async () => {
    const single = connectDatabase<Schema>(connection, { log: quietLog, maxConnections: 1 });
    try {
      await sql`set plan_cache_mode = force_generic_plan`.execute(single.db);
      await fill(20_000);
      await sql`vacuum analyze jobs`.execute(single.db);
      const claim = { node: "node", demands: demands(5) };
      const read = async () => {
        await sql`select pg_stat_force_next_flush()`.execute(single.db);
        const { rows } = await sql<{ count: number }>`
          select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables where relname = 'jobs'`.execute(
          single.db,
        );
        return rows[0]!.count;
      };
      const before = await read();
      await claimJobs(single.db, claim);
      expect((await read()) - before).toBeLessThan(200);
    } finally {
      await single.close();
    }
  });

  test("no statement reads the whole table, not even with a plan that was made while it was empty", async () => {
    const single = connectDatabase<Schema>(connection, { log: quietLog, maxConnections: 1 });
    try {
      await sql`set plan_cache_mode = force_generic_plan`.execute(single.db);
      await sql`vacuum jobs`.execute(single.db);
      await useAllStatements(single.db);
      await fill(20_000);
      const { rows: statements } = await sql<{ name: string; statement: string; count: number }>`
        select name, statement, cardinality(parameter_types) as count from pg_prepared_statements
        where statement ~ 'jobs' and statement !~ 'insert'`.execute(single.db);
      expect(statements.length).toBeGreaterThan(6);
      const readingAll: string[] = [];
      for (const { name, statement, count } of statements) {
        const values = Array<string>(count).fill("null").join(", ");
        const plan = await sql<{ "QUERY PLAN": string }>`${sql.raw(`explain execute ${name}(${values})`)}`.execute(
          single.db,
        );
        if (plan.rows.some((row) => row["QUERY PLAN"].includes("Seq Scan on jobs"))) readingAll.push(statement);
      }
      expect(readingAll).toEqual([]);
    } finally {
      await single.close();
    }
  });
});

/** Each function a few times. */
async function useAllStatements(on: Database): Promise<void> {
  for (let round = 0; round < 7; round += 1) {
    const leases = [{ id: 1, fence: 1 }];
    await claimJobs(on, { node: "node", demands: demands(5, "q", "p") });
    await selectOwnJobs(on, leases);
    await releaseJobs(on, leases);
    await deferJobs(on, leases);
    await countJobs(on, ["q"]);
    await selectQueues(on, "q");
    await isAttemptInFlight(on, "group", 1, 1);
    await on.transaction().execute(async (trx) => {
      await settleJobs(trx, leases);
      await deleteJobs(trx, "group");
      await pauseJobs(trx, "group", true);
    });
  }
}

async function fill(count: number): Promise<void> {
  await sql`
    insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
    select 'q', 2, now(), false, 'g' || n, 1, 'task', '{}' from generate_series(1, ${count}) as n`.execute(db);
}

function jobOf(job: Partial<NewJob> & { number: number }): NewJob {
  return { queue: "q", priority: 2, delayMs: 0, isPaused: false, groupId: "group", kind: "task", payload: {}, ...job };
}

async function enqueue(jobs: readonly (Partial<NewJob> & { number: number })[]): Promise<void> {
  await db.transaction().execute((trx) => enqueueJobs(trx, jobs.map(jobOf)));
}

async function settle(jobs: readonly ClaimedJob[]): Promise<number[]> {
  const settled = await db.transaction().execute((trx) => settleJobs(trx, jobs));
  const ids = new Set(settled.map(({ id }) => id));
  return numbersOf(jobs.filter(({ id }) => ids.has(id)));
}

/** As if the node that has the job had been silent for too long. */
async function loseClaim({ id }: ClaimedJob): Promise<void> {
  await sql`update jobs set claimed_by = 'silent' where id = ${id} and claimed_by is not null`.execute(db);
  await sql`update jobs set available_at = now() where id = ${id} and claimed_by is null`.execute(db);
  await releaseLostJobs(db);
}

/** What is to be taken next, by looking at everything. */
async function firstDue(max: number): Promise<number[]> {
  // What was put off must not become due between this look and the claim.
  await sql`
    update jobs set available_at = available_at + interval '1 hour'
    where claimed_by is null and available_at > now()`.execute(db);
  const { rows: due } = await sql<{ id: number }>`
    select id from jobs where not is_paused and available_at <= now() order by priority, available_at, id limit ${max}`.execute(
    db,
  );
  return due.map(({ id }) => id).toSorted((a, b) => a - b);
}

function rows() {
  return db.selectFrom("jobs").selectAll().orderBy("id").execute();
}

function numbersOf(jobs: readonly { number: number }[]): number[] {
  return jobs.map(({ number }) => number).toSorted((a, b) => a - b);
}
