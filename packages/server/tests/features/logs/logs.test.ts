import type { LogPage } from "@slipway/contract";
import { type PluginTransformQueryArgs, type PluginTransformResultArgs, sql } from "kysely";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ProjectLogs } from "../../../src/engine/logs/log-writer.ts";
import { insertLogs } from "../../../src/engine/logs/store.ts";
import { MadeChunks } from "../../../src/features/logs/made-chunks.ts";
import { allLines, eventsOf } from "../../../src/features/logs/read-log.ts";
import { showServiceLog } from "../../../src/features/logs/service-log.ts";
import { selectLogs } from "../../../src/features/logs/store.ts";
import { connectDatabase, type Schema, type Transaction } from "../../../src/platform/database/index.ts";
import { LogTail } from "../../../src/platform/log/log-tail.ts";
import type { Masked } from "../../../src/platform/secrets/index.ts";
import { patientTransaction } from "../../support/database/patient-transaction.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { openEventStream } from "../../support/event-stream.ts";
import { DatabaseProxy } from "../../support/tcp-proxy.ts";
import { createProject, createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const app = await createTestApp();
const { db, call, adminToken } = app;
const book = new ProjectLogs({ db, log: quietLog as never, onWritten: () => undefined });
const address = await app.http.listen({ host: "127.0.0.1", port: 0 });

let projectId = "";
beforeAll(async () => {
  projectId = await createProject(app);
});

async function write(text: string, { source = "agent", task = "one" } = {}): Promise<void> {
  book.open({ projectId, source, taskId: task, attempt: 1, agentId: "agent_x" }).write(text as Masked);
  await book.flush();
}

async function read(query: string): Promise<LogPage> {
  return (await call({ url: `/api/v1/projects/${projectId}/logs${query}` })).json<LogPage>();
}

/** Waits until no transaction on the server, of other tests either, could still write a line before those there are. */
async function untilSettled(): Promise<void> {
  const open = sql`select from logs where xid >= pg_snapshot_xmin(pg_current_snapshot())`;
  await until(async () => (await open.execute(db)).rows.length === 0);
}

/** Whether a node waits for its turn to write. */
async function waitsForTurn(): Promise<boolean> {
  const waits = sql`select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where not granted and locktype = 'advisory' and datname = current_database()`;
  return (await waits.execute(db)).rows.length > 0;
}

type Turn = PromiseWithResolvers<void>;

const textsOf = ({ lines }: LogPage) => lines.map(({ text }) => text);

describe("a project's log", () => {
  test("is read by its end, by source, by task and by what a line holds", async () => {
    await write("first\nsecond\n");
    await write("built\nerror: no such file\n", { source: "build", task: "two" });
    expect(textsOf(await read("?tail=2"))).toEqual(["built", "error: no such file"]);
    expect(textsOf(await read("?service=agent"))).toEqual(["first", "second"]);
    expect(textsOf(await read("?task=two&contains=error"))).toEqual(["error: no such file"]);
    expect(textsOf(await read("?contains=nowhere"))).toEqual([]);
  });

  test("of deployed software has no lines of a task that started it, too", async () => {
    await write("verified\n", { source: "app", task: "accept validation" });
    await write("deployed\n", { source: "app", task: "" });
    expect(textsOf(await read("?service=app&task="))).toEqual(["deployed"]);
  });

  test("of a source that never writes is refused with those there are, also when it is followed", async () => {
    await write("checked\n", { source: "lint" });
    expect(textsOf(await read("?service=lint"))).toEqual(["checked"]);
    expect(textsOf(await read("?service=deploy"))).toEqual([]);
    for (const query of ["?service=nope", "?service=nope&follow=true"]) {
      const refused = await call({ url: `/api/v1/projects/${projectId}/logs${query}` });
      expect(refused.json()).toMatchObject({ status: 400, code: "invalid_parameter" });
      expect(refused.json<{ detail: string }>().detail).toBe(
        "This log has no service 'nope'. It has: agent, build, test, merge, deploy, app, health_check, commands, slack, jira, lint.",
      );
    }
  });

  test("is followed: the last lines first, then what is written as it is written, and from where one was", async () => {
    await write("before\n");
    await untilSettled();
    const open = (headers = {}, query = "&tail=1") =>
      openEventStream(`${address}/api/v1/projects/${projectId}/logs?follow=true${query}`, {
        authorization: `Bearer ${adminToken}`,
        ...headers,
      });
    const stream = await open();
    const next = async () => textsOf((await stream.next()).data as unknown as LogPage);
    expect(await next()).toEqual(["before"]);
    await write("now\n");
    const { id, data } = await stream.next();
    expect(textsOf(data as unknown as LogPage)).toEqual(["now"]);
    stream.close();
    await write("meanwhile\n");
    const again = await open({ "last-event-id": id });
    expect(textsOf((await again.next()).data as unknown as LogPage)).toEqual(["meanwhile"]);
  });

  test("of very many empty lines is read in parts that a service can hold", { tags: "long" }, async () => {
    const { next_cursor: start } = await read("?tail=1");
    await write("\n".repeat(3 * 32 * 1024));
    await untilSettled();
    const counts: number[] = [];
    for (let cursor = start; ; ) {
      const { lines, next_cursor } = await read(`?cursor=${cursor}`);
      if (lines.length === 0) break;
      counts.push(lines.length);
      cursor = next_cursor;
    }
    expect(Math.max(...counts)).toBeLessThan(12_000);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 * 32 * 1024);
    expect((await read("?tail=5")).lines).toHaveLength(5);
  });

  test("of very many empty lines is streamed in events that a reader takes", async () => {
    const { next_cursor: start } = await read("?tail=1");
    await write("\n".repeat(32 * 1024), { task: "a-task-with-a-name-of-its-own" });
    await untilSettled();
    const url = `${address}/api/v1/projects/${projectId}/logs?follow=true&cursor=${start}`;
    const stream = await openEventStream(url, { authorization: `Bearer ${adminToken}` });
    for (let lines = 0; lines < 32 * 1024; ) {
      const page = (await stream.next()).data as unknown as LogPage;
      lines += page.lines.length;
      expect(JSON.stringify(page).length).toBeLessThan(1024 * 1024);
    }
    stream.close();
  });

  test("of very long lines is streamed in events that a reader takes, from the last ones on", async () => {
    const id = await createProject(app);
    // Each stands in JSON as three times as much, and is a line of its own: there is no line end.
    const piece = "\u001b[m".repeat(10_000);
    for (let count = 0; count < 40; count += 1) {
      book.open({ projectId: id, source: "app", taskId: "", attempt: 0, agentId: "" }).write(`${piece}\n` as Masked);
    }
    await book.flush();
    await untilSettled();
    const url = `${address}/api/v1/projects/${id}/logs?follow=true&tail=35`;
    const stream = await openEventStream(url, { authorization: `Bearer ${adminToken}` });
    for (let lines = 0; lines < 35; ) {
      const page = (await stream.next()).data as unknown as LogPage;
      lines += page.lines.length;
      expect(lines).toBeLessThanOrEqual(35);
      expect(JSON.stringify(page).length).toBeLessThan(1024 * 1024);
    }
    stream.close();
  });

  test("of very many long lines is answered with no more of the last ones than a service can hold", {
    tags: "long",
  }, async () => {
    const id = await createProject(app);
    const chunk = { projectId: id, source: "app", taskId: "", attempt: 0, agentId: "", lines: 1 };
    const text = `${"x".repeat(32_000)}\n`;
    for (const end of ["first", "then", "last"]) {
      const chunks = Array.from({ length: 99 }, () => ({ ...chunk, text }));
      await insertLogs(db, [...chunks, { ...chunk, text: `${end}\n` }]);
    }
    const answer = await call({ url: `/api/v1/projects/${id}/logs?tail=10000` });
    expect(answer.payload.length).toBeLessThan(5 * 1024 * 1024);
    expect(textsOf(answer.json<LogPage>()).filter((line) => line.length < 10)).toEqual(["then", "last"]);
  });

  const chunk = { source: "agent", taskId: "one", attempt: 1, agentId: "agent_x", at: new Date(), lines: 2 };

  /** Chunks of two lines that tell each time they are split. */
  const chunksOf = (ids: readonly number[], onSplit: (id: number) => void) =>
    ids.map((id) => {
      const row = {
        ...{ ...chunk, projectId, id },
        get text() {
          onSplit(id);
          return "a\nb\n";
        },
      };
      return { row, skipped: 0 };
    });

  test("is streamed chunk by chunk: no lines are made before those of the chunk before were taken", () => {
    const split: number[] = [];
    const events = eventsOf(
      new MadeChunks(),
      chunksOf([1, 2, 3], (id) => split.push(id)),
      {},
    );
    const { id, data } = events.next().value!;
    expect([id, JSON.parse(String(data))]).toMatchObject([1, { lines: [{ text: "a" }, { text: "b" }] }]);
    expect(split).toEqual([1]);
  });

  test("is made once for all who follow it, and again for who wants other lines of it", () => {
    const split: number[] = [];
    const made = new MadeChunks();
    const chunks = chunksOf([1, 2], (id) => split.push(id));
    const whole = [...eventsOf(made, chunks, {})];
    expect([...eventsOf(made, chunks, {})]).toEqual(whole);
    expect(split).toEqual([1, 2]);
    const [last] = eventsOf(made, [{ ...chunks[0]!, skipped: 1 }], {});
    const [found] = eventsOf(made, chunks, { contains: "a" });
    const told = [last, found].map((event) => textsOf(JSON.parse(String(event!.data))));
    expect(told).toEqual([["b"], ["a"]]);
  });

  test("is kept for other followers within bounds", () => {
    const made = new MadeChunks();
    const make = vi.fn(() => "x".repeat(1024 * 1024));
    for (let id = 0; id < 20; id += 1) made.get(String(id), make);
    made.get("19", make);
    expect(make).toHaveBeenCalledTimes(20);
    made.get("0", make);
    expect(make).toHaveBeenCalledTimes(21);
  });

  test("is made line by line for one answer after the other, however many ask for it", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const split: string[] = [];
    const answer = (name: string) => {
      const onSplit = () => {
        split.push(name);
        vi.advanceTimersByTime(10);
      };
      return allLines(chunksOf([1, 2, 3], onSplit), { projectId });
    };
    await Promise.all(["first", "second"].map(answer));
    expect(split).toEqual(["first", "first", "first", "second", "second", "second"]);
  });

  test("is searched once for a text that stands nowhere", async () => {
    await write("here\n", { task: "searched" });
    await untilSettled();
    const { next_cursor: end } = await read("?cursor=0&contains=nowhere");
    expect(Number(end)).toBeGreaterThan(0);
    await write("nowhere else\n", { task: "searched" });
    await untilSettled();
    expect(textsOf(await read(`?cursor=${end}&contains=nowhere`))).toEqual(["nowhere else"]);
  });

  test("is followed for such a text from its end on, where that stands nowhere", async () => {
    const { next_cursor: end } = await read("?tail=1");
    await untilSettled();
    const url = `${address}/api/v1/projects/${projectId}/logs?follow=true&contains=never-written`;
    const stream = await openEventStream(url, { authorization: `Bearer ${adminToken}` });
    expect(await stream.next()).toMatchObject({ id: end, data: { lines: [], next_cursor: end } });
    stream.close();
  });

  test("can be searched by many at once, and others still get answers", async () => {
    const searches = await patientTransaction(db, async (trx) => {
      await sql`lock table logs in access exclusive mode`.execute(trx);
      const begun = Array.from({ length: 30 }, () => read("?contains=never-written"));
      const waits = sql`select from pg_locks where not granted and relation = 'logs'::regclass`;
      await until(async () => (await waits.execute(trx)).rows.length > 1);
      expect((await call({ url: `/api/v1/projects/${projectId}` })).statusCode).toBe(200);
      return begun;
    });
    for (const page of await Promise.all(searches)) expect(page.lines).toEqual([]);
  });

  test("is not searched for who has left meanwhile", async () => {
    await write("wanted\n", { task: "left" });
    const page = { before: undefined, limit: 1, isFollowed: false };
    const filter = { projectId, contains: "wanted" };
    expect(await selectLogs(db, filter, page)).toHaveLength(1);
    expect(await selectLogs(db, filter, { ...page, gone: AbortSignal.abort() })).toEqual([]);
  });

  test("passes nothing over that another transaction is still about to write", async () => {
    const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
    onTestFinished(() => letGo());
    const insert = sql`insert into logs (project_id, source, task_id, attempt, agent_id, lines, text)
      values (${projectId}, 'agent', 'slow', 1, 'agent_x', 1, ${"slow\n"})`;
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
    const slow = patientTransaction(db, async (trx) => {
      await insert.execute(trx);
      hasBegun();
      await hold;
    });
    await begun;
    const { next_cursor } = await read("?tail=1");
    await write("quick\n", { task: "slow" });
    expect(textsOf(await read(`?cursor=${next_cursor}&task=slow`)), "the slow one may still come before it").toEqual(
      [],
    );
    letGo();
    await slow;
    await untilSettled();
    expect(textsOf(await read(`?cursor=${next_cursor}&task=slow`))).toEqual(["slow", "quick"]);
  });

  test("passes nothing over that another node writes while this one writes many lines", async () => {
    const { next_cursor } = await read("?tail=1");
    const chunk = { projectId, source: "agent", taskId: "both", attempt: 1, agentId: "agent_x", lines: 1 };
    const [begun, other, over] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [Turn, Turn, Turn];
    onTestFinished(() => {
      for (const { resolve } of [begun, other, over]) resolve();
    });
    const here = patientTransaction(db, async (trx) => {
      await insertLogs(trx, [{ ...chunk, text: "first\n" }]);
      begun.resolve();
      await other.promise;
      await insertLogs(trx, [{ ...chunk, text: "last\n" }]);
    });
    await begun.promise;
    const there = patientTransaction(db, async (trx) => {
      await insertLogs(trx, [{ ...chunk, text: "between\n" }]);
      other.resolve();
      await over.promise;
    });
    await Promise.race([other.promise, until(waitsForTurn)]);
    other.resolve();
    await here;
    const page = await read(`?cursor=${next_cursor}&task=both`);
    over.resolve();
    await there;
    await untilSettled();
    const rest = await read(`?cursor=${page.next_cursor}&task=both`);
    expect([...textsOf(page), ...textsOf(rest)].toSorted()).toEqual(["between", "first", "last"]);
  });

  test("passes nothing over where nodes begin to write in another order than they end", async () => {
    const { next_cursor } = await read("?tail=1");
    const turns = Array.from({ length: 4 }, () => Promise.withResolvers<void>()) as [Turn, Turn, Turn, Turn];
    const [begun, quickIsOver, otherIsOpen, over] = turns;
    onTestFinished(() => {
      for (const { resolve } of turns) resolve();
    });
    // A node that takes a while after the first thing that it asks of the database.
    const slowly = {
      transformQuery: ({ node }: PluginTransformQueryArgs) => node,
      transformResult: async ({ result }: PluginTransformResultArgs) => {
        begun.resolve();
        await quickIsOver.promise;
        return result;
      },
    };
    const there = logsOf((act) => patientTransaction(db, (trx) => act(trx.withPlugin(slowly))));
    there
      .open({ projectId, source: "agent", taskId: "order", attempt: 1, agentId: "agent_x" })
      .write("slow\n" as Masked);
    const slow = there.flush();
    await begun.promise;
    const other = patientTransaction(db, async (trx) => {
      await sql`select pg_current_xact_id()`.execute(trx);
      otherIsOpen.resolve();
      await over.promise;
    });
    await otherIsOpen.promise;
    const quick = write("quick\n", { task: "order" });
    await Promise.race([quick, until(waitsForTurn)]);
    quickIsOver.resolve();
    await Promise.all([slow, quick]);
    const page = await read(`?cursor=${next_cursor}&task=order`);
    over.resolve();
    await other;
    await untilSettled();
    const rest = await read(`?cursor=${page.next_cursor}&task=order`);
    expect([...textsOf(page), ...textsOf(rest)].toSorted()).toEqual(["quick", "slow"]);
  });

  test("loses nothing because another project is removed while a batch has lines of both", async () => {
    const removed = await createProject(app);
    const chunk = { source: "agent", taskId: "stays", attempt: 1, agentId: "agent_x", lines: 1 };
    const writing = Promise.withResolvers<string>();
    await patientTransaction(db, async (trx) => {
      await trx.deleteFrom("projects").where("id", "=", removed).execute();
      const both = [removed, projectId].map((id) => ({ ...chunk, projectId: id, text: "stays\n" }));
      const written = insertLogs(db, both);
      written.catch(() => undefined);
      writing.resolve(written);
      const waits = sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%into logs%'`;
      await until(async () => (await waits.execute(db)).rows.length > 0);
    });
    await writing.promise;
    expect(textsOf(await read("?task=stays"))).toEqual(["stays"]);
  });

  test("is refused with a cursor of one's own making, and to who may not read the project", async () => {
    expect((await call({ url: `/api/v1/projects/${projectId}/logs?cursor=x` })).statusCode).toBe(400);
    const { token } = await app.userToken("svc:user");
    expect((await call({ url: `/api/v1/projects/${projectId}/logs?follow=true`, token })).statusCode).toBe(404);
  });
});

test("chunks that are written together keep their order, however many projects there are", async () => {
  const undone = new Error("It is over.");
  const chunk = { projectId, source: "agent", taskId: "many", attempt: 1, agentId: "agent_x", lines: 1 };
  const texts = Array.from({ length: 100 }, (_, at) => `${at}\n`);
  let found: string[] = [];
  const trying = patientTransaction(db, async (trx) => {
    await copyProject(trx, projectId, 2_500);
    // As Postgres does by itself now and then: it plans by what it knows of a table.
    await sql`analyze projects`.execute(trx);
    await insertLogs(
      trx,
      texts.map((text) => ({ ...chunk, text })),
    );
    const rows = await trx.selectFrom("logs").select("text").where("task_id", "=", "many").orderBy("id").execute();
    found = rows.map(({ text }) => text);
    throw undone;
  });
  await expect(trying).rejects.toBe(undone);
  expect(found).toEqual(texts);
});

async function copyProject(trx: Transaction, id: string, count: number): Promise<void> {
  const columns = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_name = 'projects' and table_schema = current_schema() and is_generated = 'NEVER'`.execute(trx);
  const names = columns.rows.map(({ name }) => name);
  const written = sql.join(names.map((name) => sql.ref(name)));
  const values = sql.join(names.map((name) => (name === "id" ? sql`id || n` : sql.ref(name))));
  await sql`insert into projects (${written}) select ${values} from projects, generate_series(1, ${count}::integer) as n
    where id = ${id}`.execute(trx);
}

/** The logs of a node whose transactions end as they are told to. */
function logsOf(execute: (act: (trx: Transaction) => Promise<unknown>) => Promise<unknown>): ProjectLogs {
  const own = new Proxy(db, {
    get: (target, name) => (name === "transaction" ? () => ({ execute }) : Reflect.get(target, name).bind(target)),
  });
  return new ProjectLogs({ db: own, log: quietLog as never, onWritten: () => undefined });
}

describe("lines that the database does not take", () => {
  const said = (id: string) =>
    db.selectFrom("logs").select("text").where("project_id", "=", id).orderBy("id").execute();
  const open = (id: string, taskId: string) =>
    book.open({ projectId: id, source: "agent", taskId, attempt: 1, agentId: "agent_x" });

  test("are told to be missing, where more came at once than may wait", { tags: "long" }, async () => {
    const id = await createProject(app);
    const line = `${"x".repeat(99)}\n`;
    const writers = ["one", "two", "three"].map((task) => open(id, task));
    for (const writer of writers) for (let at = 0; at < 40_000; at += 1) writer.write(line as Masked);
    await book.flush();
    const texts = (await said(id)).map(({ text }) => text);
    const lost = /… (\d+) more bytes were left out, because the database did not take them\n/u;
    const left = texts.map((text) => Number(lost.exec(text)?.[1] ?? 0)).reduce((sum, bytes) => sum + bytes, 0);
    const kept = texts.filter((text) => !lost.test(text)).reduce((sum, text) => sum + text.length, 0);
    expect(left).toBeGreaterThan(0);
    expect(left + kept).toBe(3 * 40_000 * 100);
  });

  test("wait while it is away, and follow in their order", async () => {
    const id = await createProject(app);
    const proxy = await DatabaseProxy.open(app.connection);
    const away = connectDatabase<Schema>(proxy.connection, { log: quietLog });
    onTestFinished(() => away.close());
    const logs = new ProjectLogs({ db: away.db, log: quietLog as never, onWritten: () => undefined });
    const writer = logs.open({ projectId: id, source: "agent", taskId: "one", attempt: 1, agentId: "agent_x" });
    await proxy.shut();
    for (const line of ["first", "second"]) {
      writer.write(`${line}\n` as Masked);
      await logs.flush();
    }
    await proxy.open();
    writer.write("third\n" as Masked);
    await logs.flush();
    const texts = (await said(id)).map(({ text }) => text);
    expect(texts.join("")).toBe("first\nsecond\nthird\n");
  });

  test("are written once, where it took them but was not heard", async () => {
    const id = await createProject(app);
    let isHeard = false;
    const logs = logsOf(async (act) => {
      const answer = await db.transaction().execute(act);
      if (!isHeard) throw new Error("Connection terminated unexpectedly");
      return answer;
    });
    const writer = logs.open({ projectId: id, source: "agent", taskId: "one", attempt: 1, agentId: "agent_x" });
    writer.write("same\n" as Masked);
    await logs.flush();
    await logs.flush();
    isHeard = true;
    await logs.flush();
    writer.write("same\n" as Masked);
    await logs.flush();
    expect((await said(id)).map(({ text }) => text)).toEqual(["same\n", "same\n"]);
  });

  test("are written, where another node wrote the same words before they were heard", async () => {
    const id = await createProject(app);
    const origin = { projectId: id, source: "app", taskId: "", attempt: 0, agentId: "" };
    let isLost = true;
    const logs = logsOf((act) =>
      db.transaction().execute(async (trx) => {
        const answer = await act(trx);
        if (isLost) throw new Error("Connection terminated unexpectedly");
        return answer;
      }),
    );
    const writer = logs.open(origin);
    writer.write("ready\n" as Masked);
    await logs.flush();
    await insertLogs(db, [{ ...origin, lines: 1, text: "ready\n" }]);
    isLost = false;
    await logs.flush();
    expect((await said(id)).map(({ text }) => text)).toEqual(["ready\n", "ready\n"]);
  });

  test("are not written again while nobody knows yet what became of them", async () => {
    const id = await createProject(app);
    const over = Promise.withResolvers<void>();
    let going: Promise<unknown> | undefined;
    const logs = logsOf(async (act) => {
      if (going !== undefined) return db.transaction().execute(act);
      const begun = Promise.withResolvers<void>();
      going = patientTransaction(db, async (trx) => {
        await act(trx).finally(begun.resolve);
        await over.promise;
      });
      await begun.promise;
      throw new Error("Connection terminated unexpectedly");
    });
    const writer = logs.open({ projectId: id, source: "agent", taskId: "one", attempt: 1, agentId: "agent_x" });
    writer.write("once\n" as Masked);
    await logs.flush();
    const again = logs.flush();
    over.resolve();
    await Promise.all([going, again]);
    await logs.flush();
    expect((await said(id)).map(({ text }) => text)).toEqual(["once\n"]);
  });

  test("are told to be missing in their place, once it takes lines again", async () => {
    const id = await createProject(app);
    const writer = open(id, "one");
    await sql`alter table logs rename to away`.execute(db);
    try {
      writer.write("nobody will see this\n" as Masked);
      await book.flush();
    } finally {
      await sql`alter table away rename to logs`.execute(db);
    }
    writer.write("here again\n" as Masked);
    await book.flush();
    expect((await said(id)).map(({ text }) => text)).toEqual([
      "… 21 more bytes were left out, because the database did not take them\n",
      "here again\n",
    ]);
  });
});

describe("the service's own log", () => {
  test("of a part that the service does not have is refused with those it has", async () => {
    expect((await call({ url: "/api/v1/logs?service=integrations" })).json()).toEqual({ lines: [] });
    const refused = await call({ url: "/api/v1/logs?service=nope" });
    expect(refused.json()).toMatchObject({ status: 400, detail: expect.stringContaining("It has: slipway, engine,") });
  });

  const line = (service: string, msg: string) =>
    `${JSON.stringify({ level: 40, time: "2026-11-15T09:30:00.000Z", service, msg, port: 4700 })}\n`;

  test("shows its last lines, by the part that wrote them", () => {
    const lines = [line("http", "a"), "no JSON", line("engine", "b"), line("http", "c")];
    expect(showServiceLog(lines, { service: "http", tail: 1 })).toEqual({
      lines: [{ at: "2026-11-15T09:30:00.000Z", level: "warn", service: "http", text: "c", detail: { port: 4700 } }],
    });
    expect(showServiceLog(lines, { service: undefined, tail: 10 }).lines.map(({ text }) => text)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  test("is kept within bounds, however long its lines", () => {
    const tail = new LogTail();
    for (let at = 0; at < 12_000; at += 1) tail.add(String(at));
    expect([tail.lines.length, tail.lines.at(-1)]).toEqual([5_000, "11999"]);
    tail.add("x".repeat(8 * 1024 * 1024));
    expect(tail.lines.length).toBe(0);
  });

  test("is for administrators", async () => {
    expect((await call({ url: "/api/v1/logs" })).json()).toEqual({ lines: [] });
    const { token } = await app.userToken("svc:user");
    expect((await call({ url: "/api/v1/logs", token })).statusCode).toBe(403);
  });
});
