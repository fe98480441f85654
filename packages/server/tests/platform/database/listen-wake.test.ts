import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connectDatabase, type DatabaseTarget, startListener, Waker } from "../../../src/platform/database/index.ts";
import { packPayloads, unpackPayload } from "../../../src/platform/database/wake-payload.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { dataFolder, signal, started } from "../../support/database/run-starter.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";
import { until } from "../../support/until.ts";

const database = await createTestDatabase(fileURLToPath(new URL("../../support/database/migrations", import.meta.url)));

describe("a listener", () => {
  test("hears what is said on its channel, from when it has subscribed", async () => {
    const [listener, waker] = [await listen(), wakerOn()];
    const heard: string[] = [];
    await listener.subscribe("projects", (payload) => heard.push(payload));
    waker.wake("others", "x");
    waker.wake("projects", "a");
    waker.wake("projects", "");
    await until(() => heard.length === 2);
    expect(heard).toEqual(["a", ""]);
  });

  test("tells every subscriber, whatever another one does, until it unsubscribes", async () => {
    const [listener, waker] = [await listen(), wakerOn()];
    const heard: string[] = [];
    await listener.subscribe("every subscriber's", () => {
      throw new Error("not me");
    });
    const end = await listener.subscribe("every subscriber's", (payload) => heard.push(`one ${payload}`));
    await listener.subscribe("every subscriber's", (payload) => heard.push(`two ${payload}`));
    waker.wake("every subscriber's", "a");
    await until(() => heard.length === 2);
    end();
    waker.wake("every subscriber's", "b");
    await until(() => heard.length === 3);
    expect(heard).toEqual(["one a", "two a", "two b"]);
  });

  test("hears plain notifications too", async () => {
    const listener = await listen();
    const heard: string[] = [];
    await listener.subscribe("plain", (payload) => heard.push(payload));
    await pool().query("select pg_notify('plain', 'a'), pg_notify('plain', '[1]'), pg_notify('plain', '')");
    await until(() => heard.length === 3);
    expect(heard).toEqual(["a", "[1]", ""]);
  });

  test("is back after the database was, and says that it may have missed something", async () => {
    const starter = await started(await dataFolder());
    const listener = await listen(starter.up.connection);
    const waker = wakerOn(starter.up.connection);
    const heard: string[] = [];
    let missed = 0;
    await listener.subscribe(
      "projects",
      (payload) => heard.push(payload),
      () => {
        missed += 1;
      },
    );
    for (const round of [1, 2]) {
      signal((await starter.order("start", "started")).pid, "SIGKILL");
      await until(() => missed === round);
      waker.wake("projects", `after ${round}`);
      await until(() => heard.includes(`after ${round}`));
    }
  });

  test("notices that the other side has gone silent", { tags: "long" }, async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const starter = await started(await dataFolder());
    const listener = await listen(starter.up.connection);
    let hasMissed = false;
    await listener.subscribe(
      "projects",
      () => undefined,
      () => {
        hasMissed = true;
      },
    );
    const { rows } = await pool(starter.up.connection).query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'slipway listen'",
    );
    process.kill(rows[0]!.pid, "SIGSTOP");
    await vi.advanceTimersByTimeAsync(20_000);
    await until(() => hasMissed);
  });

  test("that could never connect says why", async () => {
    await expect(startListener({ target: "postgres://u@127.0.0.1:1/x", log: quietLog })).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });

  test("is closed also while the database is away", async () => {
    const starter = await started(await dataFolder());
    const listener = await listen(starter.up.connection);
    await starter.order("stop", "stopped");
    await listener.close();
  });
});

describe("wake-ups", () => {
  test("that come together are sent together, each once", async () => {
    const [listener, sent] = [await listen(), [] as string[][]];
    const waker = wakerOn(database.connection, sent);
    const heard: string[] = [];
    await listener.subscribe("many", (payload) => heard.push(payload));
    for (let round = 0; round < 10; round += 1) for (let id = 0; id < 500; id += 1) waker.wake("many", `proj_${id}`);
    await until(() => heard.length === 500);
    expect(sent).toHaveLength(1);
    expect(new Set(heard).size).toBe(500);
  });

  test("are sent at once when there were none for a while, and then every 20 ms", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] });
    onTestFinished(() => void vi.useRealTimers());
    const sent: string[][] = [];
    const waker = new Waker({ log: quietLog, query: async (_text, [, payloads]) => void sent.push(payloads) });
    waker.wake("c", "a");
    await vi.advanceTimersByTimeAsync(1);
    waker.wake("c", "b");
    waker.wake("c", "c");
    await vi.advanceTimersByTimeAsync(18);
    expect(sent).toEqual([['["a"]']]);
    await vi.advanceTimersByTimeAsync(2);
    expect(sent).toEqual([['["a"]'], ['["b","c"]']]);
    await vi.advanceTimersByTimeAsync(1000);
    waker.wake("c", "d");
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(3);
  });

  test("that could not be sent are sent later, together with what came since", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] });
    onTestFinished(() => void vi.useRealTimers());
    const sent: string[][] = [];
    let isDown = true;
    const query = async (_text: string, [, payloads]: [string[], string[]]) => {
      if (isDown) throw new Error("Connection terminated");
      sent.push(payloads);
    };
    const waker = new Waker({ log: quietLog, query });
    waker.wake("c", "a");
    await vi.advanceTimersByTimeAsync(100);
    waker.wake("c", "b");
    isDown = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toEqual([['["a","b"]']]);
  });

  test("that are too many to name tell the listener to look for itself", async () => {
    const [listener, waker] = [await listen(), wakerOn()];
    const heard: string[] = [];
    const { promise: missed, resolve } = Promise.withResolvers<void>();
    await listener.subscribe("too many", (payload) => heard.push(payload), resolve);
    for (let id = 0; id < 5000; id += 1) waker.wake("too many", `proj_${id}`);
    await missed;
    expect(heard).toEqual([]);
  });

  test("that no notification can carry are refused", () => {
    expect(() => wakerOn().wake("c", "x".repeat(8000))).toThrow(RangeError);
  });

  test("are sent before the waker is closed, and not after", async () => {
    const sent: string[][] = [];
    const waker = wakerOn(database.connection, sent);
    waker.wake("c", "a");
    await waker.close();
    waker.wake("c", "b");
    await waker.close();
    expect(sent).toEqual([['["a"]']]);
  });

  test("are packed into texts that Postgres accepts, and come out as they went in", () => {
    const payload = fc.string({ unit: "binary", maxLength: 2000 });
    fc.assert(
      fc.property(fc.array(payload), (payloads) => {
        const texts = packPayloads(payloads);
        for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThan(8000);
        expect(texts.flatMap(unpackPayload)).toEqual(payloads);
      }),
    );
  });
});

async function listen(target: DatabaseTarget = database.connection) {
  const listener = await startListener({ target, log: quietLog });
  onTestFinished(() => listener.close());
  return listener;
}

function pool(target: DatabaseTarget = database.connection) {
  const connected = connectDatabase(target, { log: quietLog, maxConnections: 2 });
  onTestFinished(() => connected.close());
  return connected.pool;
}

function wakerOn(target: DatabaseTarget = database.connection, sent: string[][] = []): Waker {
  const own = pool(target);
  const query = async (text: string, values: [string[], string[]]) => {
    // Before the query: a listener may hear it before its sender has the answer.
    sent.push(values[1]);
    await own.query(text, values);
  };
  const waker = new Waker({ log: quietLog, query });
  onTestFinished(() => waker.close());
  return waker;
}
