import { spawn } from "node:child_process";
import { once } from "node:events";

/** Begins a process under an id, in a group of its own, and tells by which signal it ended. */
const starter = `
import ctypes, os, signal, struct, sys
id = int(sys.argv[1])
ids = (ctypes.c_int * 1)(id)
options = struct.pack("=11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(ids), 1, 0)
clone3 = 435
pid = ctypes.CDLL(None).syscall(clone3, ctypes.c_char_p(options), ctypes.c_size_t(len(options)))
if pid == 0:
    os.setsid()
    os.write(1, b"begun\\n")
    signal.pause()
if pid != id:
    sys.exit(1)
sys.stdin.read()
os.kill(id, signal.SIGTERM)
print(os.WTERMSIG(os.waitpid(id, 0)[1]), flush=True)
`;

interface ProcessWithId {
  /** Ends it; the number of the signal by which it has ended, which may be an earlier one. */
  readonly end: () => Promise<number>;
}

/** A process of somebody else's that leads a group under an id that is free; undefined where only the system chooses ids. */
export async function processWithId(id: number): Promise<ProcessWithId | undefined> {
  const holder = spawn("python3", ["-c", starter, String(id)], { stdio: ["pipe", "pipe", "ignore"] });
  let told = "";
  holder.stdout.setEncoding("utf8").on("data", (piece: string) => {
    told += piece;
  });
  const ended = once(holder, "close");
  const hasBegun = await Promise.race([once(holder.stdout, "data").then(() => true), ended.then(() => false)]);
  if (!hasBegun) return undefined;
  return {
    end: async () => {
      // By its holder, who knows whether it is there: it may have been killed.
      holder.stdin.end();
      await ended;
      return Number(told.split("\n")[1]);
    },
  };
}
