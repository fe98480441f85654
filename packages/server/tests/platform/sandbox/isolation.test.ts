// @module-tag soak

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { Network } from "../../../src/platform/sandbox/index.ts";
import { forbidMetadata, nameServersIn } from "../../../src/platform/sandbox/metadata-addresses.ts";
import { livingOf, noBubblewrap, sandboxFor } from "../../support/sandboxes.ts";

const isRoot = process.geteuid?.() === 0;

describe.skipIf(noBubblewrap !== undefined)(`a contained program${noBubblewrap ? ` (${noBubblewrap})` : ""}`, () => {
  test("cannot read the data folder, the master key, or another worktree", async () => {
    const { run, place, dataFolder } = sandboxFor("bubblewrap");
    const other = join(place, "other-worktree");
    const hidden = [join(dataFolder, "master-key"), join(dataFolder, "admin-token"), join(other, "main.ts")];
    for (const folder of [dataFolder, other]) mkdirSync(folder);
    // As open as can be: nothing but the walls keeps it out.
    for (const path of hidden) writeFileSync(path, "swordfish", { mode: 0o666 });
    for (const path of [...hidden, dataFolder, other]) {
      const { stdout, stderr, end } = await run({ command: `cat '${path}'; ls '${path}'` });
      expect(stdout).toBe("");
      expect(stderr).toContain("No such file or directory");
      expect(end).not.toMatchObject({ exitCode: 0 });
    }
  });

  test("cannot read the data folder where it lies in what is shown", async () => {
    const { run, dataFolder, place } = sandboxFor("bubblewrap");
    chmodSync(place, 0o755);
    mkdirSync(join(dataFolder, "worktree"), { recursive: true });
    writeFileSync(join(dataFolder, "master-key"), "swordfish", { mode: 0o666 });
    const folder = join(dataFolder, "worktree");
    const command = `ls ${dataFolder}; cat ${dataFolder}/master-key; touch here ${dataFolder}/x`;
    const { stdout, stderr } = await run({ command, folder, readable: [place] });
    expect(stdout).toBe("worktree\n");
    expect(stderr).toMatch(/master-key: No such file.*\n.*Read-only file system/);
    expect(existsSync(join(folder, "here"))).toBe(true);
  });

  test("cannot reach a socket outside its folder, whatever its network", async () => {
    const { run, place } = sandboxFor("bubblewrap");
    const path = join(place, "database.sock");
    const server = createServer((socket) => socket.end("swordfish")).listen(path);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    chmodSync(path, 0o777);
    for (const network of ["all", "loopback"] as const) {
      expect((await run({ command: dial(`{ path: ${JSON.stringify(path)} }`), network })).stdout).toBe("ENOENT\n");
    }
  });

  test("sees no process but its own, nor the service's environment", async () => {
    const { run } = sandboxFor("bubblewrap");
    const command = `cat /proc/${process.pid}/environ /proc/1/environ; kill -0 ${process.pid}; ls /proc | grep -c '^[0-9]'`;
    const { stdout, stderr } = await run({ command });
    expect(Number(stdout)).toBeLessThan(10);
    expect(stderr).toContain(`/proc/${process.pid}/environ: No such file`);
    expect(stderr).toContain(isRoot ? "/proc/1/environ: Permission denied" : "");
    expect(stderr).toMatch(/No such process/);
  });

  test.skipIf(!isRoot).for(["all", "loopback", "none"] as const)(
    "has no more of System V's objects than its memory holds, with network %s",
    async (network) => {
      const { run } = sandboxFor("bubblewrap");
      // Nothing is written: the kernel counts what is reserved.
      const count = (call: string) => `my $n = 0; $n++ while $n < 3000 && defined ${call}; print "$n\\n";`;
      const script = ["shmget(0, 64 << 20, 01600)", "msgget(0, 01600)", "semget(0, 900, 01600)"].map(count).join(" ");
      const limits = { memoryBytes: 256 << 20 };
      const { stdout } = await run({
        command: `perl -e '${script}'; grep -c 67108864 /proc/sysvipc/shm`,
        network,
        limits,
      });
      expect(stdout).toBe("4\n1024\n35\n4\n");
      // That was its own: the machine's are as they were.
      expect(readFileSync("/proc/sysvipc/shm", "utf8")).not.toContain("67108864");
    },
  );

  test("cannot write outside its folder", async () => {
    const { run, folder, place } = sandboxFor("bubblewrap");
    const outside = [place, "/", "/etc", "/usr", "/usr/bin", "/dev", "/run/slipway", "/proc/sys/kernel", homedir()];
    const command = `for f in ${outside.join(" ")}; do (mkdir -p $f; echo x > $f/slipway-was-here) && echo "$f"; done; echo x > here`;
    const { stdout } = await run({ command });
    expect(stdout).toBe("");
    expect(readFileSync(join(folder, "here"), "utf8")).toBe("x\n");
    for (const path of outside) expect(existsSync(join(path, "slipway-was-here"))).toBe(false);
  });

  test("has temporary files and a home of its own, gone afterwards", async () => {
    const { run } = sandboxFor("bubblewrap");
    const command = "echo a > /tmp/a; echo b > ~/b; ls /tmp/a; ls ~/b; whoami";
    expect((await run({ command })).stdout).toBe("/tmp/a\n/agent/b\nagent\n");
    expect((await run({ command: "ls ~" })).stdout).toBe("");
    expect((await run({ command: "test ! -e /tmp/a && echo gone" })).stdout).toBe("gone\n");
  });

  test("has no rights, and cannot get any", async () => {
    const { run } = sandboxFor("bubblewrap");
    const { stdout } = await run({ command: "grep -E 'Cap(Prm|Eff)|NoNewPrivs' /proc/self/status; id -u; id -G" });
    const [permitted, effective, noNew, uid, groups] = stdout.split("\n");
    expect(permitted).toMatch(/\t0+$/);
    expect(effective).toMatch(/\t0+$/);
    expect(noNew).toBe("NoNewPrivs:\t1");
    expect(["0", "65534"]).not.toContain(uid);
    expect(groups!.split(" ")).toHaveLength(1);
  });

  test.skipIf(!isRoot)("is a user of its own, different in every run", async () => {
    const { start } = sandboxFor("bubblewrap");
    const uids = new Set<number>();
    for (const _ of [1, 2]) {
      const { child, runId } = await start({ command: "echo up; sleep 1000", folder: sandboxFor("bubblewrap").folder });
      await once(child.stdout, "data");
      const [uid] = livingOf(runId)
        .map((pid) => Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]))
        .filter((one) => one !== 0);
      uids.add(uid!);
    }
    expect(uids.size).toBe(2);
    for (const uid of uids) expect(uid).toBeGreaterThan(60_000);
    expect(uids).not.toContain(65_534);
  });

  test("cannot make namespaces or mounts, nor reach into the kernel", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    // Where the kernel cannot be told, that is said.
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const namespaces = [
      "--user",
      "--mount",
      "--net",
      "--pid --fork",
      "--ipc",
      "--uts",
      "--cgroup",
      "--user --map-root-user",
    ];
    const commands = namespaces.map((flags) => `unshare ${flags} true 2>&1 | grep -o 'Operation not permitted'`);
    const { stdout } = await run({ command: commands.join("; ") });
    expect(stdout).toBe("Operation not permitted\n".repeat(namespaces.length));
    const calls = {
      ...(process.arch === "x64"
        ? {
            unshare: 272,
            mount: 165,
            setns: 308,
            bpf: 321,
            perf_event_open: 298,
            keyctl: 250,
            add_key: 248,
            io_uring_setup: 425,
          }
        : {
            unshare: 97,
            mount: 40,
            setns: 268,
            bpf: 280,
            perf_event_open: 241,
            keyctl: 219,
            add_key: 217,
            io_uring_setup: 425,
          }),
      fsopen: 430,
      memfd_secret: 447,
      open_tree: 428,
    };
    const script = Object.entries(calls).map(
      ([name, number]) => `$! = 0; syscall(${number}, 0, 0, 0, 0, 0); print "${name} ", $!+0, "\\n";`,
    );
    const clone = process.arch === "x64" ? 56 : 220;
    script.push(`$! = 0; my $r = syscall(${clone}, 0x10000011, 0, 0, 0, 0); print "clone ", $!+0, "\\n";`);
    script.push(
      `$! = 0; syscall(435, 0, 0); print "clone3 ", $!+0, "\\n"; $! = 0; syscall(999); print "new ", $!+0, "\\n";`,
    );
    // Threads with open files or a folder of their own, which nobody would see.
    script.push(`$! = 0; syscall(${clone}, 0x10b00, 0, 0, 0, 0); print "thread ", $!+0, "\\n";`);
    script.push(`$! = 0; syscall(${clone}, 0x10d00, 0, 0, 0, 0); print "folder ", $!+0, "\\n";`);
    script.push(`$! = 0; syscall(436, 100, 200, 2); print "close_range ", $!+0, "\\n";`);
    script.push(`$! = 0; syscall(436, 100, 200, 0); print "closing ", $!+0, "\\n";`);
    // Whoever is not its own: PTRACE_ATTACH to the first process.
    script.push(`$! = 0; syscall(${process.arch === "x64" ? 101 : 117}, 16, 1, 0, 0); print "ptrace ", $!+0, "\\n";`);
    const perl = await run({ command: ["perl", "-e", script.join("")] });
    const [notPermitted, invalid, noSuchCall] = [1, 22, 38];
    const expected = [...Object.keys(calls), "clone"].map((name) => `${name} ${notPermitted}\n`).join("");
    const ownFiles = `thread ${invalid}\nfolder ${invalid}\nclose_range ${invalid}\nclosing 0\n`;
    expect(perl.stdout).toBe(`${expected}clone3 ${noSuchCall}\nnew ${noSuchCall}\n${ownFiles}ptrace ${notPermitted}\n`);
  });

  test("cannot fill the kernel's memory with attributes of files in memory, and copies files all the same", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const [setxattr, lsetxattr, fsetxattr, memfd] = process.arch === "x64" ? [188, 189, 190, 319] : [5, 6, 7, 279];
    const script = [
      'open(my $f, ">", "/dev/shm/a"); my ($n, $v, $p, $e) = ("user.a", "x" x 60000, "/dev/shm/a", "");',
      `my $m = syscall(${memfd}, $e, 0); $! = 0; syscall(${fsetxattr}, $m, $n, $v, 60000, 0); print $!+0, "\\n";`,
      `$! = 0; syscall(${fsetxattr}, fileno($f), $n, $v, 60000, 0); print $!+0, "\\n";`,
      ...[setxattr, lsetxattr].map((call) => `$! = 0; syscall(${call}, $p, $n, $v, 60000, 0); print $!+0, "\\n";`),
      '$! = 0; syscall(463, -100, $p, 0, $n, $v, 16); print $!+0, "\\n";',
    ];
    const perl = await run({ command: ["perl", "-e", script.join("")] });
    expect(perl.stdout).toBe("95\n".repeat(5));
    const copy =
      "echo a > a; cp -a a b; cp --preserve=all a /dev/shm/c && mv b /dev/shm/d && cat /dev/shm/c /dev/shm/d";
    expect(await run({ command: copy })).toMatchObject({ stdout: "a\na\n", stderr: "" });
  });

  test("takes no huge pages, which count as memory of no process", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const call = process.arch === "x64" ? 319 : 279;
    const script = `my $name = "a"; for (1, 5, 0xffffffff) { $! = 0; syscall(${call}, $name, $_); print $!+0, "\\n"; }`;
    // By the last one, Chromium asks which flags the kernel knows.
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "0\n22\n22\n" });
  });

  test("takes none of what the machine has for all of its asynchronous input and output", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const call = process.arch === "x64" ? 206 : 0;
    const script = `my $context = "\\0" x 8; $! = 0; syscall(${call}, 100, $context); print $!+0, "\\n";`;
    // As a kernel that does not know it: databases then do without.
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "38\n" });
  });

  test("makes no Landlock rules: they take memory of the kernel, and hold deleted files that nobody sees", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    // Which version there is, a rule, and to keep to the rules: as a kernel that does not know it.
    const calls = ["444, 0, 0, 1", "445, -1, 1, 0, 0", "446, -1, 0"];
    const script = calls.map((call) => `$! = 0; syscall(${call}); print $!+0, "\\n";`).join("");
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "38\n38\n38\n" });
  });

  test("adds no filters of system calls: each thread may have some, and they take memory of the kernel", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const [seccomp, prctl] = process.arch === "x64" ? [317, 157] : [277, 167];
    // By both calls, as a kernel that was built without them; to ask whether it has one is allowed.
    const calls = [`${seccomp}, 1, 0, 0`, `${prctl}, 22, 2, 0, 0, 0`, `${prctl}, 21, 0, 0, 0, 0`];
    const script = calls.map((call) => `$! = 0; syscall(${call}); print $!+0, "\\n";`).join("");
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "22\n22\n0\n" });
  });

  test("takes no half of another's core, and no table of the kernel's for what its threads wait for", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const call = process.arch === "x64" ? 157 : 167;
    const calls = [`${call}, 62, 1, 0, 0, 0`, `${call}, 78, 1, 256, 0, 0`];
    const script = calls.map((one) => `$! = 0; syscall(${one}); print $!+0, "\n";`).join("");
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "22\n22\n" });
  });

  test("waits for no more files at a time than it may have: the kernel keeps a note of each for every thread", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const [poll, select] = process.arch === "x64" ? [271, 270] : [73, 72];
    const script = `my ($files, $now) = (pack("iss", -1, 0, 0) x 5000, "\\0" x 16);
for my $many (4000, 5000) {
  $! = 0; syscall(${poll}, $files, $many, $now, 0, 8); print $!+0, "\n";
  $! = 0; syscall(${select}, $many, 0, 0, 0, $now, 0); print $!+0, "\n";
}`;
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "0\n0\n22\n22\n" });
  });

  test("cannot hide what it has open, and is told that it has", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const [setDumpable, getDumpable] = [4, 3];
    const call = process.arch === "x64" ? 157 : 167;
    const calls = [`${setDumpable}, 0`, `${getDumpable}, 0`, `${setDumpable}, 1`, `${setDumpable}, 2`];
    const script = calls.map((one) => `print syscall(${call}, ${one}, 0, 0, 0), "\n";`).join("");
    expect(await run({ command: ["perl", "-e", script] })).toMatchObject({ stdout: "0\n1\n0\n-1\n" });
  });

  test("gives its sockets no filters: they take of what the kernel has for the filters of all sandboxes", async () => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    if (sandbox.found.reasons.some((reason) => reason.startsWith("system calls are not filtered"))) return;
    const script = `import ctypes, os, socket, struct
everything = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xffff))
program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(everything))
for option in 26, 50, 51, 52:
  for one in socket.socketpair()[0], socket.socket(), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW):
    try: one.setsockopt(socket.SOL_SOCKET, option, program)
    except OSError as error: print(error.errno)
if os.path.exists('/proc/net/if_inet6'): socket.socket(socket.AF_INET6).setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
with socket.socket() as one:
  for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT, socket.SO_KEEPALIVE: one.setsockopt(socket.SOL_SOCKET, option, 1)
`;
    // That of IPv6 has the same number as the first one.
    expect(await run({ command: ["python3", "-c", script] })).toMatchObject({ stdout: "92\n".repeat(12), stderr: "" });
  });

  test("does what builds and tests do", async () => {
    const { run } = sandboxFor("bubblewrap");
    const command = `set -e
      node -e 'new (require("worker_threads").Worker)("1", { eval: true }).on("exit", () => require("child_process").execSync("true"))'
      node -e 'require("net").createServer().listen(0, "127.0.0.1", function () { this.close() })'
      git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
      echo '{"name":"a","version":"1.0.0","scripts":{"test":"node --test"}}' > package.json
      echo 'require("node:test")("a", () => {})' > a.test.js
      npm test > /dev/null
      if command -v python3 > /dev/null; then python3 -c 'import subprocess, threading, socket
threading.Thread(target=print, args=("python",)).start()
subprocess.run(["true"], check=True)'; else echo python; fi
      tar cf a.tar a.test.js; ls | sort | head -3`;
    const { stdout, stderr } = await run({ command });
    expect(stderr).toBe("");
    expect(stdout).toBe("python\na.tar\na.test.js\npackage.json\n");
  });

  test("without a network, npm fails at once where a package is missing", async () => {
    const { run } = sandboxFor("bubblewrap");
    const { stdout } = await run({ command: "npm install no-such-package-here 2>&1; npm config get offline" });
    expect(stdout).toMatch(/ENOTCACHED[\s\S]*\ntrue\n$/);
  });

  test("finds node, npm and git", async () => {
    const { run } = sandboxFor("bubblewrap");
    const { stdout } = await run({ command: "node --version; npm --version >/dev/null && git --version" });
    expect(stdout).toMatch(new RegExp(`^${process.version}\ngit version`));
  });

  const hasJava = readdirSync("/etc").some((name) => name.startsWith("java-")) && existsSync("/usr/bin/javac");
  test.skipIf(!hasJava)("compiles and runs Java", async () => {
    const { run, folder } = sandboxFor("bubblewrap");
    writeFileSync(
      join(folder, "A.java"),
      'class A { public static void main(String[] a) { System.out.print("up"); } }',
    );
    expect(await run({ command: "javac A.java && java A" })).toMatchObject({ stdout: "up" });
  });

  test("has its secrets in its environment, but not where `ps` shows them to everybody", async () => {
    const { start } = sandboxFor("bubblewrap");
    const { child, runId } = await start({ command: 'echo "$KEY"; sleep 1000', env: { KEY: "swordfish" } });
    expect(String((await once(child.stdout, "data"))[0])).toBe("swordfish\n");
    const shown = livingOf(runId).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.join()).not.toContain("swordfish");
  });

  test("is given an environment only after all rights are gone", async () => {
    const { run, start, folder } = sandboxFor("bubblewrap");
    // A library that is not there: whoever is told to load it complains.
    const env = { LD_PRELOAD: join(folder, "missing.so") };
    const { stderr } = await run({ command: ["true"], env });
    expect(stderr.match(/missing\.so/g) ?? []).toHaveLength(1);
    const { child, runId } = await start({ command: "echo up; sleep 1000", env: { LD_TEST: "mine" } });
    await once(child.stdout, "data");
    const withRights = livingOf(runId).filter((pid) => /^bwrap/.test(readFileSync(`/proc/${pid}/comm`, "utf8")));
    expect(withRights).toHaveLength(2);
    for (const pid of withRights) expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toContain("LD_TEST");
  });

  test("shares a package cache with others, and reads what it is shown", async () => {
    const { run, place } = sandboxFor("bubblewrap");
    const [cache, tools] = [join(place, "cache"), join(place, "tools")];
    for (const folder of [cache, tools]) mkdirSync(folder);
    writeFileSync(join(tools, "tool"), "hammer");
    const options = { writable: [cache], readable: [tools] };
    await run({ command: `mkdir ${cache}/a; echo 1 > ${cache}/a/b`, ...options });
    const command = `cat ${tools}/tool; echo 2 >> ${cache}/a/b; mv ${cache}/a/b ${cache}/a/c; cat ${cache}/a/c; echo x > ${tools}/tool`;
    const { stdout, stderr } = await run({ command, ...options });
    expect(stdout).toBe("hammer1\n2\n");
    expect(stderr).toContain("Read-only file system");
    expect(readFileSync(join(cache, "a/c"), "utf8")).toBe("1\n2\n");
  });

  test.for([
    ["all", "swordfish", "connected"],
    ["loopback", "ECONNREFUSED", "connected"],
    ["none", "ENETUNREACH", "ENETUNREACH"],
  ] as [Network, string, string][])("with network '%s'", async ([network, host, own]) => {
    const { run } = sandboxFor("bubblewrap");
    const server = createServer((socket) => socket.end("swordfish")).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect((await run({ command: dial(`{ host: "127.0.0.1", port: ${port} }`), network })).stdout).toBe(`${host}\n`);
    const dialSelf = `const s = require("net").createServer((c) => c.end("connected")).listen(0, "127.0.0.1", () => {
      require("net").connect(s.address().port, "127.0.0.1").on("data", (d) => end(d)).on("error", (e) => end(e.code)) });
      function end(what) { console.log(String(what)); process.exit() }`;
    expect((await run({ command: ["node", "-e", dialSelf], network })).stdout).toBe(`${own}\n`);
  });

  const metadata = [
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
  ];
  test.for(metadata)("never reaches %s", async (host) => {
    const { run, sandbox } = sandboxFor("bubblewrap");
    const refused = ["ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"];
    for (const network of ["loopback", "none"] as const)
      expect(refused).toContain((await run({ command: dial(`{ host: "${host}", port: 80 }`), network })).stdout.trim());
    // Where it cannot be forbidden on the host's own network, that is said.
    if (sandbox.found.reasons.some((reason) => reason.startsWith("metadata addresses can be reached"))) return;
    const { stdout } = await run({ command: dial(`{ host: "${host}", port: 80 }`), network: "all" });
    expect(["EACCES", ...(host.includes(":") ? refused : [])]).toContain(stdout.trim());
  });

  test.skipIf(!isRoot)("may ask a name server that is at such an address, and no more", async () => {
    const uids = { first: 1_890_000_000, count: 16 };
    const problem = await forbidMetadata(uids, nameServersIn("nameserver 169.254.169.253\nnameserver 10.0.0.2\n"));
    onTestFinished(() => {
      for (const family of ["-4", "-6"])
        for (const pref of ["99", "100"])
          for (const rule of rulesOf(family, pref).filter((line) => line.includes("uidrange 1890000000-")))
            ip([
              family,
              "rule",
              "del",
              "pref",
              pref,
              ...rule
                .replace(/^.*from all /, "")
                .trim()
                .split(" "),
            ]);
    });
    // Where it cannot be forbidden, that is said.
    if (problem !== undefined) return;
    const route = (address: string, port: string) =>
      ip(["route", "get", address, "uid", "1890000001", "ipproto", "udp", "dport", port]).stderr.toString();
    expect(route("169.254.169.253", "53")).not.toContain("denied");
    for (const [address, port] of [
      ["169.254.169.253", "80"],
      ["169.254.169.254", "53"],
      ["100.100.100.200", "80"],
    ] as const)
      expect(route(address, port)).toContain("Permission denied");
    expect(rulesOf("-4", "99").join()).not.toContain("10.0.0.2");
  });

  test.skipIf(!isRoot)("works for a service that is a plain user, too", { tags: "long" }, async ({ skip }) => {
    const { uid, folder, program, canRead } = await preparePlainUser();
    skip(!canRead, "a plain user cannot read the sources");
    for (const [network, own] of [
      ["loopback", "1"],
      ["none", "1"],
      ["all", ""],
    ] as const) {
      const command = `unshare --user true 2>/dev/null && echo made; id -u; touch made /x; grep -c : /proc/net/dev; i=0; while [ $i -lt 90 ]; do sleep 5 & i=$((i+1)); done; wait`;
      const asked = JSON.stringify({
        ...{
          mode: "auto",
          dataFolder: join(folder, "data"),
          folder,
          runId: `user-${process.pid}-${network}`,
          command,
          network,
        },
        limits: { processes: 60 },
      });
      const child = spawn(process.execPath, [program, asked], { uid, gid: uid, stdio: ["ignore", "pipe", "inherit"] });
      const { kind, reasons, stdout, stderr, end } = JSON.parse(await text(child.stdout!));
      // User namespaces may be forbidden here: then that is said, and nothing else can be.
      if (kind === "plain") return expect(reasons[0]).toContain("bubblewrap does not work here");
      expect(stdout).toMatch(new RegExp(`^1000\n${own}`));
      expect(stderr).toContain("'/x': Read-only file system");
      expect(end).toMatchObject({ is: "processes", limit: 60 });
    }
    expect(existsSync(join(folder, "made"))).toBe(true);
  });

  test.skipIf(!isRoot).for(
    soakCases([
      {
        where: "folders that it has closed to itself",
        command: "mkdir closed; chmod 300 closed; head -c 20000000 /dev/zero > closed/file; sleep 20",
        limits: { diskBytes: 10_000_000 },
        outcome: { is: "disk", limit: 10_000_000 },
      },
      {
        where: "/dev/shm",
        command: "head -c 50000000 /dev/zero > /dev/shm/file; sleep 20",
        limits: { memoryBytes: 40_000_000 },
        outcome: { is: "memory", limitBytes: 40_000_000 },
      },
      {
        where: "files that only a program which it hides has open: it ends that",
        command: "cp /bin/sleep .; chmod 111 sleep; exec ./sleep 20",
        limits: {},
        outcome: { is: "hidden", used: 1 },
      },
    ]),
  )("counts what a plain user's program puts into $where", async ({ command, limits, outcome }, { skip }) => {
    const { uid, folder, program, canRead } = await preparePlainUser();
    skip(!canRead, "a plain user cannot read the sources");
    const asked = { mode: "auto", dataFolder: join(folder, "data"), folder, runId: `counted-${process.pid}` };
    const given = JSON.stringify({ ...asked, command, limits });
    const child = spawn(process.execPath, [program, given], { uid, gid: uid, stdio: ["ignore", "pipe", "inherit"] });
    const { kind, end } = JSON.parse(await text(child.stdout!));
    if (kind === "bubblewrap") expect(end).toMatchObject(outcome);
  });
});

/** Asks the kernel's routing. */
function ip(args: readonly string[]) {
  const program = "ip";
  return spawnSync(program, args);
}

function rulesOf(family: string, preference: string): string[] {
  return ip([family, "rule", "show", "pref", preference]).stdout.toString().split("\n").filter(Boolean);
}

/** A program that connects, and prints what it gets or why it could not. */
function dial(to: string): string[] {
  const script = `require("net").connect(${to}).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))
    .setTimeout(5000, () => { console.log("silence"); process.exit() })`;
  return ["node", "-e", script];
}

/** A user without rights, with a folder of its own, and a program that it runs in the sandbox. */
async function preparePlainUser() {
  const uid = 54_321;
  const folder = mkdtempSync(join(tmpdir(), "slipway-user-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, uid, uid);
  const program = fileURLToPath(new URL("../../support/run-sandboxed.ts", import.meta.url));
  const [exitCode] = await once(spawn("cat", [program], { uid, gid: uid, stdio: "ignore" }), "exit");
  return { uid, folder, program, canRead: exitCode === 0 };
}
