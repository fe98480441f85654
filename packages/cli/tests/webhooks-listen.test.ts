import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signWebhook, verifyWebhook, verifyWebhookBody, writeWebhookBody } from "@slipway/client";
import { exampleEvents } from "@slipway/contract";
import { expect, onTestFinished, test } from "vitest";
import { launcher, root } from "./run-slipway.ts";
import { serveReceiver } from "./serve-receiver.ts";

const secrets = ["whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x", "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0y"] as const;

/** A service that streams deliveries, and nothing else. */
class FakeStream {
  readonly asked: { readonly url: string; readonly lastEventId: string | undefined }[] = [];
  #stream: ServerResponse | undefined;
  url = "";

  get #secret(): string {
    return secrets[this.asked.length - 1] ?? secrets[0];
  }

  async listen(): Promise<this> {
    const server = createServer(({ url = "", headers }, response) => {
      this.asked.push({ url, lastEventId: headers["last-event-id"] as string | undefined });
      this.#stream = response.writeHead(200, { "content-type": "text/event-stream" });
      this.#write("secret", `id: ${this.asked.length === 1 ? "p0" : headers["last-event-id"]}\n`, {
        secret: this.#secret,
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  async deliver(id: string, change: (body: string) => string = (body) => body): Promise<string> {
    const event = { event: "project.created", ...exampleEvents["project.created"] };
    const body = await writeWebhookBody(this.#secret, { ...event, data: { ...event.data, name: "Kiosk ✓\u009b31m" } });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      "content-type": "application/json",
      "webhook-sequence": "3",
      ...(await signWebhook(this.#secret, { id, timestamp, body })),
    };
    this.#write("delivery", `id: ${id}\n`, { headers, body: change(body) });
    return body;
  }

  cut(): void {
    this.#stream?.destroy();
  }

  #write(event: string, id: string, data: object): void {
    this.#stream?.write(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`);
  }
}

/** Starts `slipway webhooks listen`; the test reads what it prints, and ends it. */
function listening(service: FakeStream, ...args: string[]) {
  const child = spawn(process.execPath, [launcher, "webhooks", "listen", ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", SLIPWAY_URL: service.url, SLIPWAY_TOKEN: "t" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.err += text;
  });
  const interrupt = async () => {
    child.kill("SIGINT");
    return ((await once(child, "close")) as [number])[0];
  };
  return { printed, interrupt, lines: () => printed.out.split("\n").filter(Boolean) };
}

test("listen verifies, prints and forwards deliveries byte for byte, across a broken connection, until Ctrl-C", async () => {
  const service = await new FakeStream().listen();
  const receiver = await serveReceiver(() => 202);
  const args = ["--forward-to", receiver.url, "--events", "project.created, project.failed", "--project", "proj_1"];
  const { printed, interrupt, lines } = listening(service, ...args);
  await expect.poll(() => printed.err).toContain(`Deliveries are signed with ${secrets[0]}\n`);
  const body = await service.deliver("evt_1");
  await expect
    .poll(lines)
    .toEqual([expect.stringMatching(/^09:30:00 project\.created proj_\w+ #3 evt_1 verified → 202 in \d+ ms$/)]);
  expect(receiver.received[0]?.body.toString("utf8")).toBe(body);
  expect(receiver.received[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": "evt_1",
    "webhook-sequence": "3",
    "webhook-signature": expect.stringMatching(/^v1,/),
  });
  service.cut();
  await expect.poll(() => printed.err).toContain(`Deliveries are signed with ${secrets[1]}\n`);
  await service.deliver("evt_2");
  await expect.poll(lines).toHaveLength(2);
  expect(lines()[1]).toContain("evt_2 verified");
  await service.deliver("evt_3", (text) => text.replace("Kiosk", "Shop"));
  await expect.poll(lines).toHaveLength(3);
  expect(lines()[2]).toBe("evt_3 INVALID: No signature matches the secret and the body.");
  expect(receiver.received).toHaveLength(2);
  const query = "events=project.created%2Cproject.failed&project_id=proj_1";
  expect(service.asked).toEqual([
    { url: `/api/v1/webhooks/stream?${query}`, lastEventId: undefined },
    { url: `/api/v1/webhooks/stream?${query}`, lastEventId: "evt_1" },
  ]);
  expect(await interrupt()).toBe(130);
});

test("listen signs forwarded deliveries with the secret of --secret", async () => {
  const service = await new FakeStream().listen();
  const secret = "a secret of the receiver";
  const receiver = await serveReceiver(async ({ headers, body }) => {
    await verifyWebhookBody(secret, body);
    await verifyWebhook(secret, headers, body);
    return 204;
  });
  const { interrupt, lines } = listening(service, "--forward-to", receiver.url, "--secret", secret);
  await expect.poll(() => service.asked).toHaveLength(1);
  const { signature: _, ...event } = JSON.parse(await service.deliver("evt_1"));
  await expect.poll(lines).toEqual([expect.stringMatching(/evt_1 verified → 204 in \d+ ms$/)]);
  expect(JSON.parse(receiver.received[0]?.body.toString() ?? "")).toMatchObject(event);
  expect(await interrupt()).toBe(130);
});

test("listen prints bodies without control characters, and everything with --json", async () => {
  const service = await new FakeStream().listen();
  const bodies = listening(service, "--print", "body");
  await expect.poll(() => bodies.printed.err).toContain("signed with");
  const body = await service.deliver("evt_1");
  await expect.poll(() => bodies.lines()).toHaveLength(1);
  expect(bodies.printed.out).not.toContain("\u009b");
  expect(JSON.parse(bodies.printed.out)).toEqual(JSON.parse(body));
  expect(await bodies.interrupt()).toBe(130);
  const machines = listening(service, "--json", "--forward-to", "http://127.0.0.1:1/");
  await expect.poll(() => machines.printed.err).toContain("signed with");
  const second = await service.deliver("evt_2");
  await expect.poll(() => machines.lines()).toHaveLength(1);
  expect(JSON.parse(machines.printed.out)).toMatchObject({
    headers: { "webhook-id": "evt_2" },
    body: second,
    is_verified: true,
    problem: null,
    forwarded: { status: null, error: expect.stringContaining("Cannot reach") },
  });
  expect(await machines.interrupt()).toBe(130);
});
