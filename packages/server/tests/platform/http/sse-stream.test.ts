import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { streamSse } from "../../../src/platform/http/sse-stream.ts";
import { openEventStream } from "../../support/event-stream.ts";

test("a stream whose history never ends is closed too when its reader is no longer admitted", async () => {
  const app = fastify();
  const stopping = new AbortController();
  onTestFinished(async () => {
    stopping.abort();
    await app.close();
  });
  let isAdmitted = true;
  app.get("/", (_request, reply) =>
    streamSse<number>(
      { reply, isStillAdmitted: async () => isAdmitted },
      {
        after: 0,
        read: async (after) => {
          await nextTurn();
          return { events: [{ id: after + 1, event: "line", data: {} }], hasMore: true };
        },
        subscribe: () => undefined,
        stopping: stopping.signal,
        pollMs: 1_000,
      },
    ),
  );
  app.server.listen(0, "127.0.0.1");
  await Promise.all([once(app.server, "listening"), app.ready()]);
  const { port } = app.server.address() as AddressInfo;
  const stream = await openEventStream(`http://127.0.0.1:${port}/`, {});
  await stream.next();
  isAdmitted = false;
  expect(await stream.rest()).toBeInstanceOf(Array);
});
