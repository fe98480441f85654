import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BoundedCalls, readProjectFile, stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { hostileTree } from "../../support/files/hostile-tree.ts";
import { hasStuckDisks, stuckDisk } from "../../support/files/stuck-disk.ts";
import { until } from "../../support/until.ts";

const stuck = { name: "FileRefusal", code: "stuck", message: "'a' cannot be used: the disk does not answer." };

/** Calls that answer when the test says so. */
function calls() {
  const begun: PromiseWithResolvers<string>[] = [];
  const call = () => {
    begun.push(Promise.withResolvers<string>());
    return begun.at(-1)!.promise;
  };
  return { begun, call };
}

test("only so many calls run at a time, and the others follow in their order", async () => {
  const bounded = new BoundedCalls(2);
  const { begun, call } = calls();
  const all = ["1", "2", "3", "4"].map(() => bounded.run(call, { path: "a" }));
  expect(begun.length).toBe(2);
  begun[1]!.resolve("second");
  expect(await all[1]).toBe("second");
  await until(() => begun.length === 3);
  begun[0]!.reject(new Error("no"));
  await expect(all[0]).rejects.toThrow("no");
  await until(() => begun.length === 4);
  begun[2]!.resolve("third");
  begun[3]!.resolve("fourth");
  expect(await Promise.all(all.slice(2))).toEqual(["third", "fourth"]);
});

test("whoever waits is released by an abort or a time limit; what comes late is discarded", async () => {
  const bounded = new BoundedCalls(2);
  const { begun, call } = calls();
  const late: string[] = [];
  const stop = new AbortController();
  const discard = (value: string) => late.push(value);
  const aborted = bounded.run(call, { path: "a", signal: stop.signal, limitMs: 1, discard });
  stop.abort(new Error("cancelled"));
  await expect(aborted).rejects.toThrow("cancelled");
  await expect(bounded.run(call, { path: "a", limitMs: 1 })).rejects.toMatchObject(stuck);
  expect(stuckFileCalls()).toBe(2);
  // All threads that it may have are lost: the next is refused, not queued.
  await expect(bounded.run(call, { path: "a" })).rejects.toMatchObject(stuck);
  expect(begun.length).toBe(2);
  begun[0]!.resolve("late");
  begun[1]!.reject(new Error("late"));
  await until(() => stuckFileCalls() === 0);
  expect(late).toEqual(["late"]);
  const next = bounded.run(call, { path: "a" });
  begun[2]!.resolve("again");
  expect(await next).toBe("again");
});

test("those who wait for their turn are refused when no turn will come", async () => {
  const bounded = new BoundedCalls(1);
  const { begun, call } = calls();
  const stop = new AbortController();
  const first = bounded.run(call, { path: "a", signal: stop.signal, limitMs: 1 });
  const second = bounded.run(call, { path: "a" });
  stop.abort(new Error("cancelled"));
  await expect(first).rejects.toThrow("cancelled");
  await expect(second).rejects.toMatchObject(stuck);
  begun[0]!.resolve("late");
  await until(() => stuckFileCalls() === 0);
});

test("whoever gives a call up takes nobody else's turn", async () => {
  const bounded = new BoundedCalls(1);
  const { begun, call } = calls();
  const stop = new AbortController();
  const first = bounded.run(call, { path: "a", signal: stop.signal });
  const before = bounded.run(call, { path: "a" });
  stop.abort(new Error("cancelled"));
  await expect(first).rejects.toThrow("cancelled");
  const after = bounded.run(call, { path: "a" });
  begun[0]!.resolve("late");
  await until(() => begun.length === 2);
  begun[1]!.resolve("second");
  expect(await before).toBe("second");
  await until(() => begun.length === 3);
  begun[2]!.resolve("third");
  expect(await after).toBe("third");
});

test.skipIf(!hasStuckDisks)(
  "a read of a disk that never answers leaves threads for everybody else",
  { tags: "long" },
  async ({ skip }) => {
    const { tree } = await hostileTree();
    const disk = await stuckDisk(join(tree, "folder"), "folder");
    skip(disk === undefined, "the machine does not let us mount anything");
    onTestFinished(async () => {
      await disk?.free();
      await until(() => stuckFileCalls() === 0);
    });
    // Until some have come as far as that disk before they are cancelled.
    await until(async () => {
      const stop = new AbortController();
      const read = () => readProjectFile(tree, "folder/file", { maxBytes: 100, signal: stop.signal });
      // More than there are threads.
      const reads = Array.from({ length: 10 }, read).map((one) => one.catch((error: Error) => error.message));
      await writeFile(join(tree, "free"), "there is a thread for this");
      stop.abort(new Error("cancelled"));
      expect(new Set(await Promise.all(reads))).toEqual(new Set(["cancelled"]));
      return stuckFileCalls() === 2;
    });
    await writeFile(join(tree, "free"), "and for this");
  },
);

test.skipIf(!hasStuckDisks)("a process can end while a disk does not answer", async ({ skip }) => {
  const { tree } = await hostileTree();
  const disk = await stuckDisk(join(tree, "folder"), "folder");
  skip(disk === undefined, "the machine does not let us mount anything");
  onTestFinished(() => disk?.free());
  const door = new URL("../../../src/platform/project-files/index.ts", import.meta.url);
  const program = `
    const { leaveStuckCalls, readProjectFile } = await import(${JSON.stringify(door)});
    const signal = AbortSignal.timeout(50);
    await readProjectFile(process.argv[1], "folder/file", { maxBytes: 100, signal }).catch(() => undefined);
    leaveStuckCalls();
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, tree], { stdio: "ignore" });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
});
