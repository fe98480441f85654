import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const service = await createTestApp();
const address = await service.http.listen({ host: "127.0.0.1", port: 0 });
const project = await createProject(service);
const artifacts = `/api/v1/projects/${project}/artifacts`;
afterEach(() => vi.useRealTimers());

test("an upload may take as long as it keeps coming", async () => {
  const content = Buffer.alloc(10 * 40_000, "slow but steady ");
  const upload = await begin(`${artifacts}?type=logs&path=slow.bin`, content.length);
  for (let at = 0; at < content.length - 40_000; at += 40_000) {
    await send(upload, content.subarray(at, at + 40_000));
    // More than three minutes in all.
    vi.advanceTimersByTime(21_000);
  }
  upload.socket.write(content.subarray(-40_000));
  expect(await upload.answer).toMatch(/^HTTP\/1.1 201 /);
  vi.useRealTimers();
  expect((await service.call({ url: `${artifacts}/slow.bin` })).rawPayload.equals(content)).toBe(true);
});

test("an upload that falls silent is refused, and nothing of it is stored", async () => {
  const upload = await begin(`${artifacts}?type=logs&path=silent.bin`, 100_000);
  await send(upload, Buffer.alloc(50_000, 1));
  vi.advanceTimersByTime(30_000);
  const told = await upload.answer;
  expect(told).toMatch(/^HTTP\/1.1 408 /);
  expect(told).toContain("No byte of the body arrived for 30 seconds.");
  expect(told).toContain("in pieces");
  vi.useRealTimers();
  expect((await service.call({ url: `${artifacts}/silent.bin` })).statusCode).toBe(404);
  expect(await unfinishedBytes()).toBe(0);
});

test("an upload of a byte now and then is refused", async () => {
  const upload = await begin(`${artifacts}?type=logs&path=drops.bin`, 100_000);
  await send(upload, Buffer.from("a"));
  vi.advanceTimersByTime(25_000);
  await send(upload, Buffer.from("b"));
  vi.advanceTimersByTime(25_000);
  upload.socket.write("c");
  expect(await upload.answer).toContain("less than 1024 bytes a second");
});

test("a client that was refused and does not hang up is cut off", async () => {
  const countConnections = promisify(service.http.server.getConnections.bind(service.http.server));
  const before = await countConnections();
  const socket = connect({ port: Number(new URL(address).port), host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  // After its answer the service has closed its side; this side stays open.
  socket.on("error", () => undefined).resume();
  socket.write("nonsense\r\n\r\n");
  await once(socket, "end");
  await until(async () => (await countConnections()) === before);
});

test("a body that is read as a whole must arrive in time, even where no handler wants it", async () => {
  for (const path of ["/api/v1/projects", "/api/v1/nothing"]) {
    const { socket, answer } = await begin(path, 100_000, "application/yaml");
    const isClosed = once(socket, "close");
    socket.write(smallDocument());
    // The one that is waited for.
    await until(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(30_000);
    expect(await answer, path).toContain(path === "/api/v1/projects" ? "request_timeout" : "not_found");
    await isClosed;
    vi.useRealTimers();
  }
});

type Begun = Awaited<ReturnType<typeof begin>>;

/** Sends the head of a request, and gives what is answered until the other side ends. Time stands still from then on. */
async function begin(path: string, length: number, type = "application/octet-stream") {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  let text = "";
  const answer = new Promise<string>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (/\r\n\r\n[\s\S]*\}$/.test(text)) resolve(text);
    });
    socket.on("close", () => resolve(text));
    socket.on("error", () => resolve(text));
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.adminToken}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  return { socket, answer, sent: { bytes: 0 } };
}

/** Sends bytes, and waits until the service has taken all that were sent, and waits for more. */
async function send({ socket, sent }: Begun, bytes: Buffer): Promise<void> {
  sent.bytes += bytes.length;
  socket.write(bytes);
  await until(async () => (await unfinishedBytes()) === sent.bytes);
  await setImmediate();
}

/** What is being written of uploads. */
async function unfinishedBytes(): Promise<number> {
  const folder = join(service.dataFolder, "artifacts", "unfinished");
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
