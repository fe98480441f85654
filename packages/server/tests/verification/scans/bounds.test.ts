import { expect, test } from "vitest";
import { scanPage } from "../../../src/verification/scans/code/scan-page.ts";
import { readComponents } from "../../../src/verification/scans/dependencies/read-components.ts";
import { judgeScan } from "../../../src/verification/scans/index.ts";
import { KeptFindings } from "../../../src/verification/scans/kept-findings.ts";
import { findSecrets } from "../../../src/verification/scans/secrets/find-secrets.ts";
import { folderWith, type Guardrails, guardrailsOf, scanFolder } from "../../support/scans/scan-files.ts";

// Each of these pushed something bad beyond what was looked at, and was green.

type Files = Readonly<Record<string, string>>;

async function verdictOf(files: Files, guardrails: Partial<Guardrails>, limits?: Parameters<typeof scanFolder>[1]) {
  const result = await scanFolder(await folderWith(files), { guardrails, ...limits });
  return judgeScan({ guardrails: guardrailsOf(guardrails) }, result)[0]?.verdict;
}

const danger = "NODE_TLS_REJECT_UNAUTHORIZED=0 node a.js";
const waiver = { reason: "it is theirs", expires: "2099-01-01" };

test("findings that are waived push out none that is not", async () => {
  const rule = "shell/no-certificate-check";
  const guardrails = { security_scan: "error", security_waivers: [{ ...waiver, rule, path: "a.sh" }] } as const;
  const files = { "a.sh": `${danger}\n`.repeat(2_001), "b.sh": `${danger}\n` };
  expect(await verdictOf(files, guardrails)).toBe("failed");
});

test("a file with more findings than a call takes arguments is scanned, and all of them are counted", {
  tags: "long",
}, async () => {
  const files = { "a.py": "eval(x)\n".repeat(150_000), "b.sh": `${danger}\n` };
  const { findings, leftOut } = await scanFolder(await folderWith(files), { guardrails: { security_scan: "error" } });
  expect(findings).toHaveLength(2_000);
  expect(findings.length + leftOut).toBe(150_001);
});

test("the worst findings are kept, wherever they come, and those that are waived go first", () => {
  const one = { line: 1, message: "m", remedy: "r", scanner: "shell", source: "s" } as const;
  const many = (ruleId: string, severity: "low" | "high", path: string, count: number) =>
    Array.from({ length: count }, () => ({ ...one, ruleId, severity, path }));
  const kept = new KeptFindings([{ ...waiver, rule: "waived", path: "a" }]);
  kept.add(many("waived", "high", "a", 5_000));
  kept.add(many("open", "low", "b", 1_500), 7);
  kept.add(many("open", "high", "c", 400));
  const { findings, leftOut } = kept.end();
  const counts = Object.groupBy(findings, ({ path }) => path);
  expect(["c", "b", "a"].map((path) => counts[path]?.length)).toEqual([400, 1_500, 100]);
  expect(findings[0]?.path).toBe("c");
  expect(findings.length + leftOut).toBe(5_000 + 1_500 + 7 + 400);
  // Equal lines of a file are told apart.
  expect(new Set(counts["b"]?.map(({ fingerprint }) => fingerprint)).size).toBe(1_500);
});

test("a script that nobody could lint is not green", async () => {
  const files = { "a.js": "export const a = 1;\n", "b.js": `debugger;\n${"// x\n".repeat(300)}` };
  const guardrails = { security_scan: "off", lint: true } as const;
  expect(await verdictOf(files, guardrails, { limits: { maxFileBytes: 1_000 } })).toBe("not_checked");
  expect(await verdictOf({ "a.js": files["a.js"] }, guardrails)).toBe("passed");
});

test.each([
  ["among a thousand others", { "package-lock.json": `{${" ".repeat(100)}` }, { maxFileBytes: 10 }, 1_001],
  ["of another package manager", { "yarn.lock": `a${"a".repeat(2_000)}@1:\n  version "1.0.0"\n` }, {}, 0],
  ["beyond the files that are read", { "poetry.lock": "" }, { maxFiles: 1 }, 3],
] as const)(
  "the licences of a lockfile that cannot be read are not green: %s",
  { tags: "long" },
  async (_, lock, limits, count) => {
    const others = Array.from({ length: count }, (__, index) => [`a/${index}.txt`, "x".repeat(20)]);
    const files: Files = { ...Object.fromEntries(others), ...lock };
    const guardrails = { security_scan: "off", license_whitelist: ["MIT"] } as const;
    // The last ones that are listed are those of the first folder.
    const verdict = await verdictOf(
      "poetry.lock" in lock
        ? Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace("poetry", "a/poetry"), text]))
        : files,
      guardrails,
      { limits },
    );
    expect(verdict).toBe("failed");
  },
);

test("a licence is not cut off to one that is allowed", async () => {
  const packages = { "node_modules/a": { version: "1.0.0", license: `MIT${" ".repeat(250)} AND GPL-3.0-only` } };
  const files = { "package-lock.json": JSON.stringify({ lockfileVersion: 3, packages }) };
  expect(await verdictOf(files, { security_scan: "off", license_whitelist: ["MIT"] })).toBe("failed");
});

test.each([
  [
    "package-lock.json",
    () => {
      const many = Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`c${at}`, { version: "1.0.0" }]));
      const parents = Array.from({ length: 200 }, (_, at) => [`p${at}`, { version: "1.0.0", dependencies: many }]);
      const first = { version: "1.0.0", dependencies: { hidden: { version: "1.0.0" } } };
      return JSON.stringify({ dependencies: { first, ...Object.fromEntries(parents) } });
    },
  ],
  [
    "yarn.lock",
    () => `${Array.from({ length: 300 }, (_, at) => `hidden@^1.0.${at}`).join(", ")}:\n  version "1.0.0"\n`,
  ],
  ["requirements.txt", () => `hidden[${"x".repeat(300)}]==1.0.0\n`],
  ["pyproject.toml", () => `[project]\ndependencies = [\n  # ${"x".repeat(20_000)}\n  "hidden==1.0.0",\n]\n`],
  ["pyproject.toml", () => `[project]\ndependencies = [\n  "hidden==1.0.0 ; ${"x".repeat(300)}",\n]\n`],
  ["go.sum", () => `hidden.example/${"x".repeat(400)} v1.0.0 h1:abc=\n`],
])("a package in %s is listed, however much stands before it or beside it", async (path, text) => {
  const folder = await folderWith({ [path]: text() });
  const { components, unread } = await readComponents(folder, { paths: [path] }, new AbortController().signal);
  expect(unread).toEqual([]);
  expect(components.map(({ name }) => name).filter((name) => name.startsWith("hidden"))).toHaveLength(1);
});

const gap = " ".repeat(5_000);

test.each([
  ["a.sh", `true;${gap}${danger}\n`],
  ["a.sh", `: ${"x".repeat(30_000)}; ${danger}\n`],
  ["a.sh", `${"true; \\\n".repeat(4_000)}curl \\\n -k https://x.example\n`],
  ["Dockerfile", `FROM node:24.1\nUSER node\nRUN true;${"x".repeat(5_000)}; ${danger}\n`],
  ["Dockerfile", `FROM node:24.1\nUSER node\nRUN true \\\n${`  ${"x".repeat(1_000)} \\\n`.repeat(60)}; ${danger}\n`],
  ["compose.yaml", `services:\n  a:\n  ${gap}privileged: true\n`],
  ["a.py", `${"y = 1; ".repeat(4_000)}eval(input())\n`],
  ["a.html", `<script data-x="${"x".repeat(600)}">eval(location.hash)</script>\n`],
  ["a.ejs", `<p><%- ${"x".repeat(300)} %></p>\n`],
  ["package.json", `{"scripts":{"postinstall":"${danger}"}}\n`],
  ["package.json", `{\n  "scripts": {\n    "postinstall": "true;${"x".repeat(5_000)}; ${danger}"\n  }\n}\n`],
])("a dangerous line is not green beyond what is read of %s", async (path, text) => {
  expect(await verdictOf({ [path]: text }, { security_scan: "block" })).toBe("failed");
});

test("many findings of one rule hide none of another", { tags: "long" }, async () => {
  const rulesOf = (text: string) => {
    const scan = scanPage(text);
    return new Set("spotted" in scan ? scan.spotted.map(({ ruleId }) => ruleId) : []);
  };
  const other = "<script>document.body.innerHTML = location.hash;</script>\n";
  const [rule] = rulesOf(other);
  expect(rule).toBeDefined();
  expect(rulesOf("<script>eval(x)</script>\n".repeat(501) + other)).toContain(rule);
  const letters = "QZ7XWV5PLKTR3M2N";
  const keys = Array.from({ length: 250 }, (_, at) => `AKIA${letters.slice(at % 16)}${letters.slice(0, at % 16)}`);
  const token = ["ghp", "q8Zx7Wv6Ut5Sr4Qp3On2Ml1Kj0Ih9Gf8Ed7C"].join("_");
  const found = await findSecrets("a.txt", `${keys.join("\n")}\n${token}\n`);
  expect(found.map(({ ruleId }) => ruleId)).toContain("secrets/github-token");
  expect(found.map(({ message }) => message).join()).toContain("100 of the kind are listed; there may be more.");
  const packed = Buffer.from(`${"some words ".repeat(400)}${token}\n`).toString("base64");
  expect((await findSecrets("a.txt", packed)).map(({ ruleId }) => ruleId)).toContain("secrets/github-token");
});

test("lists that are cut say so", { tags: "long" }, async () => {
  const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.txt`, "x".repeat(20)]));
  const broken = { ...files, "a.sh": `${danger}\n`.repeat(201), "package-lock.json": "{" };
  const { evidence, log } = await scanFolder(await folderWith(broken), { limits: { maxFileBytes: 10_000 } });
  const textOf = (type: string) => evidence.find((one) => one.type === type)?.text ?? "";
  expect(log).toContain("1 further finding is left out.");
  expect(textOf("sbom")).toContain('"aggregate": "incomplete"');
  const small = await scanFolder(await folderWith(files), { limits: { maxFileBytes: 10 } });
  expect(small.evidence[0]?.text).toContain("1 further file was not scanned.");
});
