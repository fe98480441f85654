import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SupervisorClient } from "../../../src/deployment/supervisor/supervisor-client.ts";
import { supervisorProtocol } from "../../../src/deployment/supervisor/supervisor-socket.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";

test("a supervisor that takes the connection and ends it, as one does that is killed, does not run", async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-dying-"));
  onTestFinished(() => removeFolder(folder));
  const path = join(folder, "supervisor.sock");
  const server = createServer((socket) => socket.destroy()).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  let closed = 0;
  const onClosed = () => {
    closed += 1;
  };
  expect(
    await SupervisorClient.connect(path, { onEvent: () => undefined, onClosed, onSilent: onClosed }),
  ).toBeUndefined();
  expect(closed).toBe(0);
});

test("a supervisor whose answer is too long does not end the service", { tags: "long" }, async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-long-"));
  onTestFinished(() => removeFolder(folder));
  const path = join(folder, "supervisor.sock");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.setEncoding("utf8").on("data", (text: string) => {
      const { id, verb } = JSON.parse(text) as { id: number; verb: string };
      if (verb === "hello") socket.write(`${JSON.stringify({ id, result: { protocol: supervisorProtocol } })}\n`);
      else socket.write("x".repeat(17 << 20));
    });
  }).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const told = { onEvent: () => undefined, onClosed: () => undefined, onSilent: () => undefined };
  const client = await SupervisorClient.connect(path, told);
  await expect(client!.list()).rejects.toThrow("gone");
});
