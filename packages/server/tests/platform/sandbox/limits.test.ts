// @module-tag soak
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { RunsTogether } from "../../../src/platform/sandbox/index.ts";
import { readStat } from "../../../src/platform/sandbox/process-stat.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { livingOf, sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

const MB = 2 ** 20;
/** Takes so much memory, touches it, says so and stays. */
const eat = (megabytes: number) =>
  `node -e 'globalThis.a = Buffer.alloc(${megabytes} * 2 ** 20, 1); console.log("full"); setInterval(() => {}, 1000)'`;

/** Starts thirty threads of this program at once. */
const startThreads = (program: string) => [
  "node",
  "-e",
  `const { Worker } = require("node:worker_threads");
  for (let i = 0; i < 30; i++) new Worker(${JSON.stringify(program)}, { eval: true })`,
];

/** Its jobs use a second of the CPU, and their parents end before them. Then it takes more memory than it may. */
const leavesJobs = `import os, time
for _ in range(60):
  child = os.fork()
  if child == 0:
    if os.fork() == 0:
      while time.process_time() < 0.017: pass
    os._exit(0)
  os.waitpid(child, 0)
taken = b"x" * (200 << 20)
time.sleep(1000)`;

/** It has four open sockets. Each of three listeners has room for as many connections as the system allows. */
const closesWhatNobodyAccepts = `import socket, time
listeners = [socket.create_server(("127.0.0.1", 0), backlog=4000) for _ in range(3)]
for listener in listeners:
  for _ in range(2000): socket.create_connection(listener.getsockname()).close()
time.sleep(1000)`;

/** It shares its memory with children for a while; then each gets what it writes to for itself, and works on. */
const copiesWhatItShared = `import mmap, os, time
def work(seconds):
  until = time.process_time() + seconds
  while time.process_time() < until: pass
size = 60 << 20
shared = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def touch():
  for at in range(0, size, 4096): shared[at] = 1
touch()
for _ in range(5):
  if os.fork() == 0:
    time.sleep(0.5)
    touch()
    work(0.2)
    # On a busy machine, that may be over before anybody looks.
    time.sleep(5)
    os._exit(0)
for _ in range(5): os.wait()`;

/** It has a child that shares its memory, as between vfork and exec, and soon ends. Then it has another one. */
const sharesMemoryWithChildren = `import ctypes, os, time
libc = ctypes.CDLL(None)
stack = ctypes.create_string_buffer(65536)
top = ctypes.c_void_p(ctypes.addressof(stack) + 65536 - 64)
taken = b"x" * (150 << 20)
until = time.monotonic() + 2
while time.monotonic() < until:
  assert libc.clone(ctypes.cast(libc.usleep, ctypes.c_void_p), top, 0x4111, ctypes.c_void_p(20000)) > 0
  os.wait()`;

/** It has children all the time that share its memory, and takes too much. */
const forksAllTheTime = `import os, threading, time
def fork():
  while True:
    if os.fork() == 0:
      time.sleep(0.6)
      os._exit(0)
    time.sleep(0.05)
held = [b"x" * (20 << 20)]
threading.Thread(target=fork, daemon=True).start()
time.sleep(0.2)
held.append(b"x" * (200 << 20))
time.sleep(60)`;

/** Its children take much for a moment, and never execute anything. */
const forksForAMoment = `import mmap, os, time
until = time.monotonic() + 8
while time.monotonic() < until:
  for _ in range(4):
    if os.fork() == 0:
      taken = mmap.mmap(-1, 80 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000)
      time.sleep(0.12)
      os._exit(0)
  for _ in range(4): os.wait()`;

/** A program of which one thread goes on after the first one has ended. */
const withoutFirstThread = (program: string) => `import ctypes, threading, time
def work():
  while ") Z " not in open("/proc/self/stat").read(): time.sleep(0.01)
  ${program}
  time.sleep(1000)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(${process.arch === "arm64" ? 93 : 60}, 0)`;

/** Its name looks like a line of the kernel's that says what memory it has. */
const namedLikeItsMemory = `import ctypes, time
ctypes.CDLL(None).prctl(15, b"\\rVmRSS:\\t0", 0, 0, 0)
held = b"x" * (100 << 20)
time.sleep(1000)`;

/**
 * Of its threads the first has ended, and so has the second, whose name looks like the state of one that lives; the program
 * that traces it does not wait for it. A third holds memory.
 */
const hiddenBehindEndedThread = `import ctypes, os, threading, time
libc = ctypes.CDLL(None)
tell, told = os.pipe()
trace, traced = os.pipe()
if os.fork() == 0:
  def end(name):
    libc.prctl(15, name, 0, 0, 0)
    os.write(told, threading.get_native_id().to_bytes(4, "little"))
    os.read(trace, 1)
  def hold():
    while ") Z " not in open("/proc/self/stat").read(): time.sleep(0.01)
    ended.join()
    held = b"x" * (100 << 20)
    time.sleep(1000)
  ended = threading.Thread(target=end, args=(b"a) R b",))
  ended.start()
  threading.Thread(target=hold).start()
  libc.syscall(${process.arch === "arm64" ? 93 : 60}, 0)
thread = int.from_bytes(os.read(tell, 4), "little")
assert libc.ptrace(0x4206, thread, None, None) == 0
os.write(traced, b"x")
time.sleep(1000)`;

describe.for(soakCases(ways))("limits, %s:", (way) => {
  test("the memory of a whole tree counts", async () => {
    const { run } = sandboxFor(way);
    const command = `${eat(90)} & ${eat(90)} & ${eat(90)} & wait`;
    const { end, runId } = await run({ command, limits: { memoryBytes: 250 * MB } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 250 * MB });
    expect(end.is === "memory" && end.usedBytes).toBeGreaterThan(250 * MB);
    expect(end.use.peakMemoryBytes).toBeGreaterThan(250 * MB);
    expect(livingOf(runId)).toEqual([]);
  });

  test("the memory of a process that left the tree and the session counts", async () => {
    const { run } = sandboxFor(way);
    const command = `(setsid sh -c "${eat(200).replaceAll('"', '\\"')}" >/dev/null 2>&1 &); sleep 1000`;
    const { end, runId } = await run({ command, limits: { memoryBytes: 150 * MB } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 150 * MB });
    expect(livingOf(runId)).toEqual([]);
  });

  test("a program within its limits is left alone, and its usage is reported", async () => {
    const { start } = sandboxFor(way);
    const command = `node -e 'globalThis.a = Buffer.alloc(50 * 2 ** 20, 1); console.log("full"); process.stdin.resume().on("end", () => process.exit(7))'`;
    const limits = { memoryBytes: 1_000 * MB, processes: 20, diskBytes: 10 * MB };
    let looks = 0;
    // Asked at each look.
    const isHeldUp = () => {
      looks += 1;
      return false;
    };
    const { child } = await start({ command, limits, stdin: "pipe", isHeldUp });
    child.stderr.resume();
    await once(child.stdout, "data");
    const before = looks;
    await until(() => looks > before + 1);
    child.stdin!.end();
    const end = await child.ended;
    expect(end).toMatchObject({ is: "exited", exitCode: 7 });
    expect(end.use.peakMemoryBytes).toBeGreaterThan(50 * MB);
    expect(end.use.cpuSeconds).toBeGreaterThan(0);
    expect(end.use.wallMs).toBeGreaterThan(0);
  });

  test("the memory of runs that belong together counts together, and so do their processes", {
    tags: "long",
  }, async () => {
    const { start } = sandboxFor(way);
    const together = new RunsTogether();
    const limits = { memoryBytes: 250 * MB };
    const first = await start({ command: eat(150), limits, together });
    await once(first.child.stdout, "data");
    const second = await start({ command: eat(150), limits, together });
    const ends = Promise.race([first.child.ended, second.child.ended]);
    expect(await ends).toMatchObject({ is: "memory", limitBytes: 250 * MB });
  });

  test("what many small processes share counts once", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const command = "i=0; while [ $i -lt 150 ]; do sleep 1000 & i=$((i+1)); done; sleep 0.6";
    const { end } = await run({ command, limits: { memoryBytes: 80 * MB } });
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
  });

  test("what processes shared counts for each of them as soon as they have it for themselves", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const limits = { memoryBytes: 100 * MB };
    const { end } = await run({ command: ["python3", "-c", copiesWhatItShared], limits });
    expect(end).toMatchObject({ is: "memory", limitBytes: 100 * MB });
  });

  test("a program is not taken for two while it starts another one, which has its memory until then", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const limits = { memoryBytes: 250 * MB };
    const { end, stderr } = await run({ command: ["python3", "-c", sharesMemoryWithChildren], limits });
    expect({ end, stderr }).toMatchObject({ end: { is: "exited", exitCode: 0 }, stderr: "" });
  });

  test("the memory of a program counts, though it always has a child that shares it", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const { end } = await run({ command: ["python3", "-c", forksAllTheTime], limits: { memoryBytes: 150 * MB } });
    expect(end).toMatchObject({ is: "memory" });
  });

  test("the memory of children counts that end before it is known whether they share it", async () => {
    const { run } = sandboxFor(way);
    const { end } = await run({ command: ["python3", "-c", forksForAMoment], limits: { memoryBytes: 150 * MB } });
    expect(end).toMatchObject({ is: "memory" });
  });

  test("memory that no process maps counts", async () => {
    const { run } = sandboxFor(way);
    const call = process.arch === "arm64" ? 279 : 319;
    const fill = `my $name = "x"; open(my $file, ">&=", syscall(${call}, $name, 0));
      syswrite($file, "x" x 1048576) for 1 .. 100; sleep 1000`;
    const { end } = await run({ command: ["perl", "-e", fill], limits: { memoryBytes: 80 * MB } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 80 * MB });
  });

  test.skipIf(way === "plain").for([
    ["files", "head -c 50000000 /dev/zero > /dev/shm/f; exec sleep 1000"],
    ["a file without a name", "exec 3> /dev/shm/f; rm /dev/shm/f; head -c 50000000 /dev/zero >&3; exec sleep 1000"],
    ["names", `exec perl -e 'for (1 .. 30000) { open(F, ">", "/dev/shm/$_") } sleep 1000'`],
  ] as const)("%s in /dev/shm count as memory", { tags: "long" }, async ([, command]) => {
    const { run } = sandboxFor(way);
    const { end } = await run({ command, limits: { memoryBytes: 40 * MB, wallMs: 60_000 } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 40 * MB });
  });

  test.skipIf(way === "plain")(
    "files without a name in /dev/shm are memory, and no disk",
    { tags: "long" },
    async () => {
      const { run } = sandboxFor(way);
      const command = "exec 3> /dev/shm/f; rm /dev/shm/f; head -c 50000000 /dev/zero >&3; exec sleep 2";
      const { end } = await run({ command, limits: { diskBytes: 40 * MB } });
      expect(end).toMatchObject({ is: "exited", exitCode: 0 });
    },
  );

  test.skipIf(way === "plain")(
    "memory that programs share through a file in /dev/shm counts once",
    { tags: "long" },
    async () => {
      const { run } = sandboxFor(way);
      const program = `import mmap, os, time
with open("/dev/shm/f", "wb+") as file:
  file.write(b"x" * (50 << 20))
  file.flush()
  shared = mmap.mmap(file.fileno(), 50 << 20)
for _ in range(3):
  if os.fork() == 0: break
for at in range(0, 50 << 20, 4096): shared[at]
time.sleep(1)`;
      const { end } = await run({ command: ["python3", "-c", program], limits: { memoryBytes: 120 * MB } });
      expect(end).toMatchObject({ is: "exited", exitCode: 0 });
    },
  );

  test("the tables by which the kernel finds a program's pages count", async () => {
    const { run } = sandboxFor(way);
    const program = `import mmap, time
reserved = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
for at in range(0, 64 << 30, 2 << 20): reserved[at]
time.sleep(1000)`;
    const { end } = await run({ command: ["python3", "-c", program], limits: { memoryBytes: 80 * MB } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 80 * MB });
  });

  test("the tables of a program that has reserved little, but far apart, count", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const program = `import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for number in range(1, 60_000):
  at = libc.mmap(number << 30, 4096, 1, 0x100022, -1, 0)
  if at != 2**64 - 1: ctypes.string_at(at, 1)
time.sleep(1000)`;
    const { end } = await run({ command: ["python3", "-c", program], limits: { memoryBytes: 80 * MB } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 80 * MB });
  });

  test.skipIf(process.getuid?.() !== 0)(
    "memory that is only mapped, or that a child has filled, counts",
    { tags: "long" },
    async () => {
      const { run } = sandboxFor(way);
      const closed = `import os, mmap, time
fd = os.memfd_create("x")
for i in range(100): os.write(fd, b"x" * 1048576)
kept = mmap.mmap(fd, 100 << 20)
os.closerange(3, 100)
time.sleep(1000)`;
      const ofChild = `import os, mmap, time
shared = mmap.mmap(-1, 100 << 20)
if os.fork() == 0:
  for i in range(100): shared.write(b"x" * 1048576)
  os._exit(0)
os.wait()
time.sleep(1000)`;
      for (const program of [closed, ofChild]) {
        const { end } = await run({ command: ["python3", "-c", program], limits: { memoryBytes: 80 * MB } });
        expect(end).toMatchObject({ is: "memory", limitBytes: 80 * MB });
      }
    },
  );

  test.skipIf(process.getuid?.() !== 0)("disk that only a mapping holds counts", async () => {
    const { run } = sandboxFor(way);
    const program = `import os, mmap, time
kept = []
for i in range(20):
  fd = os.open("part", os.O_RDWR | os.O_CREAT)
  os.write(fd, b"x" * (4 << 20))
  kept.append(mmap.mmap(fd, 4096))
  os.unlink("part")
  os.closerange(3, 100)
time.sleep(1000)`;
    const { end } = await run({ command: ["python3", "-c", program], limits: { diskBytes: 40 * MB } });
    expect(end).toMatchObject({ is: "disk", limit: 40 * MB });
  });

  test.skipIf(way === "plain")(
    "connections that nobody accepts are sockets in a network of its own",
    { tags: "long" },
    async () => {
      const { run } = sandboxFor(way);
      const command = ["python3", "-c", closesWhatNobodyAccepts];
      const { end } = await run({ command, network: "loopback", limits: { wallMs: 60_000 } });
      expect(end).toMatchObject({ is: "sockets", limit: 4_096 });
    },
  );

  test("many sockets are too many, whichever of its processes have them", async () => {
    const { run } = sandboxFor(way);
    const program = `import os, socket, time
for _ in range(9):
  if os.fork() == 0: break
held = [socket.socket() for _ in range(600)]
time.sleep(1000)`;
    const { end, runId } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "sockets", limit: 4_096 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("many terminals are too many: the machine has a number for all", async () => {
    const { run } = sandboxFor(way);
    const program = `import os, time
for _ in range(3):
  if os.fork() == 0: break
held = [os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) for _ in range(100)]
time.sleep(1000)`;
    const { end, runId } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "terminals", limit: 256 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("terminals whose makers have closed them count: the other ends keep them", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const program = `import os, time
held = []
for _ in range(300):
  made, other = os.openpty()
  held.append(other)
  os.close(made)
time.sleep(1000)`;
    const { end } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "terminals", limit: 256 });
  });

  test.skipIf(way === "plain")("terminals that are on their way through a socket count", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const program = `import array, os, socket, time
ways = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(30)]
for sender, _ in ways:
  made = [os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) for _ in range(10)]
  sender.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", made))])
  for one in made: os.close(one)
time.sleep(1000)`;
    const { end } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "terminals", limit: 256 });
  });

  test("many files that it waits for are too many: the kernel counts them by user, who may be the service's own", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const program = `import os, select, time
watched = [os.pipe()[0] for _ in range(400)]
held = [select.epoll() for _ in range(100)]
for one in held:
  for file in watched: one.register(file)
time.sleep(1000)`;
    const { end, runId } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "watches", limit: 32_768 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("many instances of inotify are too many: each keeps thousands of events that nobody reads", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const program = `import ctypes, os, time
libc = ctypes.CDLL(None)
for _ in range(3):
  if os.fork() == 0: break
held = [libc.inotify_init() for _ in range(20)]
time.sleep(1000)`;
    const { end, runId } = await run({ command: ["python3", "-c", program] });
    // How many of the 80 there are when it is looked is chance.
    expect(end).toMatchObject({ is: "notifiers", limit: 64 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("many open files are too many: the machine has a number for all, and each takes memory of the kernel", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const program = `import os, resource, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
each = min(most, 20000) - 50
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
for _ in range(140000 // each):
  if os.fork() == 0: break
held = [os.open("/dev/null", os.O_RDONLY) for _ in range(each)]
time.sleep(1000)`;
    const { end, runId } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "files", limit: 131_072 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("many mappings are too many: each takes memory of the kernel, and may hold a file that is closed", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const program = `import mmap, os, time
held = [mmap.mmap(-1, 4096) for _ in range(20000)]
for _ in range(30):
  if os.fork() == 0: break
time.sleep(1000)`;
    const { end, runId } = await run({ command: ["python3", "-c", program] });
    expect(end).toMatchObject({ is: "mappings", limit: 524_288 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("many children are too many", async () => {
    const { run } = sandboxFor(way);
    const command = "i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; wait";
    const { end, runId } = await run({ command, limits: { processes: 30 } });
    expect(end).toMatchObject({ is: "processes", limit: 30 });
    expect(end.is === "processes" && end.used).toBeGreaterThan(30);
    expect(livingOf(runId)).toEqual([]);
  });

  test("processes that have ended count until somebody waits for them", async () => {
    const { run } = sandboxFor(way);
    const command = ["perl", "-e", "for (1 .. 40) { fork or exit } sleep 1000"];
    const { end, runId } = await run({ command, limits: { processes: 30 } });
    expect(end).toMatchObject({ is: "processes", limit: 30 });
    expect(end.is === "processes" && end.used).toBeGreaterThan(30);
    expect(livingOf(runId)).toEqual([]);
  });

  test("processes that were waited for do not count", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const command = [
      "perl",
      "-e",
      "for (1 .. 200) { if (fork) { wait } else { exit } } select undef, undef, undef, 0.4",
    ];
    const { end } = await run({ command, limits: { processes: 30 } });
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
  });

  test("the memory of a process whose first thread has ended counts", async () => {
    const { run } = sandboxFor(way);
    const command = ["python3", "-c", withoutFirstThread('held = b"x" * (100 << 20)')];
    const { end, runId } = await run({ command, limits: { memoryBytes: 80 * MB } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 80 * MB });
    expect(livingOf(runId)).toEqual([]);
  });

  test.for([
    ["a process whose name is like the kernel's words", namedLikeItsMemory],
    ["a process of which only ended threads seem to live", hiddenBehindEndedThread],
  ] as const)("the memory of %s counts", async ([, program]) => {
    const { run } = sandboxFor(way);
    const command = ["python3", "-c", program];
    const { end } = await run({ command, limits: { memoryBytes: 80 * MB, wallMs: 10_000 } });
    expect(end).toMatchObject({ is: "memory", limitBytes: 80 * MB });
  });

  test("a process whose first thread has ended is ended with the others", async () => {
    const { start, folder } = sandboxFor(way);
    writeFileSync(join(folder, "left.py"), withoutFirstThread(""));
    const command = "python3 left.py >/dev/null 2>&1 & read line";
    const { child, runId } = await start({ command, stdin: "pipe" });
    await until(() => livingOf(runId).some((pid) => (readStat(pid)?.thread ?? pid) !== pid));
    child.stdin!.end("\n");
    expect(await child.ended).toMatchObject({ is: "exited", exitCode: 0 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("threads count as well", async () => {
    const { run } = sandboxFor(way);
    const command = startThreads("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
    expect((await run({ command, limits: { processes: 2 } })).end).toMatchObject({ is: "processes", limit: 2 });
  });

  test("memory that threads only reserve does not count", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const command = startThreads("");
    const { end } = await run({ command, limits: { memoryBytes: 1_000 * MB } });
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
  });

  test("a fork bomb is contained", async () => {
    const { run, folder } = sandboxFor(way);
    // Its own end after seven doublings, should nobody stop it.
    writeFileSync(
      join(folder, "bomb.sh"),
      'if [ "$1" -gt 7 ]; then exec sleep 1000; fi\nsetsid sh bomb.sh $(($1 + 1)) &\nsh bomb.sh $(($1 + 1)) &\nwait\n',
    );
    const { end, runId } = await run({ command: "sh bomb.sh 0", limits: { processes: 40 } });
    expect(end).toMatchObject({ is: "processes", limit: 40 });
    expect(livingOf(runId)).toEqual([]);
  });

  test.skipIf(way === "plain" || availableParallelism() === 1)(
    "a fork bomb whose processes wait for a core, so that their memory cannot be read, is ended",
    // Until it is, whatever else runs on the machine waits, too.
    { tags: "long" },
    async () => {
      const { run } = sandboxFor(way);
      const command = ["perl", "-MPOSIX", "-e", "for (;;) { fork; POSIX::setsid() }"];
      const limits = { processes: 512, cpuCores: 1, memoryBytes: 200 * MB };
      const { end, runId } = await run({ command, limits });
      expect(["processes", "memory"]).toContain(end.is);
      expect(livingOf(runId)).toEqual([]);
    },
  );

  test.skipIf(way === "plain")("the kernel holds a fork bomb up before the watch looks", async () => {
    const { run } = sandboxFor(way);
    const command = ["sed", "-n", "s/^Max processes *//p", "/proc/self/limits"];
    const bounds = [];
    for (const processes of [512, 64, 8, 2])
      bounds.push(Number.parseInt((await run({ command, limits: { processes } })).stdout, 10));
    expect(bounds).toEqual([2_048, 1_024, 128, 64]);
  });

  test("a program that fills the folder is ended", async () => {
    const { run } = sandboxFor(way);
    const command = "i=0; while [ $i -lt 300 ]; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done; sleep 1000";
    const { end, runId } = await run({ command, limits: { diskBytes: 20 * MB } });
    expect(end).toMatchObject({ is: "disk", limit: 20 * MB });
    expect(end.is === "disk" && end.used).toBeGreaterThan(20 * MB);
    expect(livingOf(runId)).toEqual([]);
  });

  test("a file that was deleted counts while it is open", async () => {
    const { run } = sandboxFor(way);
    const command = "exec 3>f; rm f; head -c 30000000 /dev/zero >&3; sleep 1000";
    expect((await run({ command, limits: { diskBytes: 20 * MB } })).end).toMatchObject({ is: "disk", limit: 20 * MB });
  });

  test("a file that was deleted counts while it is open, also in folders too deep for a path", async () => {
    const { run } = sandboxFor(way);
    const program = `import os, time
for _ in range(20):
  os.mkdir("d" * 250)
  os.chdir("d" * 250)
file = open("f", "wb")
os.unlink("f")
os.chdir("/")
for _ in range(60): file.write(bytes(1 << 20))
file.flush()
time.sleep(1000)`;
    const { end } = await run({ command: ["python3", "-c", program], limits: { diskBytes: 50 * MB, wallMs: 30_000 } });
    expect(end).toMatchObject({ is: "disk", limit: 50 * MB });
  });

  test("a file in folders too deep for a path counts", { tags: "long" }, async () => {
    const { run } = sandboxFor(way);
    const dive = `const name = "d".repeat(200); process.chdir(process.env.HOME);
      for (let depth = 0; depth < 30; depth += 1) { fs.mkdirSync(name); process.chdir(name); }
      fs.writeFileSync("f", Buffer.alloc(30_000_000))`;
    const { end, stderr } = await run({ command: ["node", "-e", dive], limits: { diskBytes: 20 * MB } });
    expect(stderr).toBe("");
    expect(end).toMatchObject({ is: "disk", limit: 20 * MB });
  });

  test("what it adds to a folder that it shares counts, but not what was there", { tags: "long" }, async () => {
    const { run, place } = sandboxFor(way);
    const cache = join(place, "cache");
    mkdirSync(cache);
    writeFileSync(join(cache, "before"), Buffer.alloc(30_000_000));
    const shared = { writable: [cache], limits: { diskBytes: 20 * MB } };
    expect((await run({ command: "sleep 0.5", ...shared })).end).toMatchObject({ is: "exited", exitCode: 0 });
    const fill = `sleep 0.5; head -c 30000000 /dev/zero > ${cache}/more; sleep 1000`;
    expect((await run({ command: fill, ...shared })).end).toMatchObject({ is: "disk", limit: 20 * MB });
  });

  test("what it adds to a folder that it shares counts, be it ever so quick", async () => {
    const { run, place } = sandboxFor(way);
    const cache = join(place, "cache");
    mkdirSync(cache);
    const command = `head -c 5000000 /dev/zero > ${cache}/f`;
    const { end } = await run({ command, writable: [cache], limits: { diskBytes: 4 * MB } });
    expect(end).toMatchObject({ is: "disk", limit: 4 * MB });
  });

  test("what the runs of an account keep counts as one, whichever of them has written it", async () => {
    const { run, place } = sandboxFor(way);
    const data = join(place, "kept");
    mkdirSync(data);
    const kept = { account: { name: "dep_1", folders: [data] }, limits: { diskBytes: 20 * MB } };
    const add = (name: string) => run({ command: `head -c 15000000 /dev/zero > ${data}/${name}`, ...kept });
    expect((await add("one")).end).toMatchObject({ is: "exited", exitCode: 0 });
    expect((await add("two")).end).toMatchObject({ is: "disk", limit: 20 * MB });
  });

  test.for(["$TMPDIR", "$HOME"])("what is put into %s counts as well, be it ever so quick", async (where) => {
    const { run } = sandboxFor(way);
    const { end } = await run({
      command: `head -c 5000000 /dev/zero > "${where}/f"`,
      limits: { diskBytes: 4 * MB },
    });
    expect(end).toMatchObject({ is: "disk", limit: 4 * MB });
  });

  test("a program that writes faster than it may waits until it is read", async () => {
    const { run } = sandboxFor(way);
    const limits = { outputBytesPerSecond: 1 * MB };
    const { stdout, end } = await run({ command: `head -c ${3 * MB} /dev/zero`, limits });
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
    expect(stdout.length).toBe(3 * MB);
    // The first second's worth comes at once, and the pipe holds a little.
    expect(end.use.wallMs).toBeGreaterThan(1_000);
  });

  test("a program that prints a gigabyte is stopped at the limit", async () => {
    const { run } = sandboxFor(way);
    const { stdout, end } = await run({ command: "head -c 1000000000 /dev/zero", limits: { outputBytes: 1 * MB } });
    expect(end).toMatchObject({ is: "output", limit: 1 * MB });
    expect(stdout.length).toBe(1 * MB);
  });

  test("output beyond the limit can be dropped instead", async () => {
    const { run } = sandboxFor(way);
    const { stdout, end } = await run({
      ...{ command: "head -c 50000000 /dev/zero; exit 3", onOutputLimit: "drop" },
      limits: { outputBytes: 1000 },
    });
    expect(end).toMatchObject({ is: "exited", exitCode: 3 });
    expect(stdout.replaceAll("\0", "")).toBe("…\n[output beyond 1000 bytes was dropped]\n");
    expect(stdout.length).toBeLessThan(1100);
  });

  test("a program whose output nobody reads blocks, and does not count as idle", { tags: "long" }, async () => {
    const { start } = sandboxFor(way);
    const { child } = await start({ command: "yes", limits: { idleMs: 300, wallMs: 1_500 }, graceMs: 0 });
    expect(await child.ended).toMatchObject({ is: "timeout" });
    expect(child.stdout.readableLength).toBeLessThan(MB);
  });

  test("time is limited", async () => {
    const { run } = sandboxFor(way);
    const { end, runId } = await run({ command: "sleep 1000", limits: { wallMs: 200 } });
    expect(end).toMatchObject({ is: "timeout" });
    expect(livingOf(runId)).toEqual([]);
  });

  test("a program that neither writes nor uses the CPU has stalled", async () => {
    const { run } = sandboxFor(way);
    const { end } = await run({ command: "echo a; sleep 1000", limits: { idleMs: 400 } });
    expect(end).toMatchObject({ is: "stalled" });
  });

  test("a program that computes in silence has not stalled", async () => {
    const { run } = sandboxFor(way);
    const command = "node -e 'for (const end = Date.now() + 2000; Date.now() < end; );'";
    const { end } = await run({ command, limits: { idleMs: 1_500 } });
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
  });

  test.skipIf(way === "plain")(
    "the work of processes whose parents have ended is no silence",
    { tags: "long" },
    async () => {
      const { run } = sandboxFor(way);
      const { end } = await run({ command: ["python3", "-c", leavesJobs], limits: { memoryBytes: 150 * MB } });
      expect(end).toMatchObject({ is: "memory" });
      expect(end.use.cpuSeconds).toBeGreaterThan(0.8);
    },
  );

  test("cores are limited", async () => {
    const { run } = sandboxFor(way);
    const command = ["node", "-p", "os.availableParallelism()"];
    expect((await run({ command, limits: { cpuCores: 1 } })).stdout).toBe("1\n");
  });

  test.skipIf(way === "plain")("a program cannot give itself more cores", async () => {
    const { run } = sandboxFor(way);
    const command = `taskset -pc 0-${availableParallelism() - 1} $$; nproc`;
    const { stdout, stderr } = await run({ command, limits: { cpuCores: 1 } });
    expect(stdout.endsWith("\n1\n")).toBe(true);
    expect(stderr).toContain("Operation not permitted");
  });

  test("a cancelled program may clean up", async () => {
    const { start } = sandboxFor(way);
    const { child } = await start({
      command: "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done",
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
    await until(() => output.includes("ready"));
    await child.kill();
    expect(await child.ended).toMatchObject({ is: "cancelled" });
    await until(() => output.includes("bye"));
  });

  test("a program that ignores SIGTERM is killed all the same", async () => {
    const { start } = sandboxFor(way);
    const { child, runId } = await start({
      command: "trap '' TERM HUP INT; echo ready; while :; do sleep 0.05; done",
      graceMs: 100,
    });
    const ready = new Promise((resolve) => child.stdout.once("data", resolve));
    await ready;
    await child.kill();
    expect(await child.ended).toMatchObject({ is: "cancelled" });
    expect(livingOf(runId)).toEqual([]);
  });

  test("a signal cancels, before the start and after it", async () => {
    const { start, run } = sandboxFor(way);
    await expect(run({ command: "true", signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
    const controller = new AbortController();
    const { child } = await start({ command: "sleep 1000", signal: controller.signal });
    controller.abort();
    expect(await child.ended).toMatchObject({ is: "cancelled" });
  });

  test("daemons end with the program that started them", async () => {
    const { run, folder } = sandboxFor(way);
    const daemon = `trap "" TERM HUP; echo up > ${folder}/up; exec sleep 1000`;
    const command = `(setsid sh -c '${daemon}' </dev/null >/dev/null 2>&1 &); while [ ! -e up ]; do sleep 0.01; done`;
    const { end, runId } = await run({ command });
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
    expect(livingOf(runId)).toEqual([]);
  });

  test("a daemon that has dropped its environment is found by its session or its parent", {
    tags: "long",
  }, async () => {
    const { run } = sandboxFor(way);
    const command = "env -i sleep 98765 >/dev/null 2>&1 & env -i setsid sleep 98765 >/dev/null 2>&1 & sleep 0.6";
    await run({ command });
    const { stdout } = await sandboxFor("plain").run({ command: "ps ax -o args | grep '[s]leep 98765'" });
    expect(stdout).toBe("");
  });

  test("what it reads, what it writes and how it ends come through", async () => {
    const { start } = sandboxFor(way);
    const { child } = await start({
      command: ["sh", "-c", 'read a; echo "$a, $1"; echo oh >&2; exit 5', "sh", "it's"],
      stdin: "pipe",
    });
    child.stdin!.end("hello\n");
    const [stdout, stderr, end] = await Promise.all([child.stdout.toArray(), child.stderr.toArray(), child.ended]);
    expect(Buffer.concat(stdout).toString()).toBe("hello, it's\n");
    expect(Buffer.concat(stderr).toString()).toBe("oh\n");
    expect(end).toMatchObject({ is: "exited", exitCode: 5 });
  });

  test("a program without a folder has an empty one of its own, gone afterwards", async () => {
    const { sandbox } = sandboxFor(way);
    const options = { runId: `test-${process.pid}-${way}`, command: "ls -A; touch x; pwd", limits: ampleLimits };
    const child = await sandbox.startProcess(options);
    const [stdout, end] = await Promise.all([text(child.stdout), child.ended]);
    expect(end).toMatchObject({ is: "exited", exitCode: 0 });
    expect(stdout).toMatch(/^\/\S+\n$/);
    expect(existsSync(stdout.trim())).toBe(false);
  });

  test("the service's environment is not passed on", async () => {
    const { run } = sandboxFor(way);
    process.env["SLIPWAY_TEST_SECRET"] = "swordfish";
    const { stdout } = await run({ command: "env", env: { GIVEN: "it's\n$HOME" } });
    delete process.env["SLIPWAY_TEST_SECRET"];
    expect(stdout).not.toContain("swordfish");
    expect(stdout).toContain("GIVEN=it's\n$HOME\n");
    const ofShells = ["PWD", "USER", "SHLVL", "_", "GIT_CEILING_DIRECTORIES"];
    const names = stdout.match(/^[A-Z_]+(?==)/gm)!.filter((name) => !ofShells.includes(name));
    expect(names.sort()).toEqual(["GIVEN", "HOME", "LANG", "PATH", "SLIPWAY_HOME", "SLIPWAY_RUN", "TMPDIR"]);
  });

  test("an environment that could be mistaken for commands is refused", async () => {
    const { run } = sandboxFor(way);
    await expect(run({ command: "env", env: { "A=1; rm -rf /; B": "" } })).rejects.toThrow("is not a valid name");
  });
});
