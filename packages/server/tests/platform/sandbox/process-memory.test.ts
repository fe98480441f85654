import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { isOutrun, statusOf } from "../../../src/platform/sandbox/process-memory.ts";
import { readStat } from "../../../src/platform/sandbox/process-stat.ts";

const withoutFirstThread = `import ctypes, os, threading, time
def work():
  while ") Z " not in open("/proc/self/stat").read(): time.sleep(0.01)
  os.write(1, b"ready")
  time.sleep(1000)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(${process.arch === "arm64" ? 93 : 60}, 0)`;

test.skipIf(process.platform !== "linux")(
  "memory is told though the thread that seemed to live has ended",
  async () => {
    const child = spawn("python3", ["-c", withoutFirstThread], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const found = readStat(child.pid!)!;
    expect(found.thread).not.toBe(found.pid);
    // More than the kernel has numbers for.
    const ended = { ...found, thread: 2 ** 30 };
    expect(statusOf(ended)).toContain("VmRSS:");
    expect([isOutrun(found), isOutrun(ended)]).toEqual([false, true]);
  },
);
