import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Machine } from "../../../src/deployment/ssh/machine.ts";
import { SharedConnection } from "../../../src/deployment/ssh/shared-connection.ts";
import type { SshSettings } from "../../../src/deployment/ssh/ssh-settings.ts";
import { TemporaryFolders } from "../../../src/platform/temporary-folders.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-ssh-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const settings = {
  ...{ name: "web", host: "127.0.0.1", port: 9, user: "nobody", keyFile: "/none", hostKey: "ssh-ed25519 AAAA" },
  ...{ folder: "/srv", ports: [2000, 3000] as const, scope: "user" as const, runAs: undefined },
} satisfies SshSettings;

test("a machine whose key could not be written down can be used once there is room", async () => {
  const place = join(newFolder(), "ssh");
  // As on a full disk: nothing can be made below a file.
  writeFileSync(place, "");
  const machine = new Machine(settings, place, new TemporaryFolders({ dataFolder: place }));
  await expect(machine.prepare()).rejects.toThrow();
  rmSync(place);
  await machine.prepare();
  expect(readFileSync(join(place, "web.known-hosts"), "utf8")).toBe("slipway-web ssh-ed25519 AAAA\n");
});

test("without room for a shared connection, each call makes its own, until there is room", async () => {
  const where = join(newFolder(), "none");
  const connection = new SharedConnection(new TemporaryFolders({ dataFolder: where, where }), [], "127.0.0.1");
  onTestFinished(() => connection.close());
  expect(await connection.use(async (options) => options)).toEqual([]);
  mkdirSync(where);
  expect(await connection.use(async (options) => options)).toEqual([]);
});
