import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type FastifyReply, fastify } from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { streamSse } from "../../../src/platform/http/sse-stream.ts";
import { openEventStream } from "../../support/event-stream.ts";
import { until } from "../../support/until.ts";

test("of a batch, no event is made before its reader can have it", async () => {
  let made = 0;
  const data = "x".repeat(4 << 20);
  function* events() {
    while (made < 64) {
      made += 1;
      yield { id: made, event: "line", data };
    }
  }
  const { port } = await serveStream(() => ({ events: events(), hasMore: true }));
  // It reads nothing: what fits into the buffers of the connection is all that can be made.
  const reader = connect(port, "127.0.0.1").pause();
  onTestFinished(() => void reader.destroy());
  reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => made > 0);
  for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
  expect(made).toBeLessThan(32);
});

test("a stream whose history never ends is closed too when its reader is no longer admitted", async () => {
  let isAdmitted = true;
  const { port } = await serveStream(
    (after) => ({ events: [{ id: after + 1, event: "line", data: {} }], hasMore: true }),
    { isAdmitted: () => isAdmitted },
  );
  const stream = await openEventStream(`http://127.0.0.1:${port}/`, {});
  await stream.next();
  isAdmitted = false;
  expect(await stream.rest()).toBeInstanceOf(Array);
});

test("a stream whose client left before it began is over, and reads nothing", async () => {
  const over = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const read = vi.fn(() => ({ events: [], hasMore: false }));
  const { port } = await serveStream(read, {
    // The token and the project were looked up meanwhile.
    before: async ({ raw }) => {
      asked.resolve();
      await once(raw, "close");
    },
    onOver: over.resolve,
  });
  const reader = connect(port, "127.0.0.1");
  reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await asked.promise;
  reader.destroy();
  await over.promise;
  expect(read).not.toHaveBeenCalled();
});

test("no events are made any more for a client that has left", async () => {
  const over = Promise.withResolvers<void>();
  let made = 0;
  let isNeeded = true;
  onTestFinished(() => {
    isNeeded = false;
  });
  function* events() {
    for (; isNeeded; made += 1) yield { id: made, event: "line", data: {} };
  }
  const { port } = await serveStream(() => ({ events: events(), hasMore: true }), { onOver: over.resolve });
  const reader = connect(port, "127.0.0.1").resume();
  reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => made > 0);
  reader.destroy();
  await over.promise;
});

test("a stream goes on where its source has looked to the end, though there was no event", async () => {
  const places: number[] = [];
  const { port } = await serveStream((after) => {
    places.push(after);
    const isFound = places.length === 3;
    return {
      events: isFound ? [{ id: 30, event: "line", data: Buffer.from('{"made":1}') }] : [],
      end: 20,
      hasMore: !isFound,
    };
  });
  const stream = await openEventStream(`http://127.0.0.1:${port}/`, {});
  expect(await stream.next()).toEqual({ id: "30", event: "line", data: { made: 1 } });
  expect(places).toEqual([0, 20, 20]);
});

type Read = Parameters<typeof streamSse<number>>[1]["read"];

/** Serves a stream of what is read, until the test is over. */
async function serveStream(
  read: (after: number) => Awaited<ReturnType<Read>>,
  {
    isAdmitted = () => true,
    before = async () => undefined,
    onOver = () => undefined,
  }: {
    readonly isAdmitted?: () => boolean;
    readonly before?: (reply: FastifyReply) => Promise<unknown>;
    readonly onOver?: () => void;
  } = {},
): Promise<AddressInfo> {
  const app = fastify({ forceCloseConnections: true });
  const stopping = new AbortController();
  onTestFinished(async () => {
    stopping.abort();
    await app.close();
  });
  app.get("/", async (_request, reply) => {
    await before(reply);
    await streamSse<number>(
      { reply, isStillAdmitted: async () => isAdmitted() },
      {
        after: 0,
        read: async (after) => {
          await nextTurn();
          return read(after);
        },
        subscribe: () => undefined,
        stopping: stopping.signal,
        pollMs: 1_000,
      },
    );
    onOver();
    return reply;
  });
  app.server.listen(0, "127.0.0.1");
  await Promise.all([once(app.server, "listening"), app.ready()]);
  return app.server.address() as AddressInfo;
}
