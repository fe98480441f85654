import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Supervision, SupervisorEvent } from "../../../src/deployment/supervisor/supervision.ts";
import { SupervisorSocket } from "../../../src/deployment/supervisor/supervisor-socket.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import type { Masked } from "../../../src/platform/secrets/index.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";
import { until } from "../../support/until.ts";

const ref = { deploymentId: "dep_1", releaseId: "one" };

test("a service that was slow to read hears of all that happened meanwhile, in its order", async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-slow-"));
  onTestFinished(() => removeFolder(folder));
  const path = join(folder, "supervisor.sock");
  const socket = new SupervisorSocket({} as Supervision, () => undefined);
  await socket.listen(path);
  onTestFinished(() => socket.close());
  const service = createConnection(path);
  onTestFinished(() => void service.destroy());
  service.setEncoding("utf8");
  service.write('{"id":1,"verb":"hello"}\n');
  await once(service, "data");
  service.pause();
  // More than it may leave unread.
  for (let at = 0; at < 100; at += 1)
    socket.tell({ ...ref, is: "output", program: "web", text: "x".repeat(60_000) as Masked });
  socket.tell({ ...ref, is: "unhealthy", program: "web", reason: "It ended." as Masked });
  let text = "";
  service.on("data", (more: string) => {
    text += more;
  });
  service.resume();
  await until(() => text.includes('"unhealthy"'));
  socket.tell({ ...ref, is: "recovered", program: "web" });
  await until(() => text.includes('"recovered"'));
  const events = text.split("\n").flatMap((line) => (line === "" ? [] : (JSON.parse(line).event as SupervisorEvent)));
  expect(events.map(({ is }) => is)).toEqual([...Array<string>(100).fill("output"), "unhealthy", "recovered"]);
});

test("what a service that was away could not be told is said where it is missing, and no line goes for its number", async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-away-"));
  onTestFinished(() => removeFolder(folder));
  const path = join(folder, "supervisor.sock");
  const socket = new SupervisorSocket({} as Supervision, () => undefined);
  await socket.listen(path);
  onTestFinished(() => socket.close());
  const say = (program: string, text: string) => socket.tell({ ...ref, is: "output", program, text: text as Masked });
  for (let at = 0; at < 100; at += 1) say("loud", `${"x".repeat(99_999)}\n`);
  for (let at = 0; at < 10_000; at += 1) say("web", `line ${at}\n`);
  const service = createConnection(path);
  onTestFinished(() => void service.destroy());
  let text = "";
  service.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  service.write('{"id":1,"verb":"hello"}\n');
  await until(() => text.includes("line 9999\\n"));
  const messages = text.split("\n").filter((line) => line.endsWith("}"));
  const events = messages.flatMap((line) => (JSON.parse(line) as { event?: SupervisorEvent }).event ?? []);
  const of = (name: string) =>
    events.map((event) => (event.is === "output" && event.program === name ? event.text : "")).join("");
  expect(of("web")).toBe(Array.from({ length: 10_000 }, (_, at) => `line ${at}\n`).join(""));
  const [, leftOut] = /^… (\d+) more characters were left out, because the service did not take them\nx/u.exec(
    of("loud"),
  )!;
  expect(Number(leftOut) + of("loud").replaceAll(/[^x\n]|\n$/gu, "").length).toBeGreaterThan(10_000_000 - 100);
});
