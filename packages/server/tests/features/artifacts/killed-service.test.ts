// @module-tag long
import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import { entry, type Service, startService, usedDataFolder } from "../../support/run-service.ts";
import { unbuildableDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const env = { SLIPWAY_REQUESTS_PER_MINUTE: "1000000", SLIPWAY_LOG_LEVEL: "warn" };
const start = (data: string) => startService(data, ["--roles", "api"], { program: entry, env });
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("a service killed in the middle of uploads lists and serves whole files only, and all that it had answered", async () => {
  const data = await usedDataFolder();
  let service = await start(data);
  const { project_id: project } = (await (
    await service.call("/api/v1/projects", {
      method: "POST",
      headers: { "content-type": "application/yaml" },
      body: unbuildableDocument(),
    })
  ).json()) as { project_id: string };
  const artifacts = `/api/v1/projects/${project}/artifacts`;
  const sent = new Map<string, string>();
  const answered = new Set<string>();
  // Until it was twice at a file that was not whole: when it is killed is chance.
  for (let round = 0, caught = 0; caught < 2; round += 1) {
    const storm = uploadEndlessly(service, { artifacts, round, sent, answered });
    const before = answered.size;
    await until(async () => answered.size > before + round * 3 && (await unfinished(data)).length > 1);
    await service.killGroup();
    await storm;
    if ((await unfinished(data)).length > 0) caught += 1;
    service = await start(data);
    expect(await unfinished(data)).toEqual([]);
    const listed = await list(service, artifacts);
    expect([...answered].filter((path) => !listed.includes(path))).toEqual([]);
    for (const path of listed) {
      const bytes = Buffer.from(await (await service.call(`${artifacts}/${path}`)).arrayBuffer());
      expect(sha256(bytes), path).toBe(sent.get(path));
    }
  }
  const check = await service.call(`${artifacts}/verify`, { method: "POST" });
  expect(await check.json()).toMatchObject({ damaged: [], is_complete: true });
  const store = await FolderBlobStore.open(join(data, "artifacts"));
  for await (const { digest } of store.digests()) expect(sha256(await store.read(digest))).toBe(digest);
});

const unfinished = (data: string) => readdir(join(data, "artifacts", "unfinished"));

async function list(service: Service, artifacts: string): Promise<string[]> {
  const answer = await service.call(`${artifacts}?type=documentation`);
  return ((await answer.json()) as { artifacts: { path: string }[] }).artifacts.map(({ path }) => path);
}

interface Storm {
  readonly artifacts: string;
  readonly round: number;
  /** The digest of what was sent to a path. */
  readonly sent: Map<string, string>;
  readonly answered: Set<string>;
}

/** Several clients, each with one file after the other, until the service is gone. */
async function uploadEndlessly(service: Service, { artifacts, round, sent, answered }: Storm): Promise<void> {
  const client = async (name: number) => {
    for (let count = 0; ; count += 1) {
      const path = `${round}-${name}-${count}.bin`;
      const body = randomBytes(1_000_000);
      sent.set(path, sha256(body));
      try {
        const answer = await service.call(`${artifacts}?type=documentation&path=${path}`, {
          method: "POST",
          headers: { "content-type": "application/octet-stream" },
          body,
        });
        expect(answer.status).toBe(201);
        answered.add(path);
      } catch (error) {
        if (error instanceof TypeError) return;
        throw error;
      }
    }
  };
  await Promise.all([1, 2, 3, 4].map(client));
}
