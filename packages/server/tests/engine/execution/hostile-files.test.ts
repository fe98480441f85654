// @module-tag soak
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { FunctionWork } from "../../../src/agents/index.ts";
import { command, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { hasStuckDisks, stuckDisk } from "../../support/files/stuck-disk.ts";
import { until } from "../../support/until.ts";

// One slot: a project whose files hold it would leave none for the next.
const { app, play } = await createStage({ agents: [{ slots: 1 }], minuteMs: 60_000 });

const overridden = { dependency_overrides: { "left-pad": "1.0.0" } };
const byImplementer = (work: (folder: string) => Promise<unknown>) => async (asked: FunctionWork) => {
  if (asked.task.role !== "implementer") return undefined;
  await work(asked.folder);
  return { is: "done" } as const;
};
const pipe = (path: string) => execFileSync("mkfifo", [path]);

/** The agents' slots are free: another project comes through. */
async function expectFreeSlot(): Promise<void> {
  expect(await untilEnded(app, await play())).toMatchObject({ status: "deployed" });
}

describe("a package.json that is a pipe fails the project at once, and the next one runs", () => {
  test.for(
    soakCases([
      ["with overrides to be written into it", overridden],
      ["without", {}],
    ] as const),
  )("%s", async ([, parts]) => {
    const id = await play(
      parts,
      byImplementer(async (folder) => {
        await writeFile(join(folder, "a.txt"), "a");
        pipe(join(folder, "package.json"));
      }),
    );
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      error: { code: "unacceptable_file", message: expect.stringContaining("'package.json' is a pipe") },
    });
    await expectFreeSlot();
  });

  test("that a build has made of it", async () => {
    const scripts = { build: "rm package.json && mkfifo package.json" };
    const id = await play(
      { ...overridden, scripts },
      byImplementer((folder) => writeFile(join(folder, "package.json"), "{}")),
    );
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      current_phase: "validation",
      error: { message: expect.stringContaining("'package.json' is a pipe") },
    });
    await expectFreeSlot();
  });
});

describe("a file with holes, which is much larger than the disk,", () => {
  test("is not read in the place of a test", { tags: "long" }, async () => {
    const id = await play(
      { scripts: { build: "truncate -s 7T test/a.test.js", test: "true" } },
      byImplementer(async (folder) => {
        await mkdir(join(folder, "test"));
        await writeFile(join(folder, "test/a.test.js"), "// checks nothing");
      }),
    );
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      error: { code: "test_failed", message: expect.stringContaining("changed test files: test/a.test.js") },
    });
  });

  test("is not copied with what is deployed", { tags: "long" }, async () => {
    const id = await play(
      { scripts: { build: "truncate -s 7T a.bin", start: "true" }, environments: { staging: {} } },
      byImplementer((folder) => writeFile(join(folder, "a.txt"), "a")),
    );
    const message = "The built files are larger than 6144 MiB together; the largest is 'a.bin'.";
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      error: { code: "deployment_failed", message },
    });
  });
});

test("a giant that the program of a result makes while it is published is not copied", { tags: "long" }, async () => {
  const id = await play(
    {
      outcome_type: "ml-pipeline",
      environments: { staging: {} },
      acceptance: { commands: [{ command: "sh predict.sh", stdin: "1", exit_code: 0 }] },
    },
    byImplementer((folder) =>
      // Only where it is deployed: the checks have a checkout of their own.
      writeFile(
        join(folder, "predict.sh"),
        'case "$PWD" in */releases/*) mkdir node_modules; truncate -s 7G node_modules/a.bin ;; esac\n',
      ),
    ),
  );
  const message = "The built files are larger than 6144 MiB together; the largest is 'node_modules/a.bin'.";
  expect(await untilEnded(app, id)).toMatchObject({
    status: "failed",
    error: { code: "deployment_failed", message },
  });
});

test("an agent that removes its folder and fails has failed, and nothing else", async () => {
  const id = await play({}, async ({ task, folder }) => {
    if (task.role !== "implementer") return undefined;
    await rm(folder, { recursive: true });
    return { is: "failed", code: "agent_failed", message: "It gave up." };
  });
  expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { code: "agent_failed" } });
});

test("pipes by names that git itself reads are refused before git waits for them", async () => {
  for (const name of [".gitignore", ".gitattributes"]) {
    const id = await play(
      {},
      byImplementer(async (folder) => pipe(join(folder, name))),
    );
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      error: { code: "unacceptable_file", message: expect.stringContaining(`'${name}' is a pipe`) },
    });
  }
});

test("overrides are not written through a link to a file outside", async () => {
  const outside = join(tmpdir(), `slipway-outside-${process.pid}`);
  await writeFile(outside, `{"name":"outside"}`);
  onTestFinished(() => rm(outside));
  const id = await play(
    overridden,
    byImplementer((folder) => symlink(outside, join(folder, "package.json"))),
  );
  expect(await untilEnded(app, id)).toMatchObject({
    status: "failed",
    error: { code: "unacceptable_file", message: expect.stringContaining("'package.json' is a link") },
  });
  expect(await readFile(outside, "utf8")).toBe(`{"name":"outside"}`);
});

test("a folder of the blueprint that is a link leads the builder nowhere", async () => {
  const outside = join(tmpdir(), `slipway-outside-folder-${process.pid}`);
  await mkdir(outside);
  onTestFinished(() => rm(outside, { recursive: true }));
  const id = await play(
    overridden,
    byImplementer(async (folder) => {
      await writeFile(join(folder, "package.json"), "{}");
      await rename(folder, `${folder}-moved`);
      await symlink(outside, folder);
    }),
  );
  expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { code: "unacceptable_file" } });
});

test.skipIf(!hasStuckDisks)("a disk that never answers holds neither a cancel nor the slot", async ({ skip }) => {
  let disk: Awaited<ReturnType<typeof stuckDisk>>;
  let isMounted: "yes" | "no" | undefined;
  const id = await play(
    overridden,
    byImplementer(async (folder) => {
      const path = join(folder, "package.json");
      await writeFile(path, "{}");
      disk ??= await stuckDisk(path, "file");
      isMounted = disk === undefined ? "no" : "yes";
    }),
  );
  onTestFinished(() => disk?.free());
  const mounted = await until(() => isMounted);
  skip(mounted === "no", "the machine does not let us mount anything");
  await command(app, id, "cancel");
  expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  await expectFreeSlot();
});

test.for<readonly [string, (folder: string) => unknown]>([
  ["holds a pipe", (folder) => pipe(join(folder, "pipe"))],
  ["has more than a patch may", (folder) => writeFile(join(folder, "large"), randomBytes(17 * 2 ** 20))],
])(
  "what a failed agent leaves for people hides no reason of its own, where it %s",
  { tags: "long" },
  async ([, leave]) => {
    const id = await play({ debug: { save_intermediate_files: true } }, async ({ task, folder }) => {
      if (task.role !== "implementer") return undefined;
      await leave(folder);
      return { is: "failed", code: "agent_memory", message: "The reason." };
    });
    expect(await untilEnded(app, id)).toMatchObject({ error: { code: "agent_memory", message: "The reason." } });
  },
);
