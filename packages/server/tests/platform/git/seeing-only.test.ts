import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Repository, runGit } from "../../../src/platform/git/run-git.ts";
import { seeingOnly } from "../../../src/platform/git/seeing-only.ts";
import { noBubblewrap } from "../../support/sandboxes.ts";

test.skipIf(noBubblewrap)("a program that sees only some folders reads no other file of the machine", async () => {
  const place = folder();
  for (const path of ["one", "one/inner", "others"]) {
    mkdirSync(join(place, path));
    writeFileSync(join(place, path, "file"), path);
  }
  const [program = "", ...args] = await seeingOnly([join(place, "one/inner"), join(place, "one")]);
  const read = (path: string) =>
    execFileSync(program, [...args, "cat", join(place, path)], { encoding: "utf8", stdio: "pipe" });
  expect(read("one/file") + read("one/inner/file")).toBe("oneone/inner");
  expect(() => read("others/file")).toThrow("No such file");
});

test.skipIf(noBubblewrap)("git itself sees no other file when it takes what is in a folder", async () => {
  const place = folder();
  const repository: Repository = { gitDir: join(place, "repo.git"), limitMs: 60_000 };
  const [workTree, indexFile] = [join(place, "tree"), join(place, "index/file")];
  for (const path of [workTree, join(place, "index"), join(place, "others")]) mkdirSync(path);
  execFileSync("git", ["init", "--quiet", "--bare", repository.gitDir]);
  // What it is told to leave out stands elsewhere, where it finds nothing.
  const ignored = join(repository.gitDir, "info/exclude");
  rmSync(ignored, { force: true });
  mkdirSync(join(repository.gitDir, "info"), { recursive: true });
  writeFileSync(join(place, "others/exclude"), "a.txt\n");
  symlinkSync(join(place, "others/exclude"), ignored);
  writeFileSync(join(workTree, "a.txt"), "own");
  await runGit(repository, ["add", "--all"], { workTree, indexFile });
  const { stdout } = await runGit(repository, ["ls-files"], { indexFile });
  expect(stdout.toString()).toBe("a.txt\n");
});

test.skipIf(noBubblewrap)(
  "git takes no file from elsewhere, though somebody exchanges folders for links meanwhile",
  { tags: "long" },
  async () => {
    const place = folder();
    const repository: Repository = { gitDir: join(place, "repo.git"), limitMs: 60_000 };
    const workTree = join(place, "attempt/tree");
    for (const path of ["attempt", "attempt/tree", "attempt/tree/a", "others"]) mkdirSync(join(place, path));
    const names = Array.from({ length: 20 }, (_, index) => `file-${index}`);
    for (const name of names) {
      writeFileSync(join(workTree, "a", name), "own");
      writeFileSync(join(place, "others", name), "of somebody else");
    }
    symlinkSync(join(place, "others"), join(workTree, "b"));
    execFileSync("git", ["init", "--quiet", "--bare", repository.gitDir]);
    const program = `import ctypes
print("begun", flush=True)
exchange = ctypes.CDLL(None).renameat2
while True: exchange(-100, b"a", -100, b"b", 2)`;
    const child = spawn("python3", ["-c", program], { cwd: workTree });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const { stdout } = await runGit(repository, ["hash-object", "--stdin"], { input: "of somebody else" });
    const foreign = stdout.toString().trim();
    const indexFile = join(place, "attempt/index");
    for (let left = 60; left > 0; left -= 1) {
      rmSync(indexFile, { force: true });
      // It may find neither of the two.
      await runGit(repository, ["add", "--all"], { workTree, indexFile }).catch(() => undefined);
      const { stdout: entries } = await runGit(repository, ["ls-files", "--stage"], { indexFile });
      expect(entries.toString()).not.toContain(foreign);
    }
  },
);

test.skipIf(noBubblewrap)("git is not left uncontained where nobody can tell whether it could be contained", () => {
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { seeingOnly } from ${JSON.stringify(new URL("../../../src/platform/git/seeing-only.ts", import.meta.url).href)};
    const files = [];
    try {
      for (;;) files.push(openSync("/dev/null"));
    } catch {}
    const short = await seeingOnly([]).catch((error) => error.message);
    for (const file of files) closeSync(file);
    const [program] = await seeingOnly([]);
    console.log(short, "before", program);
  `;
  const command = 'ulimit -n 60 && exec "$0" --no-warnings --input-type=module -e "$1"';
  const told = execFileSync("sh", ["-c", command, process.execPath, script], { encoding: "utf8" });
  expect(told).toMatch(/^git could not be contained before \S+bwrap\n$/);
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "slipway-seeing-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}
