import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { AppLogs, type LogChunk, LogWriter, ProjectLogs } from "../../../src/engine/logs/index.ts";
import { connectDatabase, type Schema } from "../../../src/platform/database/index.ts";
import type { Masked } from "../../../src/platform/secrets/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";

const megabyte = 2 ** 20;

test("output that waits for a database that is away takes little memory, however programs cut it", {
  tags: "long",
}, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const nowhere = { host: "/nowhere", port: 5432, user: "nobody", database: "none" };
  const { db, close } = connectDatabase<Schema>(nowhere, { log: quietLog });
  const logs = new AppLogs(new ProjectLogs({ db, log: quietLog as never, onWritten: () => undefined }));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < 300; round += 1) logs.write(`p${round % 50}`, "app", `${"x".repeat(31_000)}\n` as Masked);
  // Where no long line fits any more, short ones still do: they must not hold on to what came with them.
  for (let round = 0; round < 1_000; round += 1)
    logs.write(`p${round % 50}`, "app", `${"y".repeat(65_535)}\nthe ${round}th short line\n` as Masked);
  collect();
  expect((process.memoryUsage().heapUsed - before) / megabyte).toBeLessThan(30);
  await close();
});

test("no character is cut into halves, which the database would refuse with the lines of everybody else", () => {
  const chunks: LogChunk[] = [];
  const origin = { projectId: "p", source: "build", taskId: "t", attempt: 1, agentId: "a" };
  const writer = new LogWriter(origin, (chunk) => void chunks.push(chunk));
  const lines = [`${"x".repeat(32 * 1024 - 1)}\u{1f600}!\n`, `${"\u{1f600}".repeat(70_000)}\n`];
  for (const line of lines) writer.write(line as Masked);
  writer.write("half a character \ud83d" as Masked);
  writer.write(" and its other half \ude00\n" as Masked);
  writer.end();
  const texts = chunks.map(({ text }) => text);
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
  expect(texts.join("").startsWith(lines.join(""))).toBe(true);
});
