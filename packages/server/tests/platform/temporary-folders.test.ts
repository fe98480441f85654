import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/platform/sandbox/index.ts";
import { TemporaryFolders } from "../../src/platform/temporary-folders.ts";

const program = fileURLToPath(new URL("../support/make-temporary-folders.ts", import.meta.url));

function makePlace() {
  const place = mkdtempSync(join(tmpdir(), "slipway-places-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const [dataFolder, other] = [join(place, "data"), join(place, "other")];
  for (const folder of [dataFolder, other]) mkdirSync(folder);
  return { place, dataFolder, other };
}

/** A service that has temporary folders, until it is killed. */
async function startService(dataFolder: string, where: string) {
  const service = spawn(process.execPath, [program, dataFolder, where], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void service.kill("SIGKILL"));
  const [line] = await once(service.stdout.setEncoding("utf8"), "data");
  const folders = JSON.parse(line as string) as string[];
  onTestFinished(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  for (const folder of folders) writeFileSync(join(folder, "file"), "left");
  const kill = async () => {
    service.kill("SIGKILL");
    await once(service, "exit");
  };
  return { folders, kill };
}

test("after a kill -9, the next start of the same installation removes its temporary folders, and no others", async () => {
  const { place, dataFolder, other } = makePlace();
  const killed = await startService(dataFolder, place);
  const beside = await startService(dataFolder, place);
  const stranger = await startService(other, place);
  const own = await new TemporaryFolders({ dataFolder, where: place }).make("tests");
  await Promise.all([killed.kill(), stranger.kill()]);

  const sandbox = await createSandbox({ mode: "none", dataFolder, temporaryFolder: place });
  await (await sandbox.sweepOrphans()).removal;

  expect(killed.folders.filter((folder) => existsSync(folder))).toEqual([]);
  for (const folder of [own, ...beside.folders, ...stranger.folders]) expect(existsSync(folder), folder).toBe(true);
});

test("a folder for sockets has room for their names, however long the path of the temporary folder", async () => {
  const { place, dataFolder } = makePlace();
  const where = join(place, "long".repeat(20));
  mkdirSync(where);
  const folder = await new TemporaryFolders({ dataFolder, where }).makeForSockets("ports");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(dirname(folder)).toBe("/tmp");
  const server = createServer();
  server.listen(join(folder, "s".repeat(24)));
  await once(server, "listening");
  server.close();
});
