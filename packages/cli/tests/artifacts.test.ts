import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cutConnections } from "../../client/tests/cutting-proxy.ts";
import { createProject, createTestApp } from "../../server/tests/support/test-app.ts";
import { folderWith, slipway } from "./run-slipway.ts";

const service = await createTestApp();
const url = await service.http.listen({ host: "127.0.0.1", port: 0 });
const env = { SLIPWAY_URL: url, SLIPWAY_TOKEN: service.adminToken };
const project = await createProject(service);
const content = randomBytes(5_000_000);
const sha256 = createHash("sha256").update(content).digest("hex");

describe("slipway artifacts", () => {
  test("put uploads a file, list shows it, get brings it back, verify finds nothing wrong", async () => {
    const cwd = await folderWith({ "manual.pdf": content });
    const put = await slipway(
      ["artifacts", "put", project, "manual.pdf", "--type", "documentation", "--path", "docs/manual.pdf", "--json"],
      { env, cwd },
    );
    expect([put.code, JSON.parse(put.out)]).toMatchObject([0, { is_complete: true, sha256, offset: content.length }]);
    const list = await slipway(["artifacts", "list", project], { env, cwd });
    expect(list.out).toMatch(/TYPE +PATH +SIZE +MODIFIED\ndocumentation +docs\/manual.pdf +5.0 MB +20/);
    const listed = await slipway(["artifacts", "list", project, "--type", "documentation", "--json"], { env, cwd });
    expect(JSON.parse(listed.out)).toMatchObject({ artifacts: [{ path: "docs/manual.pdf", size_bytes: 5_000_000 }] });
    await rm(join(cwd, "manual.pdf"));
    const get = await slipway(["artifacts", "get", project, "manual.pdf"], { env, cwd });
    expect([get.code, get.err]).toEqual([0, "manual.pdf: 5.0 MB\n"]);
    expect((await readFile(join(cwd, "manual.pdf"))).equals(content)).toBe(true);
    expect(await readdir(cwd)).toEqual(["manual.pdf"]);
    const verify = await slipway(["artifacts", "verify", project], { env, cwd });
    expect([verify.code, verify.err]).toEqual([0, expect.stringMatching(/^1 file checked, 5.0 MB: none damaged.\n$/)]);
  });

  test("get writes to --output, and overwrites only with --force", async () => {
    const cwd = await folderWith({ "there.pdf": "mine", "folder/x": "" });
    const get = (...args: string[]) => slipway(["artifacts", "get", project, "documentation", ...args], { env, cwd });
    const refused = await get("--output", "there.pdf");
    expect([refused.code, refused.err]).toEqual([1, "slipway: there.pdf already exists; --force overwrites it\n"]);
    expect(await readFile(join(cwd, "there.pdf"), "utf8")).toBe("mine");
    expect((await get("--output", "there.pdf", "--force")).code).toBe(0);
    const inFolder = await get("--output", "folder", "--json");
    expect(JSON.parse(inFolder.out)).toEqual({
      path: "folder/manual.pdf",
      size_bytes: 5_000_000,
      sha256,
      resumed_at: 0,
    });
    expect((await readFile(join(cwd, "folder/manual.pdf"))).equals(content)).toBe(true);
  });

  test("get resumes a partial download, and discards one that does not match its digest", async () => {
    const partial = `.m.pdf.${sha256.slice(0, 40)}.part`;
    const cwd = await folderWith({ [partial]: content.subarray(0, 3_000_000) });
    const get = () => slipway(["artifacts", "get", project, "manual.pdf", "--output", "m.pdf", "--json"], { env, cwd });
    expect(JSON.parse((await get()).out)).toMatchObject({ resumed_at: 3_000_000 });
    expect((await readFile(join(cwd, "m.pdf"))).equals(content)).toBe(true);
    await rm(join(cwd, "m.pdf"));
    await writeFile(join(cwd, partial), "not what was sent");
    const wrong = await get();
    const message = "the content does not match its digest; the download was discarded";
    expect([wrong.code, JSON.parse(wrong.err)]).toEqual([1, { code: "failed", message, hint: null, next: [] }]);
    expect(await readdir(cwd)).toEqual([]);
    expect((await get()).code).toBe(0);
  });

  test("get brings a file back whose name is as long as a disk takes it", async () => {
    const name = `${"ä".repeat(125)}.txt`;
    const cwd = await folderWith({ a: "long" });
    const put = ["artifacts", "put", project, "a", "--type", "documentation", "--path", `long/${name}`];
    expect((await slipway(put, { env, cwd })).code).toBe(0);
    const get = await slipway(["artifacts", "get", project, `long/${name}`], { env, cwd });
    expect([get.code, get.err]).toEqual([0, expect.stringMatching(/: 4 B\n$/)]);
    expect((await readdir(cwd)).sort()).toEqual(["a", name]);
    // As a zip, a folder has a longer name than it may have itself.
    const folder = "d".repeat(255);
    const inFolder = ["artifacts", "put", project, "a", "--type", "documentation", "--path", `${folder}/a`];
    expect((await slipway(inFolder, { env, cwd })).code).toBe(0);
    const zip = await slipway(["artifacts", "get", project, folder, "--json"], { env, cwd });
    expect(JSON.parse(zip.out)).toMatchObject({ path: `${"d".repeat(248)}.zip` });
  });

  test("get follows no link that has the name of a partial download, and waits for no pipe", async () => {
    const cwd = await folderWith({ config: "mine" });
    const partial = join(cwd, `.m.pdf.${sha256.slice(0, 40)}.part`);
    const get = () =>
      slipway(["artifacts", "get", project, "manual.pdf", "--output", "m.pdf", "--force"], { env, cwd });
    await symlink("config", partial);
    expect((await get()).code).toBe(0);
    execFileSync("mkfifo", [partial]);
    expect((await get()).code).toBe(0);
    expect(await readFile(join(cwd, "config"), "utf8")).toBe("mine");
    expect((await readFile(join(cwd, "m.pdf"))).equals(content)).toBe(true);
    expect(await readdir(cwd)).toEqual(["config", "m.pdf"]);
  });

  test("get says in a line that it cannot write", async () => {
    const cwd = await folderWith({ a: "short" });
    const put = ["artifacts", "put", project, "a", "--type", "documentation", "--path", "short/a"];
    expect((await slipway(put, { env, cwd })).code).toBe(0);
    const get = async (...output: string[]) => {
      const { code, err } = await slipway(["artifacts", "get", project, "short/a", ...output], { env, cwd });
      return [code, err];
    };
    expect(await get("--output", "none/b")).toEqual([
      1,
      expect.stringMatching(/^slipway: cannot write none\/b: ENOENT: .*\n$/),
    ]);
    await rm(join(cwd, "a"));
    await mkdir(join(cwd, "a"));
    expect(await get("--force")).toEqual([1, expect.stringMatching(/^slipway: cannot write a: EISDIR: .*\n$/)]);
  });

  test("put waits for no pipe", async () => {
    const cwd = await folderWith({});
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    const put = await slipway(["artifacts", "put", project, "pipe", "--type", "documentation"], { env, cwd });
    expect([put.code, put.err]).toEqual([2, "slipway: cannot read pipe: it is not a regular file\n"]);
  });

  test("get survives connections that break", { tags: "long" }, async () => {
    const way = await cutConnections(url, { after: 1_000_000, direction: "down", times: 2 });
    const cwd = await folderWith({ "cut.pdf": content });
    const put = ["artifacts", "put", project, "cut.pdf", "--type", "documentation"];
    expect((await slipway(put, { env, cwd })).code).toBe(0);
    await rm(join(cwd, "cut.pdf"));
    const got = await slipway(["artifacts", "get", project, "cut.pdf"], { env: { ...env, SLIPWAY_URL: way.url }, cwd });
    expect([got.code, way.cuts]).toEqual([0, 2]);
    expect((await readFile(join(cwd, "cut.pdf"))).equals(content)).toBe(true);
  });

  test("get of several files is a zip, and - prints the bytes", async () => {
    const cwd = await folderWith({ "a.txt": "a", "b.txt": "b" });
    for (const name of ["a.txt", "b.txt"])
      await slipway(["artifacts", "put", project, name, "--type", "notes"], { env, cwd });
    expect((await slipway(["artifacts", "get", project, "notes"], { env, cwd })).code).toBe(0);
    expect((await readFile(join(cwd, "notes.zip"))).subarray(0, 2).toString()).toBe("PK");
    expect((await slipway(["artifacts", "get", project, "a.txt", "--output", "-"], { env, cwd })).out).toBe("a");
  });

  test("what does not exist or is wrong ends with its exit code", async () => {
    const cwd = await folderWith({ "a.txt": "a" });
    const codeOf = async (...args: string[]) => (await slipway(["artifacts", ...args], { env, cwd })).code;
    expect(await codeOf("get", project, "nothing")).toBe(4);
    expect(await codeOf("list", "proj_none")).toBe(4);
    expect(await codeOf("put", project, "missing.txt", "--type", "notes")).toBe(2);
    expect(await codeOf("put", project, "a.txt", "--type", "notes", "--path", "../a")).toBe(3);
    expect(await codeOf("put", project, "a.txt")).toBe(2);
    expect(await codeOf("get", project)).toBe(2);
  });

  test("an interrupted put prints the command that resumes it", { tags: "long" }, async () => {
    const cwd = await folderWith({ "large.bin": content });
    const way = await cutConnections(url, { after: 100_000, direction: "up", times: 1000 });
    const cut = await slipway(["artifacts", "put", project, "large.bin", "--type", "notes"], {
      env: { ...env, SLIPWAY_URL: way.url },
      cwd,
    });
    expect(cut.code).toBe(5);
    const [, id] = /To resume: slipway artifacts put .* --resume (upl_\w+)/.exec(cut.err)!;
    const resumed = await slipway(["artifacts", "put", project, "large.bin", "--type", "notes", "--resume", id!], {
      env,
      cwd,
    });
    expect(resumed.code).toBe(0);
  });

  test("verify names what is damaged", async () => {
    const cwd = await folderWith({ "d.txt": "will be damaged" });
    await slipway(["artifacts", "put", project, "d.txt", "--type", "notes"], { env, cwd });
    const digest = createHash("sha256").update("will be damaged").digest("hex");
    await writeFile(join(service.dataFolder, "artifacts", digest.slice(0, 2), digest.slice(2)), "damaged");
    const all = await slipway(["artifacts", "verify", "--json"], { env, cwd });
    expect(all.code).toBe(1);
    expect(JSON.parse(all.out)).toMatchObject({
      damaged: [{ project_id: project, path: "d.txt", problem: "changed" }],
    });
  });
});
