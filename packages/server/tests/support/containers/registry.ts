import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A registry that images can be pushed to, as the OCI distribution specification says. */
export async function startRegistry() {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, Record<string, unknown>>();
  const uploads = new Map<string, Buffer>();
  const digestOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const bytes = await buffer(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://registry");
    const say = (status: number, headers: Record<string, string> = {}) => response.writeHead(status, headers).end();
    const [, name = "", kind = "", id = ""] = /^\/v2\/(.+)\/(blobs|manifests)\/(.+)$/.exec(pathname) ?? [];
    if (pathname === "/v2/") return say(200);
    if (request.method === "HEAD" && kind === "blobs") return say(blobs.has(id) ? 200 : 404);
    if (request.method === "POST") {
      const upload = randomUUID();
      uploads.set(upload, Buffer.alloc(0));
      return say(202, { location: `/v2/${name}/blobs/uploads/${upload}`, range: "0-0" });
    }
    if (id.startsWith("uploads/")) {
      const upload = id.slice("uploads/".length);
      const sent = Buffer.concat([uploads.get(upload)!, bytes]);
      uploads.set(upload, sent);
      if (request.method === "PATCH") return say(202, { location: pathname, range: `0-${sent.length - 1}` });
      const digest = searchParams.get("digest") ?? "";
      if (digestOf(sent) !== digest) return say(400);
      blobs.set(digest, sent);
      return say(201, { location: `/v2/${name}/blobs/${digest}`, "docker-content-digest": digest });
    }
    if (request.method === "PUT" && kind === "manifests") {
      manifests.set(`${name}:${id}`, JSON.parse(bytes.toString()) as Record<string, unknown>);
      return say(201, { "docker-content-digest": digestOf(bytes) });
    }
    return say(404);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, blobs, manifests };
}
