import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { folderWith, scanFolder } from "../../support/scans/scan-files.ts";

const project = {
  "src/näme #1.js": 'import { exec } from "child_process";\nexport const run = (req) => exec(req.query.command);\n',
  "main.go": "package main\n",
  "package-lock.json": JSON.stringify({
    lockfileVersion: 3,
    packages: {
      "node_modules/@harbour/knots": { version: "1.0.0", license: "MIT" },
      "node_modules/ropes": { version: "2.0.0", license: "(MIT OR Apache-2.0)" },
      "node_modules/sails": { version: "3.0.0", dev: true },
    },
  }),
  "node_modules/sails/package.json": '{ "name": "sails", "version": "3.0.0", "license": "Unusual" }',
};

test("the report is SARIF 2.1.0: a run a scanner, places, suppressions, and what was not scanned", async () => {
  const waiver = { rule: "code/command-injection", path: "src/", reason: "only for us", expires: "2027-01-01" };
  const { evidence } = await scanFolder(await folderWith(project), { guardrails: { security_waivers: [waiver] } });
  const [report] = evidence;
  expect(report).toMatchObject({ type: "security_scan", path: "verification/scan.sarif" });
  const log = JSON.parse(report!.text);
  expect(log.version).toBe("2.1.0");
  const code = log.runs.find((run: { tool: { driver: { name: string } } }) => run.tool.driver.name === "slipway code");
  expect(code.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(["code/command-injection"]);
  expect(code.results).toMatchObject([
    {
      ruleId: "code/command-injection",
      ruleIndex: 0,
      level: "error",
      locations: [
        { physicalLocation: { artifactLocation: { uri: "src/n%C3%A4me%20%231.js" }, region: { startLine: 2 } } },
      ],
      suppressions: [{ kind: "external", justification: "only for us (until 2027-01-01)" }],
    },
  ]);
  expect(report!.text).toContain("Not scanned: The operator has set no advisory database");
  expect(report!.text).toContain("main.go is in a language that no rule reads");
  expect(problemsOf(log)).toEqual([]);
});

test("the bill of materials is CycloneDX 1.6 with licences, and the same for the same packages", async () => {
  const folder = await folderWith(project);
  const [{ evidence }, { evidence: again }] = [await scanFolder(folder), await scanFolder(folder)];
  expect(evidence[1]).toEqual(again[1]);
  const bom = JSON.parse(evidence[1]!.text);
  expect(bom).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { name: "harbour" } },
  });
  expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(bom.components).toMatchObject([
    {
      group: "@harbour",
      name: "knots",
      purl: "pkg:npm/%40harbour/knots@1.0.0",
      licenses: [{ license: { id: "MIT" } }],
    },
    { name: "ropes", licenses: [{ expression: "(MIT OR Apache-2.0)" }], scope: "required" },
    { name: "sails", licenses: [{ license: { name: "Unusual" } }], scope: "excluded" },
  ]);
});

test("the same weakness keeps its fingerprint when lines move", async () => {
  const text = project["src/näme #1.js"];
  const [before, after] = [
    await scanFolder(await folderWith({ "a.js": text })),
    await scanFolder(await folderWith({ "a.js": `\n\n${text}` })),
  ];
  expect(before.findings[0]!.line + 2).toBe(after.findings[0]!.line);
  expect(before.findings[0]!.fingerprint).toBe(after.findings[0]!.fingerprint);
});

/** What the published schema says against a report. */
function problemsOf(log: unknown): unknown[] {
  const file = createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
  // Its dialect marks are those of draft 4; what it uses means the same in the current one.
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
  return validate(log) ? [] : (validate.errors ?? []);
}
