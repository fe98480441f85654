import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type PeerCertificate, type Server } from "node:tls";
import { pino } from "pino";
import { afterAll, describe, expect, test } from "vitest";
import { readTlsFiles, watchTlsFiles } from "../../../src/platform/http/index.ts";
import { makeAuthority } from "../../support/make-certificates.ts";
import { until } from "../../support/until.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-tls-"));
afterAll(() => rm(folder, { recursive: true }));
const authority = makeAuthority(folder);
const first = authority.sign("first", "DNS:localhost,IP:127.0.0.1");
const second = authority.sign("second", "DNS:localhost,IP:127.0.0.1");
const ca = await readFile(authority.file);

async function nameShown(server: Server): Promise<string> {
  const { port } = server.address() as { port: number };
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const socket = connect({ port, host: "127.0.0.1", ca }, () => resolve(socket.getPeerCertificate())).on(
    "error",
    reject,
  );
  const { subject } = await promise;
  socket.destroy();
  return String(subject.CN);
}

test("a renewed certificate is used without a restart; a pair that does not fit yet is not", async () => {
  const files = { certificate: join(folder, "used.pem"), key: join(folder, "used.key") };
  const put = async ({ certificate, key }: typeof first) => {
    await copyFile(certificate, files.certificate);
    await copyFile(key, files.key);
  };
  await put(first);
  const context = await readTlsFiles(files);
  const server = createServer(context, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const told: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void told.push(line) });
  const stop = watchTlsFiles(files, context, { log, use: (renewed) => server.setSecureContext(renewed) }, 5);
  expect(await nameShown(server)).toBe("first");
  // As whoever renews it does: one file after the other.
  await copyFile(second.certificate, files.certificate);
  await until(() => told.some((line) => line.includes("is not the key of the certificate")));
  expect(await nameShown(server)).toBe("first");
  await copyFile(second.key, files.key);
  await until(async () => (await nameShown(server)) === "second");
  expect(told.filter((line) => line.includes("renewed"))).toHaveLength(1);
  expect(told.join("")).not.toContain("PRIVATE KEY");
  stop();
  server.close();
});

describe("refused with place and reason are", () => {
  test.for<[string, () => Promise<{ certificate: string; key: string }>, string]>([
    ["a file that is missing", async () => ({ ...first, key: join(folder, "none") }), "cannot be read: ENOENT"],
    [
      "the key of another certificate",
      async () => ({ ...first, key: second.key }),
      "is not the key of the certificate",
    ],
    [
      "what is no certificate",
      async () => {
        const certificate = join(folder, "garbage.pem");
        await writeFile(certificate, "-----BEGIN CERTIFICATE-----\ngarbage\n-----END CERTIFICATE-----\n");
        return { ...first, certificate };
      },
      "must be PEM files",
    ],
  ])("%s", async ([, make, reason]) => {
    await expect(readTlsFiles(await make())).rejects.toThrow(reason);
  });
});
