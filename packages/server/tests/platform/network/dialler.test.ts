import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Dialler, DialRefusal } from "../../../src/platform/network/index.ts";

const limits = { connectMs: 2_000, readMs: 2_000 };
const closed = new Dialler({ ...limits, allowsLoopback: false, networks: [] });
const server = createServer((request, response) => {
  if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  else response.end("hello");
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe("an address that is not public is not called, however it is written", () => {
  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[::a00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://168.63.129.16/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "https://127.0.0.1./",
  ])("%s", async (url) => {
    await expect(closed.fetch(url)).rejects.toThrow(DialRefusal);
  });

  test.each(["file:///etc/passwd", "ftp://example.org/", "data:text/plain,x"])("nor %s", async (url) => {
    await expect(closed.fetch(url)).rejects.toThrow(DialRefusal);
  });
});

test("a name is refused if any of its addresses is not public", async () => {
  const resolve = async () => [
    { address: "93.184.216.34", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];
  const dialler = new Dialler({ ...limits, allowsLoopback: false, networks: [], resolve });
  const refused = await dialler.fetch("http://example.org/").catch((error: Error) => error);
  expect(refused).toMatchObject({
    cause: { message: "example.org (10.0.0.1) must not be called: it is not public (private)." },
  });
});

test("a name that stands for another address the second time is judged by what is dialled", async () => {
  const answers = ["127.0.0.1", "10.0.0.1"];
  let asked = 0;
  const resolve = async () => [{ address: answers[asked++ % 2]!, family: 4 }];
  const dialler = new Dialler({ ...limits, allowsLoopback: true, networks: [], resolve });
  const first = await dialler.fetch(`http://rebinding.example:${port}/`, { headers: { connection: "close" } });
  expect(await first.text()).toBe("hello");
  await expect(dialler.fetch("http://rebinding.example:8099/")).rejects.toThrow();
  expect(asked).toBe(2);
});

test("the operator may allow this machine, and networks, but never a metadata service", async () => {
  const open = new Dialler({ ...limits, allowsLoopback: true, networks: ["169.254.0.0/16", "10.0.0.0/8"] });
  expect(await (await open.fetch(`http://127.0.0.1:${port}/`)).text()).toBe("hello");
  expect(() => open.refuseUrl("http://10.1.2.3/")).not.toThrow();
  const everywhere = new Dialler({ ...limits, allowsLoopback: true, networks: ["0.0.0.0/0", "::/0"] });
  for (const host of ["169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"])
    for (const dialler of [open, everywhere]) expect(() => dialler.refuseUrl(`http://${host}/`)).toThrow(DialRefusal);
  const wrapped = [
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
  ];
  for (const host of ["fd00:ec2::254", "fd20:ce::254", "fe80::a9fe:a9fe", ...wrapped])
    expect(() => everywhere.refuseUrl(`http://[${host}]/`), host).toThrow(DialRefusal);
  expect(() => everywhere.refuseUrl("http://[64:ff9b::808:808]/")).not.toThrow();
});

test("a redirect is not followed", async () => {
  const open = new Dialler({ ...limits, allowsLoopback: true, networks: [] });
  const answer = await open.fetch(`http://127.0.0.1:${port}/away`);
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://169.254.169.254/"]);
});
