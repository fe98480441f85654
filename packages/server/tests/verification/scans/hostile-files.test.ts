import { expect, onTestFinished, test, vi } from "vitest";
import { readers } from "../../../src/verification/scans/dependencies/lockfiles.ts";
import { readComponents } from "../../../src/verification/scans/dependencies/read-components.ts";
import { compareVersions } from "../../../src/verification/scans/dependencies/versions.ts";
import { FileScanner, scanProject } from "../../../src/verification/scans/index.ts";
import { switchOff as mypyOff } from "../../../src/verification/types/check-python.ts";
import { switchOff as tscOff } from "../../../src/verification/types/check-typescript.ts";
import { measureHolding } from "../../support/measure-holding.ts";
import { folderWith, guardrailsOf, scanFolder } from "../../support/scans/scan-files.ts";

const danger = "NODE_TLS_REJECT_UNAUTHORIZED=0 node a.js";

test("files that would take the scanner for ever, or all its memory, are named and the others are scanned", {
  tags: "long",
}, async () => {
  const folder = await folderWith({
    "a-deep.js": `x = ${"[".repeat(100_000)}${"]".repeat(100_000)};`,
    "b-nested.js": `${"(".repeat(50_000)}1${")".repeat(50_000)}`,
    "c-calls.js": `f${"(f".repeat(20_000)}${")".repeat(20_000)}`,
    "d-letters.txt": "a".repeat(400_000),
    "e-broken.py": `x = '''${"(".repeat(100_000)}`,
    "f-bytes.js": Buffer.from([0x76, 0x61, 0x72, 0x20, 0xff, 0xfe, 0xc0, 0x80, 0x0a]),
    "g-last.js": "require('child_process').exec(process.argv[2]);\n",
  });
  const result = await scanFolder(folder);
  expect(result.findings.map(({ path }) => path)).toEqual(["g-last.js"]);
  expect(result.unscanned.every(({ path }) => /^[abcef]-/.test(path))).toBe(true);
});

test("a text that overflows the parser hides no secret in it", { tags: "long" }, async () => {
  const key = ["AKIA", "QZ7XWV5PLKTR3M2N"].join("");
  const folder = await folderWith({ "a.js": `const key = "${key}";\n${"`".repeat(300_000)}` });
  const result = await scanFolder(folder);
  expect(result.findings.map(({ path, severity }) => `${path} ${severity}`)).toEqual(["a.js critical"]);
  expect(result.unscanned.map(({ path }) => path)).toEqual(["a.js"]);
});

test("no short line of a file keeps the rules from reading it", async () => {
  const folder = await folderWith({
    "constants.py": `eval([${"A".repeat(200)} + x])\n`,
    "annotation.py": `x:${" ".repeat(10_000)}-1\n`,
    "origins.py": `CORS(app, origins =${" ".repeat(15_000)}x)\n`,
    "pattern.js": `x = /(a+${"c?d?b?".repeat(300)}/.test("");\n`,
    "questions.js": `x = new RegExp("(a+${"?".repeat(1_000)}");\n`,
    "blank.js": "\n".repeat(200_000),
    Dockerfile: `FROM${" ".repeat(100_000)}\u2028\u2028\n`,
    "nc.sh": `nc -${"e".repeat(15_000)}!\n`,
    kind: "\n".repeat(64_000),
  });
  expect((await scanFolder(folder)).unscanned).toEqual([]);
});

test("a package tells its licence, unless its package.json is nested more deeply than any", async () => {
  const nested = (levels: number) => `{"license":"MIT","x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const folder = await folderWith({
    "package-lock.json": JSON.stringify({
      lockfileVersion: 3,
      packages: { "node_modules/plain": { version: "1.0.0" }, "node_modules/deep": { version: "1.0.0" } },
    }),
    "node_modules/plain/package.json": nested(400),
    "node_modules/deep/package.json": nested(100_000),
  });
  const { components, unread } = await readComponents(
    folder,
    { paths: ["package-lock.json"] },
    new AbortController().signal,
  );
  expect(unread).toEqual([]);
  expect(components.map(({ name, license }) => ({ name, license }))).toEqual([
    { name: "plain", license: "MIT" },
    { name: "deep", license: undefined },
  ]);
});

test.each([
  ["a range of digits", (size: number) => readPackageJson(`0.0.${"0".repeat(size)}!`)],
  ["a version of plus signs", (size: number) => compareVersions(`1.0${"+".repeat(size)}\nx`, "1.0")],
  ["empty lines in Python", (size: number) => mypyOff.test("\n".repeat(size))],
  ["empty lines in TypeScript", (size: number) => tscOff.test("\n".repeat(size))],
])("%s takes the service time in proportion to its size", (_, read) => {
  const timed = (size: number) => {
    const before = process.threadCpuUsage();
    read(size);
    return process.threadCpuUsage(before).user / 1000;
  };
  timed(4_000);
  const [few, many] = [timed(4_000), timed(40_000)];
  expect(many).toBeLessThan(40 * Math.max(few, 5));
});

test("a package whose name or version holds half a sign has its place in the bill of materials", async () => {
  const lock = {
    packages: { "node_modules/\ud800": { version: "1\udc00" }, [`node_modules/${"a".repeat(299)}😀`]: {} },
  };
  const result = await scanFolder(await folderWith({ "package-lock.json": JSON.stringify(lock) }));
  const bill = result.evidence.find(({ type }) => type === "sbom")?.text ?? "{}";
  const { components } = JSON.parse(bill) as { components: readonly { name: string }[] };
  expect(components.map(({ name }) => name).sort()).toEqual([`${"a".repeat(299)}😀`, "\ufffd"]);
});

test("lockfiles of megabytes are read beside the service, not instead of it", { tags: "long" }, async () => {
  const lists = `{"packages":{"node_modules/a":{"version":"1.0.0"}},"x":[${"[],".repeat(1_000_000)}1]}`;
  const requirements = `${"\n".repeat(2_000_000)}flask==3.0.0\n`;
  const files = { "package-lock.json": lists, "Pipfile.lock": "[", "requirements.txt": requirements };
  const folder = await folderWith(files);
  const { signal } = new AbortController();
  const { done, heldMs, tookMs } = await measureHolding(() =>
    readComponents(folder, { paths: Object.keys(files) }, signal),
  );
  expect(done.components.map(({ name, version, line }) => ({ name, version, line }))).toEqual([
    { name: "a", version: "1.0.0", line: 1 },
    { name: "flask", version: "3.0.0", line: 2_000_001 },
  ]);
  expect(done.unread).toEqual([{ path: "Pipfile.lock", reason: "cannot be read as Pipfile.lock" }]);
  expect(heldMs).toBeLessThan(tookMs / 2);
});

function readPackageJson(range: string): void {
  const reader = readers.find(({ file }) => file.test("package.json"))!;
  for (const _ of reader.read(JSON.stringify({ dependencies: { a: range } }), "package.json"));
}

test("a lockfile takes time in proportion to its size, however its keys are written", async () => {
  const lock = (packages: number) => {
    const entries = Array.from({ length: packages }, (_, at) => `"node_modules/\\u0061${at}":{"version":"1.0.${at}"}`);
    return `{"packages":{\n${entries.join(`,"x":"${"x".repeat(1_000)}",\n`)}}}`;
  };
  const packageLock = readers.find(({ file }) => file.test("package-lock.json"))!;
  const read = (text: string) => {
    const before = process.threadCpuUsage();
    const found = [...packageLock.read(text, "package-lock.json")];
    return { found, usedMs: process.threadCpuUsage(before).user / 1000 };
  };
  read(lock(500));
  const [few, many] = [read(lock(500)), read(lock(5_000))];
  expect(many.found.at(-1)).toMatchObject({ name: "a4999", version: "1.0.4999", line: 5_001 });
  // It was a hundred times as long for ten times as much.
  expect(many.usedMs).toBeLessThan(40 * Math.max(few.usedMs, 5));
});

test.each([
  ['dependencies = ["a==1.0", "b[extra]==2.0"]\n', ["a", "b"]],
  ['[project]\ndependencies = [\n  "a[extra]==1.0",\n  "b",\n]\n', ["a", "b"]],
])("a list of requirements no. %# is read", (text, names) => {
  const pyproject = readers.find(({ file }) => file.test("pyproject.toml"))!;
  expect([...pyproject.read(text, "pyproject.toml")].map(({ name }) => name)).toEqual(names);
});

test.each(['dependencies = ["a",\n', "dependencies = [\n".repeat(200_000)])("one without an end is not", (text) => {
  const pyproject = readers.find(({ file }) => file.test("pyproject.toml"))!;
  expect(() => [...pyproject.read(text, "pyproject.toml")]).toThrow("has no end");
});

test("a file that takes too long ends only its own thread", async () => {
  const scanner = new FileScanner({ cpuLimitMs: 1 });
  const { signal } = new AbortController();
  const slow = await scanner.join().scan({ path: "a.js", bytes: Buffer.from("x = 1;"), isLinted: false }, signal);
  expect(slow).toMatchObject({ error: "takes longer than 0.001 s to be read" });
  scanner.close();
});

test("a thread without memory is replaced, and the file named", { tags: "long" }, async () => {
  const scanner = new FileScanner({ heapMb: 24 });
  const { signal } = new AbortController();
  const bytes = Buffer.from(`x = [${"{a:1},".repeat(200_000)}];`);
  expect(await scanner.join().scan({ path: "a.js", bytes, isLinted: false }, signal)).toMatchObject({
    error: "needs too much memory to be read",
  });
  scanner.close();
});

test("limits of files and bytes name what lies beyond", async () => {
  const folder = await folderWith({ "a.txt": "one", "b.txt": "two", "c.txt": "three" });
  const few = await scanFolder(folder, { limits: { maxFiles: 2 } });
  expect(few.unscanned.map(({ reason }) => reason)).toEqual(["is beyond the first 2 files"]);
  const small = await scanFolder(folder, { limits: { maxTotalBytes: 3 } });
  expect(small.unscanned.map(({ path }) => path)).toEqual(["b.txt", "c.txt"]);
});

test("a scan is not charged for the time in which it waits for others", async () => {
  const folder = await folderWith({ "a.sh": `${danger}\n`, "b.sh": `${danger}\n` });
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const threads = new FileScanner({ threads: 1 });
  onTestFinished(() => threads.close());
  // The files of others take five minutes before each turn.
  const join = () => {
    const { scan, leave } = threads.join();
    return {
      leave,
      scan: async (...args: Parameters<typeof scan>) => {
        vi.advanceTimersByTime(301_000);
        return scan(...args);
      },
    };
  };
  const { signal } = new AbortController();
  const document = { name: "harbour", guardrails: guardrailsOf() };
  const scanner = { join, close: () => undefined };
  const result = await scanProject({ folder, document, advisories: "none", signal, now: new Date(), scanner });
  expect(result.unscanned).toEqual([]);
  expect(result.findings).toHaveLength(2);
});

test("a file that takes long keeps no other project waiting", async () => {
  const scanner = new FileScanner();
  onTestFinished(() => scanner.close());
  const stop = new AbortController();
  // It takes all the time that a file has.
  const slow = Buffer.from('a$(b `c` "$d") && eval $x;\n'.repeat(75_000));
  const long = scanner.join().scan({ path: "a.sh", bytes: slow, isLinted: false }, stop.signal);
  const file = { path: "b.sh", bytes: Buffer.from(`${danger}\n`), isLinted: false };
  const told = await scanner.join().scan(file, new AbortController().signal);
  expect(told).toMatchObject({ answer: { spotted: [{ ruleId: "shell/no-certificate-check" }] } });
  stop.abort(new Error("stopped"));
  await expect(long).rejects.toThrow("stopped");
});

test("an abort ends the scan at once", async () => {
  const folder = await folderWith({ "a.js": "x = 1;" });
  const stop = new AbortController();
  stop.abort(new Error("stopped"));
  const document = { name: "harbour", guardrails: guardrailsOf() };
  const scan = scanProject({ folder, document, advisories: "none", signal: stop.signal, now: new Date() });
  await expect(scan).rejects.toThrow("stopped");
});
