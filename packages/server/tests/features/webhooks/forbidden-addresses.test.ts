import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { requireValid } from "../../../src/features/webhooks/require-webhook.ts";
import type { Principal } from "../../../src/platform/http/index.ts";
import { type CallListener, Dialler, DialRefusal, webhooksDialler } from "../../../src/platform/network/index.ts";
import { createTestApp } from "../../support/test-app.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import { secret } from "../../support/webhooks/stage.ts";

const service = await createTestApp({ allowLocalWebhooks: false, webhookNetworks: ["10.77.0.0/16"] });
const { call } = service;
const receiver = await startReceiver();

function post(dialler: Dialler, url: URL): Promise<Parameters<CallListener["onAnswer"]>[0]> {
  const {
    promise,
    resolve: onAnswer,
    reject: onFailure,
  } = Promise.withResolvers<Parameters<CallListener["onAnswer"]>[0]>();
  dialler.post(url, { headers: {}, body: "{}", maxAnswerBytes: 100 }, { onAnswer, onFailure });
  return promise;
}

/** Places that no webhook may lead to, each in a way that somebody has tried. */
const forbidden = [
  // Not encrypted, or no web at all.
  ...[
    "http://example.com/",
    "http://93.184.216.34/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
  ],
  ...["data:text/plain,x", "javascript:alert(1)", "//example.com/", "example.com", "https://", "ws://example.com/"],
  // This machine, however it is written.
  ...["https://127.0.0.1/", "https://127.1/", "https://127.255.255.254/", "https://2130706433/", "https://0x7f000001/"],
  ...["https://0x7f.1/", "https://0177.0.0.1/", "https://017700000001/", "https://127.0.0.1./", "https://localhost/"],
  ...["https://LOCALHOST:8443/", "https://localhost./", "https://[::1]/", "https://[0:0:0:0:0:0:0:1]/", "https://0/"],
  ...["https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/", "https://0.0.0.0/"],
  ...[
    "https://[::]/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://１２７.0.0.1/",
    "https://%31%32%37.0.0.1/",
  ],
  // Private, shared, and of this link.
  ...[
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
  ],
  ...[
    "https://3232235777/",
    "https://0xc0a80101/",
    "https://192.168.257/",
    "https://100.64.0.1/",
    "https://169.254.1.1/",
  ],
  ...[
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fc00::1]/",
    "https://[fd12:3456::1]/",
    "https://[fec0::1]/",
  ],
  // Services of clouds.
  ...[
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://168.63.129.16/",
  ],
  ...[
    "https://[fd00:ec2::254]/",
    "https://100.100.100.200/",
    "https://0xa9fea9fe/",
    "https://[::ffff:169.254.169.254]/",
  ],
  // An address within an address.
  ...[
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/",
  ],
  ...[
    "https://[2002:a9fe:a9fe::1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "https://[::ffff:0:10.0.0.1]/",
  ],
  // For nobody, for many, for examples, for tests.
  ...["https://0.1.2.3/", "https://224.0.0.1/", "https://239.255.255.250/", "https://[ff02::1]/", "https://240.0.0.1/"],
  ...[
    "https://255.255.255.255/",
    "https://192.0.2.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://198.18.0.1/",
  ],
  ...[
    "https://192.0.0.170/",
    "https://192.88.99.1/",
    "https://[100::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
  ],
  // Names and passwords in the address.
  ...["https://example.com@127.0.0.1/", "https://127.0.0.1:443@10.0.0.1/", "https://user:password@example.com/"],
  ...["https://example.com\\@127.0.0.1/#", "https://a@[::1]/"],
];

describe("a webhook to a place where it must not go is not registered", () => {
  test.each(forbidden.filter((url) => !url.includes("\\")))("%s", async (url) => {
    const answer = await call({
      method: "POST",
      url: "/api/v1/webhooks",
      payload: { url, events: ["*"], secret },
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      { code: "invalid_body", errors: [{ pointer: "/url", message: expect.stringContaining("https") }] },
    ]);
  });

  test("these are enough to mean something", () => expect(forbidden.length).toBeGreaterThanOrEqual(80));

  test("nor is one changed to lead there", async () => {
    const made = await call({
      method: "POST",
      url: "/api/v1/webhooks",
      payload: { url: "https://10.77.0.1/", events: ["*"], secret },
    });
    expect(made.statusCode).toBe(201);
    const url = String(made.headers.location);
    const changed = await call({ method: "PATCH", url, payload: { url: "https://10.78.0.1/" } });
    expect(changed.json()).toMatchObject({ status: 422, errors: [{ pointer: "/url" }] });
  });
});

describe("names are judged by all that they stand for, when they are dialled", () => {
  const answering = (...answers: (readonly string[])[]) => {
    let asked = 0;
    return async () => {
      const addresses = answers[Math.min(asked, answers.length - 1)]!;
      asked += 1;
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    };
  };
  const refusalOf = (error: unknown): unknown =>
    [error, (error as Error).cause].find((one) => one instanceof DialRefusal) ?? error;

  test.each([
    ["a private address", ["10.0.0.1"]],
    ["this machine", ["127.0.0.1"]],
    ["this machine in IPv6", ["::1"]],
    ["this machine as IPv4 in IPv6", ["::ffff:127.0.0.1"]],
    ["a metadata service", ["169.254.169.254"]],
    ["a metadata service in an allowed network", ["168.63.129.16"]],
    ["a public address and a private one", ["93.184.216.34", "10.0.0.1"]],
    ["a private address and a public one", ["192.168.0.1", "93.184.216.34"]],
    ["a public address and a unique local one", ["93.184.216.34", "fd00::1"]],
    ["an address translated from IPv4", ["64:ff9b::a00:1"]],
    ["a 6to4 address", ["2002:a00:1::1"]],
    ["a Teredo address", ["2001:0:1::1"]],
    ["the address of nobody", ["0.0.0.0"]],
    ["a broadcast address", ["255.255.255.255"]],
    ["no address at all", []],
    ["what is no address", ["example.org"]],
  ])("one that stands for %s is refused", async (_what, addresses) => {
    const dialler = webhooksDialler({ allowsLocal: false, networks: ["168.63.0.0/16"], resolve: answering(addresses) });
    const failed = await post(dialler, new URL("https://name.example/")).catch(refusalOf);
    expect(failed).toBeInstanceOf(DialRefusal);
    if (addresses.length > 0)
      await expect(dialler.refuseName(new URL("https://name.example/"))).rejects.toThrow(DialRefusal);
    await dialler.close();
  });

  test("one that is public when it is registered and private when it is dialled is refused then", async () => {
    const resolve = answering(["93.184.216.34"], ["127.0.0.1"]);
    const dialler = webhooksDialler({ allowsLocal: false, networks: [], resolve });
    await dialler.refuseName(new URL("https://rebinding.example/"));
    const failed = await post(dialler, new URL("https://rebinding.example/")).catch(refusalOf);
    expect(failed).toMatchObject({ message: expect.stringContaining("127.0.0.1") });
    await dialler.close();
  });

  test("an unencrypted call goes to this machine alone, also where a network is allowed", async () => {
    const resolve = answering(["10.77.0.1"]);
    const dialler = webhooksDialler({ allowsLocal: true, networks: ["10.77.0.0/16"], resolve });
    const failed = await post(dialler, new URL("http://inside.example/")).catch(refusalOf);
    expect(failed).toMatchObject({ message: expect.stringContaining("unencrypted calls go to this machine only") });
    expect(() => dialler.refuseUrl("http://10.77.0.1/")).toThrow(DialRefusal);
    expect(() => dialler.refuseUrl("https://10.77.0.1/")).not.toThrow();
    await dialler.close();
  });
});

describe("an unencrypted address with a name, where local webhooks are allowed, is refused when it is registered", () => {
  test.each([
    ["resolves to nothing", []],
    ["resolves to a public address", ["93.184.216.34"]],
    ["resolves to this machine", ["127.0.0.1"]],
  ])("though the name %s", async (_what, addresses) => {
    const dialler = webhooksDialler({
      allowsLocal: true,
      networks: [],
      resolve: async () => addresses.map((address) => ({ address, family: 4 })),
    });
    const deps = { db: service.db, dialler, allowsLocal: true };
    const register = (url: string) => requireValid(deps, { url }, {} as Principal);
    for (const url of ["http://receiver.example/", "http://receiver/hook", "http://receiver.example.:8080/"])
      await expect(register(url)).rejects.toThrow(/unencrypted calls go to this machine only.*Give an https address/);
    if (addresses[0] === "93.184.216.34") await register("https://receiver.example/");
    if (addresses[0] === "127.0.0.1") await register("http://localhost:8080/");
    await register("http://127.0.0.1:8080/");
    await dialler.close();
  });
});

test("a redirect to a forbidden place is an answer, and not followed", async () => {
  receiver.answer = (_received, response) =>
    void response.writeHead(307, { location: "http://169.254.169.254/" }).end();
  const dialler = webhooksDialler({ allowsLocal: true, networks: [] });
  const answer = await post(dialler, new URL(receiver.url));
  expect([answer.status, answer.headers["location"]]).toEqual([307, "http://169.254.169.254/"]);
  await dialler.close();
});

test("of an answer that does not end, no more is read than is kept", async () => {
  let written = 0;
  const server = createServer((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x61))) written += 64 * 1024;
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dialler = new Dialler({ allowsLoopback: true, networks: [], connectMs: 2_000, readMs: 2_000 });
  const answer = await post(dialler, new URL(`http://127.0.0.1:${port}`));
  expect(answer.body.length).toBe(100);
  expect(written).toBeLessThan(64 * 1024 * 1024);
  await dialler.close();
  server.closeAllConnections();
  server.close();
});
