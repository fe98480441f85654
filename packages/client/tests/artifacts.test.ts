import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createProject, createTestApp } from "../../server/tests/support/test-app.ts";
import { createClient, downloadArtifact, uploadArtifact } from "../src/index.ts";
import { cutConnections } from "./cutting-proxy.ts";

const service = await createTestApp();
const url = await service.http.listen({ host: "127.0.0.1", port: 0 });
const token = service.adminToken;
const client = createClient({ url, token });
const projectId = await createProject(service);
const content = randomBytes(9_000_000);
const about = { projectId, type: "documentation", mediaType: "application/pdf" };
await uploadArtifact(client, new Blob([content]), { ...about, path: "docs/größe.pdf" });

describe("an artifact", () => {
  test("is uploaded in pieces and downloaded again, with its name", async () => {
    const found = await downloadArtifact(client, { projectId, artifact: "docs/größe.pdf" });
    expect(found).toMatchObject({
      fileName: "größe.pdf",
      mediaType: "application/pdf",
      sizeBytes: content.length,
      offset: 0,
    });
    expect(Buffer.concat(await Array.fromAsync(found.chunks)).equals(content)).toBe(true);
    const { artifacts } = await client.call("listArtifacts", { params: { project_id: projectId } });
    expect(artifacts).toContainEqual(expect.objectContaining({ path: "docs/größe.pdf", size_bytes: content.length }));
  });

  test("is downloaded to its end over connections that break", async () => {
    const way = await cutConnections(url, { after: 2_000_000, direction: "down", times: 3 });
    const flaky = createClient({ url: way.url, token });
    const found = await downloadArtifact(flaky, { projectId, artifact: "größe.pdf" });
    expect(Buffer.concat(await Array.fromAsync(found.chunks)).equals(content)).toBe(true);
    expect(way.cuts).toBe(3);
  });

  test("is gone on with where it was, unless it is another by now", async () => {
    const { etag, cancel } = await downloadArtifact(client, { projectId, artifact: "größe.pdf" });
    await cancel();
    const from = { offset: 8_999_990, etag };
    const rest = await downloadArtifact(client, { projectId, artifact: "größe.pdf", from });
    expect([rest.offset, rest.sizeBytes]).toEqual([8_999_990, content.length]);
    expect(Buffer.concat(await Array.fromAsync(rest.chunks)).equals(content.subarray(8_999_990))).toBe(true);
    const other = await downloadArtifact(client, {
      projectId,
      artifact: "größe.pdf",
      from: { ...from, etag: '"other"' },
    });
    expect(other.offset).toBe(0);
    await other.cancel();
  });

  test("is uploaded to its end over connections that break, each byte once", { tags: "long" }, async () => {
    const way = await cutConnections(url, { after: 1_500_000, direction: "up", times: 4 });
    const flaky = createClient({ url: way.url, token });
    const chunkBytes = 1_000_000;
    const upload = await uploadArtifact(flaky, new Blob([content]), { ...about, path: "flaky.bin", chunkBytes });
    expect(upload).toMatchObject({ is_complete: true, offset: content.length });
    expect(way.cuts).toBe(4);
    const found = await downloadArtifact(client, { projectId, artifact: "flaky.bin" });
    expect(Buffer.concat(await Array.fromAsync(found.chunks)).equals(content)).toBe(true);
  });

  test("that is refused is not tried again and again", async () => {
    await expect(downloadArtifact(client, { projectId, artifact: "none" })).rejects.toMatchObject({ status: 404 });
    await expect(uploadArtifact(client, new Blob(["x"]), { ...about, path: "../x" })).rejects.toMatchObject({
      status: 400,
    });
    const sha256 = "0".repeat(64);
    const wrong = uploadArtifact(client, new Blob(["x"]), { ...about, path: "x", sha256 });
    await expect(wrong).rejects.toMatchObject({ status: 409 });
  });
});
