import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildImage } from "../../../src/deployment/containers/build-image.ts";
import { ContainerStarter } from "../../../src/deployment/containers/container-starter.ts";
import { askEngine } from "../../../src/deployment/containers/find-engine.ts";
import { installationOf } from "../../../src/deployment/containers/own-labels.ts";
import { endLeftBuilds, sweepContainers } from "../../../src/deployment/containers/remove-containers.ts";
import { runContainer } from "../../../src/deployment/containers/run-container.ts";
import { descendantsOf, thisOwner } from "../../../src/platform/sandbox/index.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { TemporaryFolders } from "../../../src/platform/temporary-folders.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { openEngine } from "../../support/containers/engine.ts";
import { cannotFillDisk, fillDisk, smallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

const opened = openEngine();
const isRoot = process.getuid?.() === 0;

/** A program that runs another one so many times, and stays. */
const times = (count: number, program: string) =>
  `const program = ${JSON.stringify(`${program}; setInterval(() => {}, 9e5)`)};
  for (let n = 0; n < ${count}; n++) child_process.spawn(process.execPath, ["-e", program]); setInterval(() => {}, 9e5)`;

/** Each has two mappings and takes ten gigabytes of addresses: no process has room for more than 13,000. */
const memories = "Array.from({ length: 1e4 }, () => new WebAssembly.Memory({ initial: 1 }))";

/** Programs that take too many of what the machine has for all, or, the last, memory of the kernel: that takes long to see. */
const greedy = [
  ["terminals", 256, times(3, `for (let n = 0; n < 100; n++) fs.openSync("/dev/ptmx", fs.constants.O_RDWR | 256)`)],
  ["files", 131_072, times(8, `for (let n = 0; n < 19e3; n++) fs.openSync("/dev/null")`)],
  ["mappings", 524_288, times(30, `held = ${memories}`)],
] as const;

describe.skipIf("missing" in opened || !isRoot)("limits of containers and their builds", async () => {
  if ("missing" in opened) return;
  const { settings, baseImage, call } = opened;
  const answer = await askEngine(settings.engine!);
  if ("missing" in answer) throw new Error(answer.missing);
  const engine = answer;
  const account = { uid: 60_700, gid: 60_700, release: () => undefined };
  const labels = { "slipway.installation": "limits" };
  const temporary = new TemporaryFolders({ dataFolder: join(tmpdir(), "slipway-limits") });

  function makeFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "slipway-limits-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chownSync(folder, account.uid, account.gid);
    return folder;
  }

  async function endOf(program: string, diskBytes: number) {
    return endOfCommand(["node", "-e", program], { diskBytes });
  }

  async function endOfCommand(command: readonly string[], limits: Partial<typeof ampleLimits>) {
    const name = `slipway-${randomUUID()}`;
    const plan = { engine: engine.command, image: baseImage, startsItself: false };
    const started = await runContainer(
      { engine, plan, name, labels, account, dataFolder: makeFolder(), temporary },
      { command, network: "all", limits: { ...ampleLimits, ...limits } },
    );
    started.stdout.resume();
    started.stderr.resume();
    return started.ended;
  }

  test("a build that is cancelled leaves no process and no container, whatever signals it ignores", async () => {
    const marker = randomUUID();
    const cancelling = new AbortController();
    const program = `for (const one of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(one, () => {}); setInterval(() => {}, 9e5); console.log("up-and-running")`;
    const building = buildImage(
      { engine, temporary },
      {
        ...{ folder: makeFolder(), tag: `localhost/slipway-tests/${marker}`, labels, account, limitMs: 60_000 },
        containerfile: `FROM ${baseImage}\nRUN node -e '${program.replace("-and-", `-${marker}-and-`)}'\n`,
        ...{ limits: ampleLimits, signal: cancelling.signal },
        masker: new Masker([]),
        onOutput: (text) => {
          if (/^up-/m.test(text)) cancelling.abort();
        },
      },
    );
    await expect(building).rejects.toThrow("abort");
    const commands = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(marker));
    expect(commands).toEqual([]);
    if (engine.kind === "podman") expect(call("ps", "--all", "--external", "--quiet")).toBe("");
  });

  /** What a build of a step comes to, and what it printed. */
  async function buildStep(program: string, limits: Partial<typeof ampleLimits>) {
    let printed = "";
    const built = await buildImage(
      { engine, temporary },
      {
        ...{ folder: makeFolder(), tag: `localhost/slipway-tests/${randomUUID()}`, labels, account, limitMs: 120_000 },
        containerfile: `FROM ${baseImage}\nRUN node -e '${program.replaceAll("\n", " ")}'\n`,
        ...{ limits: { ...ampleLimits, ...limits }, signal: new AbortController().signal },
        masker: new Masker([]),
        onOutput: (text) => {
          printed += text;
        },
      },
    );
    return { built, printed };
  }

  test("a build that prints without end is ended, and what it prints is bounded", { tags: "long" }, async () => {
    const { built, printed } = await buildStep(
      `const more = () => process.stdout.write("y".repeat(65535) + "\\n", more); more()`,
      {},
    );
    expect(built).toEqual({ failure: expect.stringContaining("The build printed more than 16MB") });
    expect(printed.length).toBeLessThanOrEqual(16 << 20);
    if (engine.kind === "podman") expect(call("ps", "--all", "--external", "--quiet")).toBe("");
  });

  test.skipIf(cannotFillDisk !== undefined)(
    "a build that sees the last of its disk go is ended",
    { tags: "long" },
    async () => {
      const storage = smallDisk("16m");
      const built = await buildImage(
        { engine: { ...engine, storage }, temporary },
        {
          ...{
            folder: makeFolder(),
            tag: `localhost/slipway-tests/${randomUUID()}`,
            labels,
            account,
            limitMs: 120_000,
          },
          containerfile: `FROM ${baseImage}\nRUN node -e 'console.log("up"); setInterval(() => {}, 9e5)'\n`,
          ...{ limits: ampleLimits, signal: new AbortController().signal },
          masker: new Masker([]),
          onOutput: (text) => {
            if (/^up$/m.test(text)) fillDisk(storage);
          },
        },
      );
      expect(built).toEqual({ failure: expect.stringMatching(/the disk is nearly full. The build took 1\dMB of it/) });
      if (engine.kind === "podman") expect(call("ps", "--all", "--external", "--quiet")).toBe("");
    },
  );

  test.skipIf(engine.kind === "docker")(
    "a build starts no more processes than other programs",
    { tags: "long" },
    async () => {
      const idle = "setInterval(() => {}, 9e5)";
      const program = `for (let n = 0; n < 14; n++) child_process.spawn(process.execPath, ["-e", "${idle}"]); ${idle}`;
      const { built } = await buildStep(program, { processes: 12 });
      expect(built).toEqual({ failure: expect.stringMatching(/The build started \d+ processes, limit was 12/) });
      expect(call("ps", "--all", "--external", "--quiet")).toBe("");
    },
  );

  test("a build has the limits that its engine can set", async () => {
    const program = `console.log(fs.readFileSync("/proc/self/limits", "utf8"));
      for (const place of ["cpu.max", "memory.max", "cpu/cpu.cfs_quota_us", "memory/memory.limit_in_bytes"])
        try { console.log(place, fs.readFileSync("/sys/fs/cgroup/" + place, "utf8")) } catch {}`;
    const { built, printed } = await buildStep(program, { processes: 100, cpuCores: 1, memoryBytes: 2 ** 30 });
    expect(built).toEqual({ id: expect.any(String) });
    expect(printed).toMatch(/Max processes +1600 +1600/);
    if (engine.kind === "docker") return;
    expect(printed).toMatch(/^memory\S+ 1073741824$/m);
    if (engine.limitsCpus) expect(printed).toMatch(/^cpu\S+ 100000\b/m);
  });

  const leak = "for (held = [];; ) held.push(Buffer.alloc(2 ** 20, 1))";

  test.skipIf(engine.kind === "docker")("a build of which a step takes too much memory says so", async () => {
    const { built } = await buildStep(leak, { memoryBytes: 2 ** 27 });
    expect(built).toEqual({
      failure: expect.stringContaining("memory limit exceeded. The build used 128MB, limit was 128MB."),
    });
    expect(call("ps", "--all", "--external", "--quiet")).toBe("");
  });

  test("a container whose shell ends after a program that took too much memory says so", {
    tags: "long",
  }, async () => {
    // The engine is asked where the container is after half a second, and what happened there is known while it is there.
    const slowly = "setInterval(() => (globalThis.held ??= []).push(Buffer.alloc(4 << 20, 1)), 50)";
    const command = ["/bin/sh", "-c", `node -e '${slowly}'; node -e 'setTimeout(() => {}, 1e3)'; exit 1`];
    const limitBytes = 2 ** 28;
    expect(await endOfCommand(command, { memoryBytes: limitBytes })).toMatchObject({ is: "memory", limitBytes });
  });

  test.skipIf(engine.kind === "docker")(
    "a build may not unpack what takes the engine too much memory",
    { tags: "long" },
    async () => {
      const folder = makeFolder();
      writeFileSync(join(folder, "f.tar.xz"), greedyArchive());
      const built = await buildImage(
        { engine, temporary },
        {
          ...{ folder, tag: "localhost/slipway-tests/unpacked", labels, account, limitMs: 120_000 },
          ...{ limits: { ...ampleLimits, memoryBytes: 2 ** 28 }, signal: new AbortController().signal },
          ...{ containerfile: `FROM ${baseImage}\nADD f.tar.xz /x/\n`, onOutput: () => undefined },
          masker: new Masker([]),
        },
      );
      expect(built).toEqual({ failure: expect.stringMatching(/The build used \d+MB, limit was 512MB/) });
      expect(call("ps", "--all", "--external", "--quiet")).toBe("");
    },
  );

  async function expectBuildToEnd([is, limit, program]: (typeof greedy)[number]) {
    const { built } = await buildStep(program, {});
    const words = {
      files: /had \d+ files open/,
      terminals: /had \d+ pseudo terminals open/,
      mappings: /had more than/,
    };
    expect(built).toEqual({ failure: expect.stringMatching(words[is]) });
    expect(built).toEqual({ failure: expect.stringContaining(String(limit)) });
    expect(call("ps", "--all", "--external", "--quiet")).toBe("");
  }

  const testBuilds = test.skipIf(engine.kind === "docker");
  testBuilds.for(greedy)("a build has no more %s than other programs", { tags: "long" }, expectBuildToEnd);

  test("a build that is cancelled while it copies files leaves no container", { tags: "long" }, async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "large"), Buffer.alloc(64 << 20));
    const cancelling = new AbortController();
    const building = buildImage(
      { engine, temporary },
      {
        ...{ folder, tag: "localhost/slipway-tests/copied", labels, account, limitMs: 60_000, limits: ampleLimits },
        ...{ containerfile: `FROM ${baseImage}\nCOPY large /one\nCOPY large /two\n`, signal: cancelling.signal },
        masker: new Masker([]),
        onOutput: (text) => {
          if (text.includes("COPY")) cancelling.abort();
        },
      },
    );
    await expect(building).rejects.toThrow("abort");
    if (engine.kind === "podman") expect(call("ps", "--all", "--external", "--quiet")).toBe("");
  });

  test("a build that a killed service left is ended when the version is built again", { tags: "long" }, async () => {
    const folder = makeFolder();
    const own = { installation: randomUUID(), release: "rel_left" };
    writeFileSync(join(folder, "Containerfile"), `FROM ${baseImage}\nRUN node -e 'setInterval(() => {}, 9e5)'\n`);
    const [program, ...before] = engine.command;
    const given = Object.entries(own).flatMap(([name, value]) => ["--label", `slipway.${name}=${value}`]);
    const build = spawn(program, [...before, "build", ...given, folder], { detached: true, stdio: "ignore" });
    const ended = once(build, "exit");
    const runs = () => descendantsOf(build.pid!).some(({ session }) => session !== build.pid);
    await until(async () => runs() || undefined);
    await endLeftBuilds({ ...own, release: "rel_other" });
    expect(runs()).toBe(true);
    await endLeftBuilds(own);
    expect(await ended).not.toEqual([0, null]);
    if (engine.kind === "podman") expect(call("ps", "--all", "--external", "--quiet")).toBe("");
  });

  test("a build and a container bear the name of who started them, and no image does", { tags: "long" }, async () => {
    const installation = randomUUID();
    const asked: string[] = [];
    const isNeededBy = (owner: string) => asked.push(owner) > 0;
    const cancelling = new AbortController();
    const build = (step: string, onOutput: (text: string) => void) =>
      buildImage(
        { engine, temporary },
        {
          ...{ folder: makeFolder(), tag: `localhost/slipway-tests/${randomUUID()}`, account, limitMs: 120_000 },
          ...{
            containerfile: `FROM ${baseImage}\nRUN node -e '${step}'\n`,
            limits: ampleLimits,
            onOutput,
            masker: new Masker([]),
          },
          ...{ labels: { "slipway.installation": installation }, signal: cancelling.signal },
        },
      );
    let printed = "";
    const built = await build("console.log(process.env)", (text) => {
      printed += text;
    });
    expect(printed).not.toContain(thisOwner());
    expect(call("image", "inspect", "id" in built ? built.id : "")).not.toContain(thisOwner());

    const building = build(`console.log("up" + 1); setInterval(() => {}, 9e5)`, (text) => {
      if (text.includes("up1")) void endLeftBuilds({ installation, isNeededBy }).finally(() => cancelling.abort());
    });
    await expect(building).rejects.toThrow("abort");
    expect(asked).toEqual([thisOwner()]);

    const folder = makeFolder();
    const sandbox = { temporary, holdAccount: async () => account };
    const starter = new ContainerStarter({ sandbox, dataFolder: folder, part: "scripts" });
    const commands = starter.of({ engine: engine.command, image: baseImage, startsItself: false }, "rel_1");
    const own = { name: "dep_1", folders: [folder] };
    const running = commands.startCommand(
      { command: "echo up > /data/up; exec node -e 'setInterval(() => {}, 9e5)'", folder, env: {}, account: own },
      ampleLimits,
    );
    await until(() => existsSync(join(folder, "up")));
    const left = { installation: installationOf(folder) };
    await sweepContainers(engine, "scripts", { ...left, isNeededBy });
    expect(asked.at(-1)).toMatch(new RegExp(`-${thisOwner()}$`));
    expect(running.isOver).toBe(false);
    await sweepContainers(engine, "scripts", left);
    expect(await running.ended).not.toMatchObject({ exitCode: 0 });
  });

  test("files that are deleted and open count as disk of a container", { tags: "long" }, async () => {
    const program = `const fs = require("fs"); const file = fs.openSync("/data/x", "w"); fs.unlinkSync("/data/x");
      fs.writeSync(file, Buffer.alloc(40 << 20)); setInterval(() => {}, 9e5);`;
    expect(await endOf(program, 20 * 2 ** 20)).toMatchObject({ is: "disk", limit: 20 * 2 ** 20 });
  });

  const expectToEnd = async ([is, limit, program]: (typeof greedy)[number]) =>
    expect(await endOf(program, 2 ** 30)).toMatchObject({ is, limit });
  test.for(greedy)("a container has no more %s than other programs", { tags: "long" }, expectToEnd);

  test("a container has no more sockets than other programs: it shares the machine's ports", {
    tags: "long",
  }, async () => {
    const program = `const { createServer } = require("net"); let left = 4200;
      const more = () => left-- > 0 && createServer().listen(0, "127.0.0.1", more); more(); setInterval(() => {}, 9e5);`;
    expect(await endOf(program, 2 ** 30)).toMatchObject({ is: "sockets", limit: 4096 });
  });

  test("a container waits for no more files than other programs: under rootless engines it has the service's own", {
    tags: "long",
  }, async () => {
    // Each thread waits for the same files.
    const waits = `const { workerData } = require("worker_threads"); setInterval(() => {}, 9e5);
      for (const fd of workerData) new (require("net").Socket)({ fd }).resume();`;
    const starts = `const { Worker } = require("worker_threads"); const { O_RDWR, O_NONBLOCK } = fs.constants;
      const workerData = Array.from({ length: 900 }, () => fs.openSync("/proc/self/fd/0", O_RDWR | O_NONBLOCK));
      for (let n = 0; n < 40; n++) new Worker(${JSON.stringify(waits)}, { eval: true, workerData })`;
    const program = `require("child_process").execFileSync("/bin/sh", ["-c", 'echo | node -e "$1"', "sh", ${JSON.stringify(starts)}])`;
    expect(await endOf(program, 2 ** 30)).toMatchObject({ is: "watches", limit: 32_768 });
  });
});

/** Some kilobytes that unpack to a gigabyte, all of which whoever unpacks it is to remember. */
function greedyArchive(): Buffer {
  const program = `import lzma, tarfile, sys, struct, zlib
filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 20}]
packer = lzma.LZMACompressor(check=lzma.CHECK_CRC32, filters=filters)
entry = tarfile.TarInfo("z")
entry.size = 1 << 30
packed = bytearray(packer.compress(entry.tobuf()))
for _ in range(1 << 10): packed += packer.compress(bytes(1 << 20))
packed += packer.compress(bytes(10240)) + packer.flush()
header = packed[12:12 + 4 * (packed[12] + 1)]
header[4] = 36
header[-4:] = struct.pack("<I", zlib.crc32(bytes(header[:-4])))
packed[12:12 + len(header)] = header
sys.stdout.buffer.write(packed)`;
  return spawnSync("python3", ["-c", program], { maxBuffer: 1 << 30 }).stdout;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
