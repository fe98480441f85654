import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSpec, resolveSpec } from "@slipway/spec";
import { expect, onTestFinished, test } from "vitest";
import {
  acceptancePage,
  canCheckTypes,
  foreseeVerdicts,
  missingPrograms,
  preflight,
  uncheckedReason,
} from "../../src/verification/index.ts";

const nothing = { roles: [], secrets: [], acceptance: [], missing: [], noBrowser: undefined, document: {} };

test("programs that scripts start and that are not there are found, with their packages", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "go"), "");
  await chmod(join(folder, "go"), 0o755);
  const scripts = {
    build: "A=b go build && cargo build | tee x",
    test: "cargo test; vitest run",
    start: "./run --fast",
  };
  expect(await missingPrograms(scripts, `relative:${folder}`)).toEqual([
    { program: "cargo", script: "build", remedy: "Run 'apt install cargo'." },
  ]);
  await writeFile(join(folder, "python3"), "#!/bin/sh\nexit 1\n");
  await chmod(join(folder, "python3"), 0o755);
  const test = "python3 -m pytest tests";
  for (const command of [test, "pytest -q"])
    expect(await missingPrograms({ test: command }, folder)).toEqual([
      { program: "pytest", script: "test", remedy: "Run 'apt install python3-pytest'." },
    ]);
  // A project may bring its own.
  expect(await missingPrograms({ build: "python3 -m venv .venv", test }, folder)).toEqual([]);
  await writeFile(join(folder, "python3"), "#!/bin/sh\nexit 0\n");
  expect(await missingPrograms({ test }, folder)).toEqual([]);
});

test("checks that the service makes by itself are foreseen, types only where something here checks them", async () => {
  const tools = await mkdtemp(join(tmpdir(), "slipway-test-"));
  onTestFinished(() => rm(tools, { recursive: true, force: true }));
  const foreseen = async (language: string, isBuiltByRule = true) => {
    const { document } = parseSpec(`spec_version: "1.0.0"
id: a
name: A
description: B
outcome_type: library
stack: { language: ${language} }
acceptance: { runtime_dependencies_max: 0, package_size_max_kb: 90, first_load_max_kb: many }
guardrails: { type_check: true }
`);
    const resolved = resolveSpec(document!).document;
    const hasTypeChecker = await canCheckTypes(resolved, { isBuiltByRule, path: tools });
    const lines = foreseeVerdicts(resolved, { answered: [], hasBrowser: true, hasTypeChecker });
    return lines.filter(({ canBeVerified }) => canBeVerified).map(({ pointer }) => pointer);
  };
  const known = [
    "/acceptance/package_size_max_kb",
    "/acceptance/runtime_dependencies_max",
    "/guardrails/security_scan",
  ];
  for (const language of ["cobol", "typescript", "python3"])
    expect((await foreseen(language)).toSorted()).toEqual(known);
  // Another agent's project may bring its own compiler.
  expect((await foreseen("typescript", false)).toSorted()).toEqual([...known, "/guardrails/type_check"]);
  const write = async (program: string, text: string) => {
    await writeFile(join(tools, program), text);
    await chmod(join(tools, program), 0o755);
  };
  await write("tsc", 'console.log("Version 5.7.3");\n');
  expect((await foreseen("typescript")).toSorted()).toEqual(known);
  await write("tsc", 'console.log("Version 5.8.3");\n');
  await write("python3", "#!/bin/sh\nexit 0\n");
  for (const language of ["typescript", "python3"])
    expect((await foreseen(language)).toSorted()).toEqual([...known, "/guardrails/type_check"]);
});

test("scores of a model and broken links are foreseen, as far as anybody measures them", () => {
  const foreseen = (type: string) => {
    const { document } = parseSpec(`spec_version: "1.0.0"
id: a
name: A
description: B
outcome_type: ${type}
stack: {}
acceptance: { broken_links: 0, metrics: { f1: 0.9 }, performance: { recall: 0.9, carbon_kg: 1 } }
`);
    const here = { answered: [], hasBrowser: true, hasTypeChecker: true };
    const lines = foreseeVerdicts(resolveSpec(document!).document, here);
    return lines.filter(({ canBeVerified }) => canBeVerified).map(({ pointer }) => pointer);
  };
  const links = ["/acceptance/broken_links", "/guardrails/security_scan"];
  expect(foreseen("web-app").toSorted()).toEqual(links);
  const scores = ["/acceptance/metrics", "/acceptance/performance/recall"];
  expect(foreseen("ml-pipeline").toSorted()).toEqual([...links, ...scores].toSorted());
});

test("a word that documents often have and nobody checks says how it can be checked", () => {
  const pointer = "/acceptance/accessibility";
  const line = { pointer, title: 'accessibility: "AA"', can_be_verified: false, asked_of: null };
  expect(preflight({ ...nothing, acceptance: [line] })).toMatchObject([
    { pointer, remedy: expect.stringMatching(/scanner such as axe in 'commands'/) },
  ]);
  expect(uncheckedReason(pointer)).toMatch(/^Nobody here scans pages for accessibility\..*'ux_flows'/);
  expect(uncheckedReason("/acceptance/looks_lovely")).toMatch(/^Nobody here can check it/);
});

test("what makes a run fail comes first, each with the command that mends it", () => {
  const found = preflight({
    ...nothing,
    roles: [
      { role: "implementer", capabilities: ["api", "cobol"], availability: "unknown" },
      { role: "planner", capabilities: [], availability: "free" },
    ],
    secrets: [
      { name: "KEY", is_required: true, is_found: false, reason: null, remedy: "Run 'slipway secrets set KEY'." },
    ],
    acceptance: [
      { pointer: "/acceptance/looks_lovely", title: "It looks lovely", can_be_verified: false, asked_of: null },
      { pointer: "/acceptance/sounds_good", title: "It sounds good", can_be_verified: false, asked_of: "agent_1" },
      { pointer: "/acceptance/ux_flows/0", title: "A flow", can_be_verified: false, asked_of: null },
    ],
    missing: [{ program: "go", script: "build", remedy: "Run 'apt install golang-go'." }],
    noBrowser: "Install Chromium.",
    document: { scripts: { build: "go build" }, requirements: { agents: { implementer: {} } } },
  });
  expect(found.map(({ kind, is_blocking, pointer }) => [kind, is_blocking, pointer])).toEqual([
    ["agent", true, "/requirements/agents/implementer"],
    ["secret", true, "/secrets/required"],
    ["program", true, "/scripts/build"],
    ["program", false, "/acceptance/ux_flows/0"],
    ["check", false, "/acceptance/looks_lovely"],
  ]);
  expect(found[0]?.remedy).toContain("slipway agents add --name NAME --kind worker --capabilities api,cobol");
  expect(preflight(nothing)).toEqual([]);
});

test("a report's page has a part for what was not used or not built, escaped", () => {
  const report = {
    ...{ project_id: "proj_1", commit: null, checked_at: null, lines: [] },
    counts: { passed: 0, failed: 0, not_checked: 0, waived: 0 },
    handed_on: [],
    unmet: [{ pointer: "/pages/0/<b>", line: 7, reason: "The builder does not use this." }],
  };
  const page = acceptancePage("Shop", report);
  expect(page).toContain("<h2>Not used / not built</h2>");
  expect(page).toContain("<td>7</td><td>/pages/0/&lt;b&gt;</td><td>The builder does not use this.</td>");
  expect(acceptancePage("Shop", { ...report, unmet: [] })).not.toContain("Not used");
});
