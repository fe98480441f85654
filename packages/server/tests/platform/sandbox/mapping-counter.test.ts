import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { MappingCounter } from "../../../src/platform/sandbox/mapping-counter.ts";

/** A process with some thousand mappings. */
async function startMapping() {
  const program = `import mmap, time
held = [mmap.mmap(-1, 4096) for _ in range(4000)]
print("ready", flush=True)
time.sleep(1000)`;
  const child = spawn("python3", ["-c", program]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const end = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { pid: child.pid!, end };
}

describe.skipIf(process.platform !== "linux")("mappings of a run", () => {
  test("count for a while when their process has ended, and others have come", async () => {
    let nowMs = 0;
    const counter = new MappingCounter(() => nowMs);
    const first = await startMapping();
    expect((await counter.look([first.pid])).mappings).toBeGreaterThan(4_000);
    await first.end();
    const second = await startMapping();
    nowMs = 4_000;
    expect((await counter.look([second.pid])).mappings).toBeGreaterThan(8_000);
    nowMs = 6_000;
    const { mappings } = await counter.look([second.pid]);
    expect(mappings).toBeGreaterThan(4_000);
    expect(mappings).toBeLessThan(8_000);
  });

  test("count for more in copies of copies: the kernel keeps a note for each that they have them from", async () => {
    const { pid } = await startMapping();
    const { mappings } = await new MappingCounter().look([pid]);
    const ofCopy = await new MappingCounter().look([pid], undefined, new Map([[pid, 40]]));
    expect(ofCopy.mappings).toBe(11 * mappings);
  });

  test("are all counted, though no look has the time for it", { tags: "long" }, async () => {
    let nowMs = 0;
    // As if two processes took longer than a look may.
    const counter = new MappingCounter(() => {
      nowMs += 900;
      return nowMs;
    });
    const pids = [];
    for (let n = 0; n < 3; n += 1) pids.push((await startMapping()).pid);
    expect((await counter.look(pids)).mappings).toBeLessThan(12_000);
    await counter.look(pids);
    const { mappings, withDeleted } = await counter.look(pids);
    expect(mappings).toBeGreaterThan(12_000);
    expect(withDeleted).toEqual(pids);
  });

  test("are not counted further than they need to be", async () => {
    const counter = new MappingCounter();
    const pids = [(await startMapping()).pid, (await startMapping()).pid];
    const { mappings } = await counter.look(pids, 2_000);
    expect(mappings).toBeGreaterThan(2_000);
    expect(mappings).toBeLessThan(8_000);
  });
});
