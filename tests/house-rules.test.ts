import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { missingPackages } from "../tools/complete-lockfile.ts";
import { findQuickTests } from "../tools/find-quick-tests.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, "utf8");
const files = repositoryFiles();

test("README.md says how the tests are run", () => {
  expect(read("README.md")).toContain("npm test");
});

describe("package-lock.json", () => {
  const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, LockedPackage> };
  interface LockedPackage {
    readonly version?: string;
    readonly resolved?: string;
    readonly link?: boolean;
    readonly funding?: unknown;
  }
  const locked = Object.entries(lock.packages);

  test("says where a package is only if it is one of ours", () => {
    const ours = /^packages\/[\w-]+$/;
    const elsewhere = locked.filter(([, { resolved, link }]) => resolved && !(link && ours.test(resolved)));
    expect(elsewhere.map(([name]) => name)).toEqual([]);
  });

  test("names no registry or other host, so that everyone installs from their own", () => {
    const naming = locked.filter(([, { funding, ...rest }]) => JSON.stringify(rest).includes("://"));
    expect(naming.map(([name]) => name)).toEqual([]);
  });

  test("names the optional packages of all platforms, because npm ci asks for each", () => {
    expect(missingPackages(lock.packages).map(({ place }) => place)).toEqual([]);
  });
});

test.for(files.filter((path) => /(^|\/)package\.json$/.test(path)))("%s asks for exact versions", (path) => {
  const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
  const manifest = JSON.parse(read(path)) as Record<string, Record<string, string>>;
  const ranges = kinds
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(ranges).toEqual([]);
});

test("prose has at most 100 characters a line; tables, headings and samples may have more", () => {
  const long = files
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) => proseOf(read(path)).map(({ text, line }) => ({ text, place: `${path}:${line}` })))
    .filter(({ text }) => [...text].length > 100)
    // A code span or an address is not broken.
    .filter(({ text }) => !/^\s*(?:[-*] )?\S*(?:`[^`]*`|\S+)\S*$/.test(text));
  expect(long.map(({ place }) => place)).toEqual([]);
});

describe("paths of a developer's machine", () => {
  /** Files that need such a path, each with why. */
  const allowed: Readonly<Record<string, string>> = {};

  test("stand in no file", () => {
    const found = files
      .filter((path) => !(path in allowed))
      .flatMap((path) => linesWithMachinePaths(read(path)).map((line) => `${path}:${line}`));
    expect(found).toEqual([]);
  });

  test("are told from addresses and from paths inside a project", () => {
    const home = ["", "home", "ann", "x.ts"].join("/");
    const windows = ["C:", "Users", "ann"].join("\\");
    expect(linesWithMachinePaths(`a\n${home}\n"file://${home}"\n(${windows})`)).toEqual([2, 3, 4]);
    expect(linesWithMachinePaths(`https://example.org${home}\nsrc${home}\n\${base}${home}\n/homepage/`)).toEqual([]);
  });
});

test("what a build makes is not in the repository", () => {
  const made = /(^|\/)(dist|coverage|node_modules)\/|\.tsbuildinfo$/;
  expect(files.filter((path) => made.test(path))).toEqual([]);
});

describe("tests that start no process and no database", () => {
  test("are found by what they load", () => {
    const quick = findQuickTests(root);
    expect(quick).toContain("packages/spec/tests/graph.test.ts");
    expect(quick).toContain("tests/house-rules.test.ts");
    expect(quick).not.toContain("packages/cli/tests/validate.test.ts");
    expect(quick).not.toContain("packages/server/tests/features/auth/tokens.test.ts");
  });
});

describe("docs/decisions", () => {
  const decisions = existsSync(`${root}/docs/decisions`) ? readdirSync(`${root}/docs/decisions`).sort() : [];

  test("are numbered from 0001 on, without gaps and repeats", () => {
    expect(decisions).not.toEqual([]);
    expect(decisions.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name))).toEqual([]);
    expect(decisions.map((name) => Number(name.slice(0, 4)))).toEqual(decisions.map((_, index) => index + 1));
  });

  test.for(decisions)("%s tells context, decision and consequence", (name) => {
    const headings = [...read(`docs/decisions/${name}`).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(expect.arrayContaining(["Context", "Decision", "Consequence"]));
  });
});

test("a test that does more in `npm run test:long` says so in its tag, by which it is found", () => {
  const tests = files.filter((path) => path.endsWith(".test.ts") && path !== "tests/house-rules.test.ts");
  const untagged = tests
    .map((path) => ({ path, text: read(path) }))
    .filter(({ text }) => /SLIPWAY_LONG|soakRuns|soakCases|soakSize|hostile-texts/.test(text))
    .filter(({ text }) => !/^\/\/ @module-tag soak$/m.test(text));
  expect(untagged.map(({ path }) => path)).toEqual([]);
});

test("the tests that docs/security.md names for each finding are there", () => {
  const rows = read("docs/security.md").match(/^\| \d+ \| .* \|$/gm) ?? [];
  expect(rows.map((row) => Number(row.split("|")[1]))).toEqual(Array.from({ length: 27 }, (_, at) => at + 1));
  for (const row of rows) {
    let path = "";
    for (const [, file, name] of row.matchAll(/\]\(\.\.\/(\S+)\)|"([^"]+)"/g))
      if (file !== undefined) path = file;
      else expect(read(path), path).toContain(name);
    expect(path, row).not.toBe("");
  }
});

/** Every file that is in the repository, or would be with the next commit. */
function repositoryFiles(): string[] {
  const options = ["--cached", "--others", "--exclude-standard", "-z"];
  const listed = execFileSync("git", ["ls-files", ...options], { cwd: root, encoding: "utf8" });
  const paths = new Set(listed.split("\0").filter((path) => path !== ""));
  return [...paths].filter((path) => existsSync(`${root}/${path}`)).sort();
}

/** The numbers of the lines that name a place on someone's machine. */
function linesWithMachinePaths(text: string): number[] {
  const machinePath = /(?<![\w.@~}-])\/(?:work|home|root|Users)\/|\b[A-Z]:\\+Users\\/;
  const lines = text.split("\n");
  return lines.flatMap((line, index) => (machinePath.test(line) ? [index + 1] : []));
}

/** The lines of a page that are neither sample, table, heading, image nor markup. */
function proseOf(page: string): { text: string; line: number }[] {
  let isSample = false;
  return page.split("\n").flatMap((text, index) => {
    const isFence = /^\s*(?:```|~~~)/.test(text);
    if (isFence) isSample = !isSample;
    return isFence || isSample || /^\s*(?:[|#<]|!\[)/.test(text) ? [] : [{ text, line: index + 1 }];
  });
}
