import { randomBytes } from "node:crypto";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paddingOf, writeHeader } from "../../../src/platform/archive/tar-header.ts";
import { measureDisk } from "../../../src/platform/disk-space.ts";
import { cannotFillDisk, fillDisk, mountOver } from "../../support/small-disk.ts";
import { applicationOf, archiveOf, filesOf, getSource, putSource } from "../../support/source-calls.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const app = await createTestApp();
const { call } = app;

const newProject = () => createProject(app, smallDocument(`source-${Math.random()}`));
const urlOf = async (project: string) => `/api/v1/applications/${await applicationOf(app, project)}/source`;

describe("a source", () => {
  test.skipIf(cannotFillDisk)("is refused while the disk is full, and taken once there is room", async () => {
    const project = await newProject();
    const folder = join(app.dataFolder, "workspaces");
    await mkdir(folder, { recursive: true });
    mountOver(folder, "1m");
    const empty = fillDisk(folder);
    const refused = await putSource(app, project, { "a.txt": "a" });
    expect([refused.statusCode, refused.json().code]).toEqual([503, "overloaded"]);
    expect(refused.headers["retry-after"]).toBe("60");
    empty();
    expect((await putSource(app, project, { "a.txt": "a" })).statusCode).toBe(200);
  });

  test.skipIf(cannotFillDisk)("leaves what the disk keeps for the service, also what git stores of it", async () => {
    const project = await newProject();
    const folder = join(app.dataFolder, "workspaces");
    await mkdir(folder, { recursive: true });
    mountOver(folder, "8m");
    const put = (bytes: number) => putSource(app, project, (place) => writeFile(join(place, "a"), randomBytes(bytes)));
    expect((await put(1_000_000)).statusCode).toBe(200);
    const { freeBytes } = await measureDisk(folder);
    const refused = await put(Math.floor(freeBytes / 2));
    expect([refused.statusCode, refused.json().code]).toEqual([503, "overloaded"]);
    expect((await measureDisk(folder)).freeBytes).toBeGreaterThan(freeBytes - 100_000);
  });

  test.skipIf(cannotFillDisk)("is given while the disk is full: no copy of it is made", async () => {
    const project = await newProject();
    const folder = join(app.dataFolder, "workspaces");
    await mkdir(folder, { recursive: true });
    mountOver(folder, "1m");
    await putSource(app, project, { "a.txt": "a" });
    fillDisk(folder);
    expect(await getSource(app, project)).toEqual({ "a.txt": "a" });
  });

  test("is given back as it was put, with links and modes", async () => {
    const project = await newProject();
    const answer = await putSource(app, project, async (folder) => {
      await mkdir(join(folder, "bin"));
      await writeFile(join(folder, "bin/run"), "#!/bin/sh\n", { mode: 0o755 });
      await symlink("bin/run", join(folder, "go"));
    });
    expect(answer.json()).toMatchObject({
      base_project_id: null,
      files: 2,
      size_bytes: 17,
      put_at: expect.any(String),
    });
    const { rawPayload } = await call({ url: await urlOf(project) });
    expect(await filesOf(rawPayload)).toEqual({ "bin/run": "#!/bin/sh\n" });
    expect(rawPayload.includes("0000755")).toBe(true);
    expect(rawPayload.includes("bin/run\0", rawPayload.indexOf("go\0"))).toBe(true);
  });

  test("is replaced by the next one", async () => {
    const project = await newProject();
    await putSource(app, project, { "a.txt": "a" });
    await putSource(app, project, { "b.txt": "b" });
    expect(await getSource(app, project)).toEqual({ "b.txt": "b" });
  });

  test("leaves out what its own .gitignore does", async () => {
    const project = await newProject();
    await putSource(app, project, { ".gitignore": ".env\n", ".env": "KEY=secret", "a.txt": "a" });
    expect(Object.keys(await getSource(app, project))).toEqual([".gitignore", "a.txt"]);
  });

  test("that others have replaced meanwhile is not lost to who says which one they changed", async () => {
    const project = await newProject();
    await putSource(app, project, { "a.txt": "a" });
    const { headers } = await call({ url: await urlOf(project) });
    const match = { "if-match": String(headers.etag) };
    expect((await putSource(app, project, { "a.txt": "b" }, match)).statusCode).toBe(200);
    expect((await putSource(app, project, { "a.txt": "c" }, match)).json()).toMatchObject({
      code: "precondition_failed",
    });
    expect(await getSource(app, project)).toEqual({ "a.txt": "b" });
  });

  test("of an application that has none yet is refused with a reason", async () => {
    expect((await call({ url: await urlOf(await newProject()) })).json()).toMatchObject({ code: "conflict" });
  });

  test("goes with the application", async () => {
    const project = await newProject();
    await putSource(app, project, { "a.txt": "a" });
    const url = await urlOf(project);
    await app.db.updateTable("projects").set({ status: "failed" }).where("id", "=", project).execute();
    expect((await call({ method: "DELETE", url: `/api/v1/projects/${project}` })).statusCode).toBe(204);
    expect((await call({ url })).statusCode).toBe(404);
  });
});

const header = (path: string, kind = "0", target = "", size = 0) =>
  writeHeader({ path, mode: 0o644, size, kind, target });
const archive = (...blocks: Buffer[]) => Buffer.concat([...blocks, Buffer.alloc(1024)]);

/** What is said of the entry that follows. */
const pax = (text: string) => {
  const record = Buffer.from(`${text.length + 8} ${text}\n`);
  return Buffer.concat([header("pax", "x", "", record.length), record, Buffer.alloc(paddingOf(record.length))]);
};

describe("an archive is refused", () => {
  const bad: Readonly<Record<string, [Buffer | (() => Promise<Buffer>), RegExp]>> = {
    "with no files": [archive(), /no files/],
    "that is none": [Buffer.from("x".repeat(2000)), /not a tar archive/],
    "that is cut off": [header("a.txt", "0", "", 10), /too early/],
    "with a path that climbs": [archive(header("../a")), /not a path inside/],
    "with an absolute path": [archive(header("/etc/passwd")), /not a path inside/],
    "with git's own files": [archive(header("sub/.git/config")), /not a path inside/],
    "with a device": [archive(header("null", "3")), /neither a file/],
    "with a hard link": [archive(header("a"), header("b", "1", "a")), /neither a file.+--hard-dereference/],
    "with a link out of the tree": [archive(header("out", "2", "../../etc")), /leads out/],
    "with an absolute link": [archive(header("out", "2", "/etc/passwd")), /leads out/],
    "with a path twice": [archive(header("a"), header("a")), /duplicate/],
    "with a file where a folder is": [archive(header("a"), header("a/b")), /duplicate/],
    "with a name that git takes for its own": [archive(header("GIT~1/config")), /not a path inside/],
    "with more folders than a disk has room for": [
      archive(pax(`path=${"a/".repeat(100_001)}`), header("a", "5")),
      /more than 100000 files and folders/,
    ],
    "with marks of a conflict": [() => archiveOf({ "doc.md": "a\n<<<<<<< yours\nb\n" }), /still marked in doc\.md/],
    "that says it is from an unknown run": [
      () => archiveOf({ a: "a", ".slipway/source.json": '{"project_id":"proj_none"}' }),
      /proj_none/,
    ],
    "that says so with a zero byte": [
      () => archiveOf({ a: "a", ".slipway/source.json": '{"project_id":"proj_\\u0000none"}' }),
      /claim to be from proj_ none/,
    ],
  };
  test.for(Object.entries(bad))("%s", async ([, [made, message]]) => {
    const payload = typeof made === "function" ? await made() : made;
    const project = await newProject();
    const answer = await call({ method: "PUT", url: await urlOf(project), payload });
    expect(answer.json()).toMatchObject({ detail: expect.stringMatching(message) });
    expect([409, 422]).toContain(answer.statusCode);
    expect(answer.payload, "nothing of this machine is told").not.toContain(app.dataFolder);
    expect((await call({ url: await urlOf(project) })).statusCode).toBe(409);
  });

  test("that is too large", async () => {
    const project = await newProject();
    const payload = Buffer.concat([header("a", "0", "", 65 * 2 ** 20), Buffer.alloc(65 * 2 ** 20)]);
    const answer = await call({ method: "PUT", url: await urlOf(project), payload });
    expect(answer.json()).toMatchObject({ code: "too_large" });
  });
});
