import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../support/engine/follow.ts";
import { createProject, createTestApp } from "../../support/test-app.ts";

const service = await createTestApp({ artifacts: { maxUploadBytes: 50_000_000 } });
const { call, clock, db } = service;
const project = await createProject(service);
const bytes = { "content-type": "application/octet-stream" };
const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");

const begin = (body: object, token?: string) =>
  call({
    method: "POST",
    url: `/api/v1/projects/${project}/uploads`,
    payload: { type: "documentation", path: "large.bin", ...body },
    ...(token !== undefined && { token }),
  });
const beginId = async (body: object) => (await begin(body)).json<{ upload_id: string }>().upload_id;
const send = (id: string, offset: number | string, payload: Buffer | string, token?: string) =>
  call({
    method: "PATCH",
    url: `/api/v1/uploads/${id}`,
    headers: { ...bytes, "upload-offset": String(offset) },
    payload,
    ...(token !== undefined && { token }),
  });
const read = (id: string, method: "GET" | "HEAD" = "GET") => call({ method, url: `/api/v1/uploads/${id}` });
const download = (path: string) => call({ url: `/api/v1/projects/${project}/artifacts/${path}` });

describe("an upload in pieces", () => {
  test("becomes an artifact with its last piece, and its digest is held to", async () => {
    const content = randomBytes(3_000_000);
    const begun = await begin({ size_bytes: content.length, sha256: sha256(content), media_type: "image/png" });
    expect(begun.statusCode, begun.body).toBe(201);
    const { upload_id: id } = begun.json<{ upload_id: string }>();
    expect(begun.headers).toMatchObject({ location: `/api/v1/uploads/${id}`, "upload-offset": "0" });
    const first = await send(id, 0, content.subarray(0, 1_000_000));
    expect(first.json()).toMatchObject({ offset: 1_000_000, is_complete: false });
    expect((await download("large.bin")).statusCode).toBe(404);
    const head = await read(id, "HEAD");
    expect([head.statusCode, head.headers["upload-offset"]]).toEqual([200, "1000000"]);
    const last = await send(id, 1_000_000, content.subarray(1_000_000));
    expect(last.json()).toMatchObject({ offset: content.length, is_complete: true });
    const answer = await download("large.bin");
    expect(answer.rawPayload.equals(content)).toBe(true);
    expect(answer.headers).toMatchObject({ etag: `"${sha256(content)}"`, "content-type": "image/png" });
    expect((await send(id, content.length, "")).json()).toMatchObject({ is_complete: true });
  });

  test("takes a piece only where the one before ended, also when two come at once", async () => {
    const id = await beginId({ path: "order.bin", size_bytes: 9 });
    expect((await send(id, 3, "abc")).statusCode).toBe(409);
    const both = await Promise.all([send(id, 0, "abc"), send(id, 0, "xyz")]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
    expect((await read(id)).json()).toMatchObject({ offset: 3 });
    expect(refusalOf(await send(id, 3, "1234567"))).toEqual([
      409,
      "The upload has 9 bytes; the piece goes beyond them.",
    ]);
    expect((await send(id, 3, "defghi")).json()).toMatchObject({ is_complete: true });
    const [kept = ""] = both
      .map(({ statusCode }, at) => (statusCode === 200 ? ["abc", "xyz"][at] : undefined))
      .filter(Boolean);
    expect((await download("order.bin")).body).toBe(`${kept}defghi`);
  });

  test("that does not match its digest is discarded", async () => {
    const id = await beginId({ path: "other.bin", size_bytes: 3, sha256: "0".repeat(64) });
    const answer = await send(id, 0, "abc");
    expect(answer.statusCode).toBe(409);
    expect(answer.json<{ detail: string }>().detail).toContain(sha256(Buffer.from("abc")));
    expect((await read(id)).statusCode).toBe(404);
    expect((await download("other.bin")).statusCode).toBe(404);
  });

  test("whose service died before it was made one of is completed by an empty piece", async () => {
    const id = await beginId({ path: "died.bin", size_bytes: 4 });
    await send(id, 0, "ab");
    // As it is when the last piece was written down, and nothing after it.
    const { digest } = await db
      .selectFrom("upload_pieces")
      .select("digest")
      .where("upload_id", "=", id)
      .executeTakeFirstOrThrow();
    await db.insertInto("upload_pieces").values({ upload_id: id, start: 2, digest, size_bytes: 2 }).execute();
    await db.updateTable("uploads").set({ received: 4 }).where("id", "=", id).execute();
    expect((await send(id, 4, "")).json()).toMatchObject({ is_complete: true });
    expect((await download("died.bin")).body).toBe("abab");
  });

  test("of nothing at all is complete with an empty piece", async () => {
    const id = await beginId({ path: "empty.bin", size_bytes: 0 });
    expect((await send(id, 0, "")).json()).toMatchObject({ is_complete: true });
    expect((await download("empty.bin")).body).toBe("");
  });

  test("is its maker's alone, and can be given up", async () => {
    const id = await beginId({ path: "mine.bin", size_bytes: 3 });
    const { token } = await service.userToken("svc:admin");
    expect((await send(id, 0, "abc", token)).statusCode).toBe(404);
    expect((await call({ method: "DELETE", url: `/api/v1/uploads/${id}` })).statusCode).toBe(204);
    expect((await send(id, 0, "abc")).statusCode).toBe(404);
    const { token: stranger } = await service.userToken("svc:user");
    expect((await begin({ size_bytes: 1 }, stranger)).statusCode).toBe(404);
  });

  test("is forgotten after a day", async () => {
    const id = await beginId({ path: "slow.bin", size_bytes: 3 });
    clock.advance(24 * 3600_000 - 1000);
    expect((await read(id)).statusCode).toBe(200);
    clock.advance(2000);
    expect((await read(id)).statusCode).toBe(404);
  });

  test.each(["", "-1", "x", "1e3", "9".repeat(20)])("needs a number for where a piece begins: %j", async (offset) => {
    const id = await beginId({ path: "offset.bin", size_bytes: 3 });
    expect((await send(id, offset, "abc")).json()).toMatchObject({ status: 400, code: "invalid_parameter" });
  });

  test("is bounded: its size, its pieces, and how many a user has open", async () => {
    expect(refusalOf(await begin({ size_bytes: 50_000_001 }))[0]).toBe(413);
    const id = await beginId({ path: "piece.bin", size_bytes: 40_000_000 });
    expect((await send(id, 0, Buffer.alloc(16 * 1024 * 1024 + 1))).json()).toMatchObject({
      status: 413,
      code: "too_large",
    });
    const answers = [];
    for (let count = 0; count < 101; count += 1) answers.push((await begin({ size_bytes: 1 })).statusCode);
    expect(answers.at(-1)).toBe(409);
  });
});
