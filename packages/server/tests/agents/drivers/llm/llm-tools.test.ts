import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { setUp } from "../../../support/agents/llm-stage.ts";
import { follow, newFolder, workIn } from "../../../support/agents/plain-host.ts";

/** A model that makes these calls, one after the other; gives what each brought. */
async function callTools(calls: readonly { name: string; input: unknown }[], prepare?: (folder: string) => unknown) {
  const { model, folder, host, driver } = await setUp(calls.map((call) => ({ calls: [call] })));
  await prepare?.(folder);
  const { report, events } = await follow(driver.start(workIn(folder), host));
  expect(report).toEqual({ is: "done" });
  const said = model.questions.at(-1)!.body.messages as { role: string; content: string }[];
  const results = said.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { folder, host, events, results };
}

describe("the tools stay inside the folder", () => {
  const escapes: Readonly<Record<string, string>> = {
    "../outside.txt": "outside the project's folder",
    "a/../../outside.txt": "outside the project's folder",
    "/etc/passwd": "absolute",
    "link-out/outside.txt": "outside the project's folder",
    "link-to-file": "outside the project's folder",
    "link-to-nowhere": "leads nowhere",
    circle: "leads nowhere",
    ".git/config": "Git's own files",
    "sub/.GIT/hooks/x": "Git's own files",
    "link-to-git/config": "Git's own files",
    "a\0b": "zero byte",
  };

  async function plant(folder: string): Promise<void> {
    const outside = await newFolder();
    await writeFile(join(outside, "outside.txt"), "untouched");
    await symlink(outside, join(folder, "link-out"));
    await symlink(join(outside, "outside.txt"), join(folder, "link-to-file"));
    await symlink(join(outside, "new.txt"), join(folder, "link-to-nowhere"));
    await symlink("circle", join(folder, "circle"));
    await mkdir(join(folder, ".git"));
    await writeFile(join(folder, ".git/config"), "untouched");
    await symlink(".git", join(folder, "link-to-git"));
    onTestFinished(async () => {
      expect(await readdir(outside)).toEqual(["outside.txt"]);
      expect(await readFile(join(outside, "outside.txt"), "utf8")).toBe("untouched");
      expect(await readFile(join(folder, ".git/config"), "utf8")).toBe("untouched");
    });
  }

  test("whatever path they are given", { tags: "long" }, async () => {
    const paths = Object.keys(escapes);
    const calls = paths.flatMap((path) => [
      { name: "read", input: { path } },
      { name: "write", input: { path, content: "changed" } },
      { name: "edit", input: { path, old_text: "untouched", new_text: "changed" } },
      { name: "list", input: { path } },
      { name: "search", input: { path, pattern: "untouched" } },
    ]);
    const { results } = await callTools(calls, plant);
    const expected = paths.flatMap((path) => Array(5).fill(expect.stringContaining(escapes[path]!)));
    expect(results).toEqual(expected);
  });

  test("and do not find by searching or listing what is outside", async () => {
    const { results } = await callTools(
      [
        { name: "search", input: { pattern: "untouched" } },
        { name: "list", input: { depth: 5 } },
      ],
      plant,
    );
    expect(results).toEqual(["(nothing found)", "circle@\nlink-out@\nlink-to-file@\nlink-to-git@\nlink-to-nowhere@"]);
  });

  test("and do not write through a second name of a file", async () => {
    const outside = await newFolder();
    await writeFile(join(outside, "real.txt"), "untouched");
    const call = { name: "write", input: { path: "second.txt", content: "changed" } };
    const { folder } = await callTools([call], (there) => link(join(outside, "real.txt"), join(there, "second.txt")));
    expect(await readFile(join(folder, "second.txt"), "utf8")).toBe("changed");
    expect(await readFile(join(outside, "real.txt"), "utf8")).toBe("untouched");
  });

  test("but may follow links that stay inside", async () => {
    const call = { name: "write", input: { path: "link/a.txt", content: "a" } };
    const { folder } = await callTools([call], async (there) => {
      await mkdir(join(there, "real"));
      await symlink("real", join(there, "link"));
    });
    expect(await readFile(join(folder, "real/a.txt"), "utf8")).toBe("a");
  });
});

describe("the tools", () => {
  test("refuse what is too large, no text, no file, or not there", async () => {
    const { results, folder } = await callTools(
      [
        { name: "read", input: { path: "large" } },
        { name: "read", input: { path: "binary" } },
        { name: "read", input: { path: "pipe" } },
        { name: "read", input: { path: "missing" } },
        { name: "write", input: { path: "pipe", content: "" } },
        { name: "write", input: { path: "new", content: "x".repeat(3e6) } },
        { name: "write", input: { path: "binary/below", content: "" } },
        { name: "read", input: {} },
        { name: "read", input: { path: 7 } },
        { name: "read", input: "{not json" },
        { name: "remove", input: { path: "binary" } },
      ],
      async (there) => {
        await writeFile(join(there, "large"), "x".repeat(3e6));
        await writeFile(join(there, "binary"), "a\0b");
        execFileSync("mkfifo", [join(there, "pipe")]);
      },
    );
    expect(results).toEqual([
      "'large' is larger than 2097152 bytes.",
      "'binary' is not text.",
      "'pipe' is a pipe, not a regular file.",
      "'missing' does not exist.",
      "'pipe' is a pipe, not a regular file.",
      "'new' cannot be written: its content is larger than 2097152 bytes.",
      "'binary/below' leads nowhere (ENOTDIR).",
      "'path' is missing.",
      "'path' must be a text.",
      "The tool's input is not a JSON object.",
      "There is no tool 'remove', only: list, read, write, edit, search, run.",
    ]);
    expect((await readdir(folder)).toSorted()).toEqual(["binary", "large", "pipe"]);
  });

  test("edit only what stands there exactly once, and keep the file's mode", async () => {
    const edit = (old_text: string) => ({ name: "edit", input: { path: "a.sh", old_text, new_text: "$& done" } });
    const { results, folder } = await callTools([edit("echo"), edit("nothing"), edit(""), edit("echo 1")], (there) =>
      writeFile(join(there, "a.sh"), "echo 1\necho 2\n", { mode: 0o755 }),
    );
    expect(results[0]).toContain("more than once");
    expect(results[1]).toContain("not in the file");
    expect(results[2]).toContain("is empty");
    expect(await readFile(join(folder, "a.sh"), "utf8")).toBe("$& done\necho 2\n");
    expect((await stat(join(folder, "a.sh"))).mode & 0o777).toBe(0o755);
  });

  test("read a long file piece by piece", async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join("\n");
    const { results } = await callTools(
      [
        { name: "read", input: { path: "a.txt" } },
        { name: "read", input: { path: "a.txt", from_line: 4999, lines: 1 } },
      ],
      (there) => writeFile(join(there, "a.txt"), lines),
    );
    expect(results[0]).toMatch(/^line 1\n.*\nline 2000\n\[lines 1 to 2000 of 5000\]$/s);
    expect(results[1]).toBe("line 4999\n[lines 4999 to 4999 of 5000]");
  });

  test("search by text and by pattern", async () => {
    const { results } = await callTools(
      [
        { name: "search", input: { pattern: "a.c" } },
        { name: "search", input: { pattern: "a.c", is_regex: true, path: "src" } },
        { name: "search", input: { pattern: "-v" } },
        { name: "search", input: { pattern: "((", is_regex: true } },
      ],
      async (there) => {
        await mkdir(join(there, "src"));
        await mkdir(join(there, "node_modules"));
        await writeFile(join(there, "src/one.txt"), "abc\na.c\n");
        await writeFile(join(there, "two.txt"), "a.c\n");
        await writeFile(join(there, "node_modules/three.txt"), "a.c\n");
      },
    );
    expect(results[0]!.split("\n").toSorted()).toEqual(["src/one.txt:2:a.c", "two.txt:1:a.c"]);
    expect(results[1]).toBe("src/one.txt:1:abc\nsrc/one.txt:2:a.c");
    expect(results[2]).toBe("(nothing found)");
    expect(results[3]).toMatch(/Unmatched|could not/);
  });

  test("run commands for so long, keep the beginning and the end of what they write, and leave nothing behind", {
    tags: "long",
  }, async () => {
    const { results, folder } = await callTools([
      { name: "run", input: { command: "echo out; echo err >&2; exit 3" } },
      { name: "run", input: { command: "echo begun; sleep 60", seconds: 1 } },
      { name: "run", input: { command: "echo first; seq 1 100000; echo last" } },
      { name: "run", input: { command: "(sleep 1; echo late > late.txt) & echo begun" } },
      { name: "run", input: { command: "sleep 1.5; ls" } },
      { name: "run", input: { command: "cat; echo no input" } },
    ]);
    expect(results[0]).toMatch(/^\[exit code 3\]\n(out\nerr|err\nout)\n$/);
    expect(results[1]).toBe("[ended after 1 seconds]\nbegun\n");
    expect(results[2]!.length).toBeLessThan(32_000);
    expect(results[2]).toMatch(/^\[exit code 0\]\nfirst\n.*characters left out.*last\n$/s);
    expect(results[4]).toBe("[exit code 0]\n");
    expect(results[5]).toBe("[exit code 0]\nno input\n");
    expect(await readdir(folder)).toEqual([]);
  });
});

// By indexOf, this takes most of an hour.
test("an edit whose old text is almost there everywhere holds nobody up", async () => {
  const edit = { name: "edit", input: { path: "a.txt", old_text: `ab${"a".repeat(1024 * 1024)}`, new_text: "b" } };
  const { results } = await callTools([edit], (folder) =>
    writeFile(join(folder, "a.txt"), "a".repeat(2 * 1024 * 1024)),
  );
  expect(results).toEqual([expect.stringContaining("'old_text' is not in the file")]);
});
