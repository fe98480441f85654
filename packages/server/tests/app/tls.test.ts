import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionHeader } from "@slipway/contract";
import { expect, test } from "vitest";
import { makeAuthority } from "../support/make-certificates.ts";
import { run, Service, usedDataFolder } from "../support/run-service.ts";

test("a service with a certificate of its own serves https, and commands reach it here and by its name", {
  tags: "long",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-tls-"));
  const authority = makeAuthority(folder);
  const { certificate, key } = authority.sign("slipway", "DNS:localhost");
  const env = { SLIPWAY_TLS_CERTIFICATE: certificate, SLIPWAY_TLS_KEY: key };
  const service = new Service(await usedDataFolder(), ["--roles", "api"], { env });
  await service.ready();
  expect(service.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const address = service.address.replace("127.0.0.1", "localhost");
  const token = (await readFile(join(service.data, "admin-token"), "utf8")).trim();
  // A browser that signs in gets a cookie that it sends over TLS alone.
  const ca = await readFile(authority.file);
  const cookies = await new Promise<readonly string[] | undefined>((resolve, reject) => {
    const headers = { "content-type": "application/json", origin: address, [sessionHeader]: "1" };
    request(`${address}/api/v1/auth/session`, { method: "POST", ca, headers, family: 4 }, (answer) => {
      answer.resume();
      resolve(answer.headers["set-cookie"]);
    })
      .on("error", reject)
      .end(JSON.stringify({ credential: token }));
  });
  expect(cookies?.join()).toMatch(/; Secure/);
  // Commands of this machine need neither the name nor the authority.
  const here = await run(["whoami", "--data", service.data, "--json"]);
  expect([here.code, here.out], here.err).toEqual([0, expect.stringContaining('"name": "admin"')]);
  const remote = { SLIPWAY_URL: address, SLIPWAY_TOKEN: token };
  const trusted = await run(["whoami", "--json"], { env: { ...remote, NODE_EXTRA_CA_CERTS: authority.file } });
  expect([trusted.code, trusted.out], trusted.err).toEqual([0, expect.stringContaining(`"url": "${address}"`)]);
  const untrusted = await run(["whoami"], { env: remote });
  expect([untrusted.code, untrusted.err]).toEqual([5, expect.stringContaining("NODE_EXTRA_CA_CERTS")]);
  await rm(folder, { recursive: true });
});

test("settings that do not fit stop the start with the reason", async () => {
  const data = await usedDataFolder();
  const half = await run(["serve", "--data", data], { env: { SLIPWAY_TLS_KEY: "/none.pem" } });
  expect([half.code, half.err]).toEqual([2, expect.stringContaining("belong together")]);
});
