import { once } from "node:events";
import { get } from "node:http";
import type { FastifyReply } from "fastify";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createHttpServer } from "../../../src/platform/http/http-server.ts";
import { untilGone } from "../../../src/platform/http/index.ts";
import { createMetrics } from "../../../src/platform/http/metrics.ts";
import { until } from "../../support/until.ts";

test("what ends with its client is no failure of the service", async () => {
  const told: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void told.push(line) });
  const http = await createHttpServer({ log, metrics: createMetrics(), trustProxy: false, isDraining: () => false });
  onTestFinished(() => http.close());
  const asked = Promise.withResolvers<void>();
  http.get("/waits", async (_request, reply: FastifyReply) => {
    const gone = untilGone(reply as never);
    asked.resolve();
    await once(gone, "abort");
    gone.throwIfAborted();
  });
  const client = get(`${await http.listen({ host: "127.0.0.1", port: 0 })}/waits`);
  client.on("error", () => undefined);
  await asked.promise;
  client.destroy();
  await until(() => told.some((line) => line.includes("left before its answer")));
  expect(told.filter((line) => line.includes("failed"))).toEqual([]);
});
