import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fetchFile } from "../../src/platform/git/index.ts";
import { TemporaryFolders } from "../../src/platform/temporary-folders.ts";
import { newFolder } from "../support/agents/plain-host.ts";

/** The limits of memory of the programs that were started with this text among their arguments. */
async function memoryLimitsOf(argument: string): Promise<string[]> {
  const limits: string[] = [];
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const [line, text] = await Promise.all(
      ["cmdline", "limits"].map((file) => readFile(`/proc/${id}/${file}`, "utf8").catch(() => "")),
    );
    if (line!.includes(argument)) limits.push(/^Max data size +(\S+)/m.exec(text!)?.[1] ?? "");
  }
  return limits;
}

test.skipIf(process.platform !== "linux")("a remote chooses no more than so much memory of git", async () => {
  let limits: string[] = [];
  const server = createServer(async (request, response) => {
    limits = await memoryLimitsOf(`http://${request.headers.host}/shop`);
    response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop`;
  const temporary = new TemporaryFolders({ dataFolder: await newFolder() });
  const wanted = { url, branch: "main", path: "slipway.yaml", token: undefined, temporary };
  await expect(fetchFile({ ...wanted, maxBytes: 1_000, limitMs: 30_000 })).rejects.toThrow("git fetch failed");
  expect(limits.length).toBeGreaterThan(0);
  for (const limit of limits) expect(Number(limit)).toBeLessThanOrEqual(2 * 2 ** 30);
});
