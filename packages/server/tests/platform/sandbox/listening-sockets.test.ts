import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { listensAt } from "../../../src/platform/sandbox/index.ts";

/** A port of 127.0.0.1 at which this process listens. */
async function strangersPort(): Promise<number> {
  const stranger = createServer().listen(0, "127.0.0.1");
  await once(stranger, "listening");
  onTestFinished(() => void stranger.close());
  return (stranger.address() as AddressInfo).port;
}

/** A program that listens, and where. */
async function program(options: { readonly host: string; readonly port?: number; readonly ipv6Only?: boolean }) {
  const code = `const server = require("net").createServer().listen(${JSON.stringify({ port: 0, ...options })},
    () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { pid: child.pid!, port: Number(port) };
}

const hasIpv6 = Object.values(networkInterfaces()).some((ones) => ones?.some(({ address }) => address === "::1"));

describe.skipIf(process.platform !== "linux")("what is sent to a port of 127.0.0.1", () => {
  test.for(["127.0.0.1", "0.0.0.0", ...(hasIpv6 ? ["::", "::ffff:127.0.0.1"] : [])])(
    "is taken by a program that listens at %s",
    async (host) => {
      const { pid, port } = await program({ host });
      expect(await listensAt([pid], port)).toBe(true);
      expect(await listensAt([process.pid], port)).toBe(false);
    },
  );

  test.runIf(hasIpv6).for([{ host: "::1" }, { host: "::", ipv6Only: true }])(
    "is not taken by a program that listens elsewhere at the same port: $host",
    async (where) => {
      const { pid, port } = await program({ ...where, port: await strangersPort() });
      expect(await listensAt([pid], port)).toBe(false);
      expect(await listensAt([pid, process.pid], port)).toBe(true);
    },
  );

  const without = ["--inh-caps=-sys_ptrace", "--bounding-set=-sys_ptrace"];
  const hasSetpriv = process.getuid?.() === 0 && spawnSync("setpriv", [...without, "true"]).status === 0;

  test.runIf(hasSetpriv)("is not known to be another's for who may not see the files of others", async () => {
    const { pid, port } = await program({ host: "127.0.0.1" });
    const code = `const { listensAt } = await import(${JSON.stringify(import.meta.resolve("../../../src/platform/sandbox/listening-sockets.ts"))});
      console.log(await listensAt([${pid}], ${port}));`;
    const seen = spawnSync("setpriv", [...without, process.execPath, "--input-type=module", "-e", code], {
      encoding: "utf8",
    });
    expect(seen.stdout).toBe("undefined\n");
  });
});
