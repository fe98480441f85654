import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { ProcessTable } from "../../../src/platform/sandbox/process-table.ts";
import { ProcessTree } from "../../../src/platform/sandbox/process-tree.ts";
import { RunsTogether } from "../../../src/platform/sandbox/runs-together.ts";
import { SandboxedProcess } from "../../../src/platform/sandbox/sandboxed-process.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { until } from "../../support/until.ts";

const MB = 2 ** 20;

test.skipIf(!ProcessTable.isSupported)(
  "bubblewrap's own processes do not count before it is told which ones they are",
  async () => {
    // Like bubblewrap, with the first process inside and a program.
    const inside = "sh -c 'sleep 1000 & echo here; wait' & wait";
    const root = spawn("/bin/sh", ["-c", inside], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void process.kill(-root.pid!, "SIGKILL"));
    await new Promise((resolve) => root.stdout.once("data", resolve));
    const measure = async (isConfined: boolean) => {
      const options = { runId: "told-later", root: root.pid!, together: new RunsTogether(), isConfined };
      return (await new ProcessTree(new ProcessTable(), options).measure(ampleLimits)).processes;
    };
    expect([await measure(true), await measure(false)]).toEqual([1, 3]);
  },
);

test.skipIf(!ProcessTable.isSupported)(
  "a run that is killed is no crowd, however long its disks are looked at",
  async () => {
    const table = new ProcessTable();
    const child = spawn("true", { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const options = { runId: "has-ended", root: child.pid!, together: new RunsTogether(), isConfined: false };
    const tree = new ProcessTree(table, options);
    const looked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<object>();
    const look = () => {
      looked.resolve();
      return answered.promise;
    };
    const run = new SandboxedProcess({
      ...{
        child,
        tree,
        limits: ampleLimits,
        onOutputLimit: "kill",
        graceMs: 0,
        signal: undefined,
        isHeldUp: undefined,
      },
      streams: { stdin: null, stdout: child.stdout, stderr: child.stderr },
      disk: { waitUntilTooLarge: async () => undefined, look } as never,
      cleanUp: async () => tree.forget(),
    });
    await looked.promise;
    // As whoever cancels it meanwhile does.
    const killed = run.kill({ graceMs: 0 });
    expect(table.noteTasks("another", 1)).toBe(true);
    answered.resolve({ used: 0 });
    await killed;
  },
);

/** One child has memory of its own, ten others share some, until its input ends these. */
const endsWhatIsShared = `import mmap, os, sys
size = 40 << 20
shared = mmap.mmap(-1, size)
def touch():
  for at in range(0, size, 4096): shared[at] = 1
def take():
  global taken
  taken = b"x" * (250 << 20)
def start(prepare):
  ours, theirs = os.pipe()
  if os.fork() == 0:
    os.close(theirs)
    prepare()
    os.write(1, b".")
    os.read(ours, 1)
    os._exit(0)
  os.close(ours)
  return theirs
owner = start(take)
sharers = [start(touch) for _ in range(10)]
sys.stdin.readline()
for sharer in sharers: os.close(sharer)
for _ in sharers: os.wait()
os.write(1, b"!")
sys.stdin.readline()`;

test.skipIf(process.platform !== "linux")(
  "what processes shared that have ended is taken off nobody's memory",
  { tags: "long" },
  async () => {
    const root = spawn("python3", ["-c", endsWhatIsShared], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void process.kill(-root.pid!, "SIGKILL"));
    let said = "";
    root.stdout.on("data", (text: Buffer) => {
      said += text.toString();
    });
    const options = { runId: "ends-shared", root: root.pid!, together: new RunsTogether(), isConfined: false };
    const tree = new ProcessTree(new ProcessTable(), options);
    const measured = async () => (await tree.measure({ ...ampleLimits, memoryBytes: 400 * MB })).memoryBytes;
    await until(() => said === ".".repeat(11));
    await until(async () => (await measured()) < 390 * MB);
    root.stdin.write("\n");
    await until(() => said.endsWith("!"));
    expect(await measured()).toBeGreaterThan(200 * MB);
  },
);
