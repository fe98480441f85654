import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { Workspaces } from "../../../src/engine/workspaces/workspaces.ts";
import type { BlobStore } from "../../../src/platform/blobs/blob-store.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";

import { requireGit } from "../../../src/platform/git/index.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { cannotFillDisk, smallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";
import {
  attempt,
  createTestWorkspaces,
  doWork,
  git,
  newAttemptId,
  newProjectId,
  take,
} from "../../support/workspaces/test-workspaces.ts";

const { workspaces, folder, blobs } = await createTestWorkspaces();

test("a process killed at any moment leaves a repository that works, and no saved commit is lost", {
  tags: "long",
}, async () => {
  const killed = await mkdtemp(join(fastFolder(), "slipway-killed-"));
  onTestFinished(() => rm(killed, { recursive: true, force: true }));
  const projectId = newProjectId();
  const saved: { commit: string; bundle: string }[] = [];
  for (let kill = 0; kill < 4; kill += 1) {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "../../support/workspaces/work-endlessly.ts"), killed, projectId, `run${kill}`],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let count = 0;
    for await (const line of createInterface(child.stdout)) {
      const [, commit, bundle] = /^([0-9a-f]{40}) ([0-9a-f]{64})$/.exec(line) ?? [];
      if (commit !== undefined && bundle !== undefined) saved.push({ commit, bundle });
      count += 1;
      if (count === 1 + kill * 2) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    expect(child.signalCode).toBe("SIGKILL");
  }
  expect(saved.length).toBeGreaterThan(5);

  const after = new Workspaces({
    folder: join(killed, "workspaces"),
    blobs: await FolderBlobStore.open(join(killed, "artifacts")),
    log: quietLog,
  });
  const elsewhere = new Workspaces({
    folder: join(killed, "elsewhere"),
    blobs: await FolderBlobStore.open(join(killed, "artifacts")),
    log: quietLog,
  });
  const { commit: root } = await after.open(projectId, undefined);
  for (const head of saved.slice(-4)) {
    await after.open(projectId, head);
    await elsewhere.open(projectId, head);
    expect(await attempt(after, projectId, head.commit, { "next.txt": "x" })).toMatchObject({ files: 1 });
    expect(await elsewhere.changedFiles(projectId, root, head.commit)).not.toEqual([]);
  }
  expect(git(join(killed, "workspaces"), projectId, "fsck", "--strict", "--no-dangling")).toBe("");
  // A git of the killed process may still be writing into its folder.
  const attempts = join(killed, "workspaces", projectId, "attempts");
  await until(async () => {
    await after.sweep(() => false);
    return (await readdir(attempts)).length === 0;
  });
});

describe("sweeping", () => {
  test("removes what is left behind, and nothing that is in use", async () => {
    const projectId = newProjectId();
    const { commit } = await workspaces.open(projectId, undefined);
    const mine = await workspaces.checkOut(projectId, "att_mine", commit);
    const attempts = join(folder, projectId, "attempts");
    await mkdir(join(attempts, "att_left/tree/closed"), { recursive: true, mode: 0 }).catch(() => undefined);
    await mkdir(join(attempts, "att_of_another_node/tree"), { recursive: true });
    expect(await workspaces.sweep((_, id) => id === "att_of_another_node")).toEqual(["att_left"]);
    expect((await readdir(attempts)).sort()).toEqual(["att_mine", "att_of_another_node"]);
    await workspaces.release(mine);
    expect(await workspaces.sweep(async () => false)).toEqual(["att_of_another_node"]);
  });

  test("removes what killed processes never finished, once it is old", async () => {
    const projectId = newProjectId();
    await workspaces.open(projectId, undefined);
    const project = join(folder, projectId);
    const old = ["repo.git/objects/pack/tmp_pack_1", "repo.git/objects/94/tmp_obj_1", "repo.git.unfinished"];
    for (const path of [...old, "repo.git/objects/pack/tmp_pack_2"]) await writeFile(join(project, path), "");
    for (const path of ["repo.git/objects/tmp_merge_1", "repo.git/objects/tmp_diff_1"]) {
      old.push(path);
      await mkdir(join(project, path));
      await writeFile(join(project, path, "file"), "");
    }
    for (const path of old) await utimes(join(project, path), 0, 0);
    await workspaces.sweep(() => false);
    expect(await readdir(project)).toEqual(["repo.git"]);
    expect(await readdir(join(project, "repo.git/objects/pack"))).toEqual(["tmp_pack_2"]);
    expect((await readdir(join(project, "repo.git/objects"))).filter((name) => name.startsWith("tmp_"))).toEqual([]);
    await workspaces.open(projectId, undefined);
  });

  test("goes on with the others where a project's folder cannot be read", async () => {
    const other = new Workspaces({ folder: join(folder, "others"), blobs, log: quietLog });
    await mkdir(join(folder, "others/proj_0"), { recursive: true });
    await symlink("attempts", join(folder, "others/proj_0/attempts"));
    await mkdir(join(folder, "others/proj_1/attempts/att_left"), { recursive: true });
    expect(await other.sweep(() => false)).toEqual(["att_left"]);
  });

  test("finds nothing where nothing was ever made", async () => {
    const empty = new Workspaces({ folder: join(folder, "never"), blobs, log: quietLog });
    expect(await empty.sweep(() => false)).toEqual([]);
  });
});

test("many tasks work on one project at once, in two nodes on the same folder", { tags: "long" }, async () => {
  const projectId = newProjectId();
  const nodes = [workspaces, new Workspaces({ folder, blobs, log: quietLog })];
  const { commit: base } = await workspaces.open(projectId, undefined);
  const results = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const node = nodes[index % 2]!;
      const result = await attempt(node, projectId, base, { [`${index}.txt`]: `${index}` });
      await node.save(projectId, result!.commit);
      return result!.commit;
    }),
  );
  let head = base;
  for (const mine of results) {
    const merged = await workspaces.merge(projectId, { base, mine, head });
    head = "commit" in merged ? merged.commit : expect.unreachable();
  }
  expect(await workspaces.listFiles(projectId, head)).toHaveLength(12);
  expect(git(folder, projectId, "fsck", "--strict", "--no-dangling")).toBe("");
});

test("a history of many objects is packed when it is saved, while others use it", { tags: "long" }, async () => {
  const projectId = newProjectId();
  const { commit: root } = await workspaces.open(projectId, undefined);
  const files = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`${index % 30}/${index}.txt`, `${index}`]),
  );
  const head = (await attempt(workspaces, projectId, root, files))!.commit;
  const aside = (await attempt(workspaces, projectId, root, { "aside.txt": "not in the head's history" }))!.commit;
  const objects = join(folder, projectId, "repo.git/objects");
  const spread = await readdir(objects);
  const [, , bundle] = await Promise.all([
    attempt(workspaces, projectId, head, { "next.txt": "x" }),
    workspaces.save(projectId, head),
    workspaces.save(projectId, head),
    attempt(workspaces, projectId, head, { "other.txt": "x" }),
  ]);
  const single = (await readdir(objects, { recursive: true })).filter((name) => /^..\/.{38}$/.test(name));
  expect(single.length).toBeLessThan(20);
  // A git that has just found one there would fail to write into it.
  expect(await readdir(objects)).toEqual(expect.arrayContaining(spread));
  expect(git(folder, projectId, "fsck", "--strict", "--no-dangling")).toBe("");
  await workspaces.open(projectId, { commit: head, bundle });
  const merged = await workspaces.merge(projectId, { base: root, mine: aside, head });
  expect(await workspaces.listFiles(projectId, "commit" in merged ? merged.commit : "")).toHaveLength(1_001);
  expect(await workspaces.save(projectId, head)).toHaveLength(64);
});

test("an index lock that an ended try left behind does not stop the next", async () => {
  const projectId = newProjectId();
  const { commit } = await workspaces.open(projectId, undefined);
  const worktree = await workspaces.checkOut(projectId, newAttemptId(), commit);
  await writeFile(join(worktree.path, "../index.lock"), "");
  await doWork(worktree.path, { "a.txt": "a" });
  expect(await take(workspaces, worktree, commit)).toMatchObject({ files: 1 });
});

test("files of the repository that a power cut emptied are written again", async () => {
  const projectId = newProjectId();
  const { commit } = await workspaces.open(projectId, undefined);
  for (const name of ["HEAD", "config"]) await writeFile(join(folder, projectId, "repo.git", name), "");
  await workspaces.open(projectId, undefined);
  expect(await attempt(workspaces, projectId, commit, { "a.txt": "a" })).toMatchObject({ files: 1 });
});

test("objects that a power cut emptied are recognised, and the repository is rebuilt from what was saved", async () => {
  const projectId = newProjectId();
  const { commit: root } = await workspaces.open(projectId, undefined);
  const commit = (await attempt(workspaces, projectId, root, { "a/b.txt": "b" }))!.commit;
  const head = { commit, bundle: await workspaces.save(projectId, commit) };
  const objects = join(folder, projectId, "repo.git/objects");
  for (const name of await readdir(objects, { recursive: true })) {
    // All but the commit itself.
    if (!/^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name) || name.replace("/", "") === commit) continue;
    await rm(join(objects, name));
    await writeFile(join(objects, name), "");
  }
  await workspaces.open(projectId, head);
  await expect(workspaces.checkOut(projectId, newAttemptId(), commit)).rejects.toMatchObject({
    code: "repository_broken",
  });
  await expect(workspaces.rebuild(projectId, { commit, bundle: "0".repeat(64) })).rejects.toMatchObject({
    code: "blob_missing",
  });
  await workspaces.rebuild(projectId, head);
  expect(await attempt(workspaces, projectId, commit, { "c.txt": "c" })).toMatchObject({ files: 1 });
  expect((await readdir(join(folder, projectId))).sort()).toEqual(["attempts", "repo.git"]);
});

test("a repository that is not on this node is not mistaken for one without the commit", async () => {
  const projectId = newProjectId();
  const nowhere = "1".repeat(40);
  const missing = { code: "repository_missing" };
  await expect(workspaces.listFiles(projectId, nowhere)).rejects.toMatchObject(missing);
  await expect(workspaces.save(projectId, nowhere)).rejects.toMatchObject(missing);
  await workspaces.open(projectId, undefined);
  const unknown = { code: "unknown_commit" };
  await expect(workspaces.listFiles(projectId, nowhere)).rejects.toMatchObject(unknown);
  await expect(workspaces.changedFiles(projectId, nowhere, nowhere)).rejects.toMatchObject(unknown);
  await expect(workspaces.save(projectId, nowhere)).rejects.toMatchObject(unknown);
  await expect(workspaces.readFile(projectId, nowhere, "a.txt")).rejects.toMatchObject(unknown);
});

describe("git is ended", () => {
  test("when it takes too long", async () => {
    const projectId = newProjectId();
    const { commit: root } = await workspaces.open(projectId, undefined);
    const commit = (await attempt(workspaces, projectId, root, { "a.txt": "a" }))!.commit;
    const bundle = await workspaces.save(projectId, commit);
    const content = await blobs.read(bundle);
    // A blob that never comes to its end.
    const open = async () => {
      const endless = new PassThrough();
      endless.write(content.subarray(0, -1));
      return endless;
    };
    const slow = new Workspaces({
      folder: join(folder, "slow"),
      blobs: Object.assign(Object.create(blobs) as BlobStore, { open }),
      log: quietLog,
      gitLimitMs: 200,
    });
    const message = "git index-pack was ended after 0.2 seconds.";
    await expect(slow.open(projectId, { commit, bundle })).rejects.toMatchObject({ code: "timed_out", message });
  });

  test("when nobody wants the result any more", async () => {
    const projectId = newProjectId();
    const { commit: base } = await workspaces.open(projectId, undefined);
    const mine = (await attempt(workspaces, projectId, base, { "a.txt": "a" }))!.commit;
    const head = (await attempt(workspaces, projectId, base, { "b.txt": "b" }))!.commit;
    const over = new Error("cancelled");
    for (const signal of [AbortSignal.abort(over), abortSoon(over)]) {
      await expect(workspaces.checkOut(projectId, newAttemptId(), mine, { signal })).rejects.toBe(over);
    }
    await expect(workspaces.save(projectId, mine, { signal: abortSoon(over) })).rejects.toBe(over);
    await expect(workspaces.merge(projectId, { base, mine, head, signal: AbortSignal.abort(over) })).rejects.toBe(over);
    expect(await readdir(join(folder, projectId, "attempts"))).toEqual([]);
  });

  function abortSoon(reason: unknown): AbortSignal {
    const controller = new AbortController();
    setImmediate(() => controller.abort(reason));
    return controller.signal;
  }
});

describe("a full disk", () => {
  test("is named, and all works on when there is room again", async ({ skip }) => {
    skip(cannotFillDisk !== undefined, cannotFillDisk);
    const disk = smallDisk("3m");
    const full = new Workspaces({ folder: join(disk, "workspaces"), blobs, log: quietLog });
    const projectId = newProjectId();
    const { commit: root } = await full.open(projectId, undefined);
    const head = (await attempt(full, projectId, root, { "large.txt": "x".repeat(800_000) }))!.commit;
    const worktree = await full.checkOut(projectId, newAttemptId(), head);
    await doWork(worktree.path, { "new.txt": "new" });
    spawnSync("dd", ["if=/dev/zero", `of=${disk}/filling`, "bs=4k"]);
    const noSpace = { name: "WorkspaceError", code: "no_space", message: expect.stringContaining("disk is full") };

    await expect(take(full, worktree, head)).rejects.toMatchObject(noSpace);
    await expect(full.checkOut(projectId, newAttemptId(), head)).rejects.toMatchObject(noSpace);
    await expect(full.open(newProjectId(), undefined)).rejects.toMatchObject(noSpace);
    const bundle = await full.save(projectId, head);
    expect(await blobs.has(bundle)).toBe(true);

    await rm(join(disk, "filling"));
    expect(await take(full, worktree, head)).toMatchObject({ files: 1 });
    expect((await readdir(join(disk, "workspaces"))).filter((name) => name !== projectId)).toHaveLength(1);
    expect(git(join(disk, "workspaces"), projectId, "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("of the artifacts is named too", { tags: "long" }, async ({ skip }) => {
    skip(cannotFillDisk !== undefined, cannotFillDisk);
    const small = await FolderBlobStore.open(join(smallDisk("1m"), "artifacts"));
    const node = new Workspaces({ folder, blobs: small, log: quietLog });
    const projectId = newProjectId();
    const { commit: root } = await node.open(projectId, undefined);
    const noise = randomBytes(2_000_000).toString("base64");
    const head = (await attempt(node, projectId, root, { noise }))!.commit;
    await expect(node.save(projectId, head)).rejects.toMatchObject({ code: "no_space" });
    expect(await workspaces.save(projectId, head)).toHaveLength(64);
  });
});

test("this machine's git is new enough", async () => {
  expect(await requireGit()).toMatch(/^\d+\.\d+/);
});
