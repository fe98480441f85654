import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { connect } from "../src/connection/connect.ts";
import { findRunning } from "../src/connection/find-running.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-running-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test("a service that runs on a folder is found without starting another", async () => {
  await say("http://127.0.0.1:4700\n");
  const signal = new AbortController().signal;
  const { client, service } = await connect({ data: folder, token: "t" }, { env: {}, signal, mayCreate: true });
  expect([client.url, service]).toEqual(["http://127.0.0.1:4700", undefined]);
});

test("no service is found where nobody listens, or where something else is said", async () => {
  expect(await findRunning(folder)).toBeUndefined();
  expect(await findRunning(join(folder, "x".repeat(200)))).toBeUndefined();
  await say("nonsense\n");
  expect(await findRunning(folder)).toBeUndefined();
});

async function say(words: string): Promise<void> {
  const server = createServer((socket) => socket.end(words));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(join(folder, "service.sock"), resolve));
}
