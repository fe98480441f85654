import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorsDialler } from "../../../src/platform/network/index.ts";
import { judgeScan, loadAdvisories } from "../../../src/verification/scans/index.ts";
import { countTurns } from "../../support/count-turns.ts";
import { folderWith, guardrailsOf, noAdvisories, scanFolder } from "../../support/scans/scan-files.ts";

const dialler = operatorsDialler();
const deps = { dial: dialler.fetch, signal: new AbortController().signal };

const advisory = (id: string, ecosystem: string, name: string, events: object[], rest: object = {}) => ({
  id,
  summary: `${name} leaks`,
  affected: [{ package: { ecosystem, name }, ranges: [{ type: "SEMVER", events }] }],
  ...rest,
});
const advisories = [
  advisory("OSV-1", "npm", "@harbour/knots", [{ introduced: "0" }, { fixed: "2.1.0" }], {
    database_specific: { severity: "CRITICAL" },
  }),
  advisory("OSV-2", "PyPI", "Sea_Chart", [{ introduced: "1.0" }, { last_affected: "1.5" }], {
    severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N" }],
  }),
  advisory("OSV-3", "Go", "example.org/tide", [{ introduced: "1.0.0" }, { fixed: "1.4.0" }, { introduced: "2.0.0" }]),
  advisory("OSV-4", "crates.io", "mast", [{ introduced: "0.3.0-beta.2" }, { fixed: "0.3.0" }]),
  advisory("OSV-5", "npm", "@harbour/knots", [{ introduced: "0" }], { withdrawn: "2026-01-01T00:00:00Z" }),
];
const project = {
  "package-lock.json": JSON.stringify({
    lockfileVersion: 3,
    packages: {
      "": { name: "harbour" },
      "node_modules/@harbour/knots": { version: "2.0.9", license: "MIT" },
      "node_modules/other/node_modules/@harbour/knots": { version: "2.1.0", license: "ISC", dev: true },
    },
  }),
  "tools/requirements.txt": "# charts\nsea-chart==1.5  # pinned\nflask==3.0.0\n",
  "go.sum": "example.org/tide v1.3.9 h1:abc=\nexample.org/tide v1.3.9/go.mod h1:abc=\nexample.org/tide v1.4.2 h1:x=\n",
  "Cargo.lock":
    '[[package]]\nname = "own"\nversion = "0.1.0"\n\n[[package]]\nname = "mast"\nversion = "0.3.0-beta.10"\nsource = "registry+x"\n',
};
const expected = [
  "critical package-lock.json dependencies/OSV-1 Use version 2.1.0 or later.",
  "high Cargo.lock dependencies/OSV-4 Use version 0.3.0 or later.",
  "high go.sum dependencies/OSV-3 Use version 1.4.0 or later.",
  "medium tools/requirements.txt dependencies/OSV-2 There is no fixed version: replace the package.",
];

const server = createServer((_, response) => response.end(advisories.map((one) => JSON.stringify(one)).join("\n")));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => server.close());

test("packages of four ecosystems are judged by a folder of advisories, and by an address", async () => {
  const folder = await folderWith(project);
  const files = Object.fromEntries(advisories.map((one) => [`osv/${one.id}.json`, JSON.stringify(one)]));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/all.jsonl`;
  for (const location of [await folderWith(files), url]) {
    const { findings, scanners } = await scanFolder(folder, { advisories: await loadAdvisories(deps, location) });
    const found = findings.map(({ severity, path, ruleId, remedy }) => `${severity} ${path} ${ruleId} ${remedy}`);
    expect(found).toEqual(expected);
    expect(scanners.at(-1)).toMatchObject({ scanner: "dependencies", state: "scanned" });
  }
});

test("an empty folder of advisories is refused: it must not look like a project without weaknesses", async () => {
  await expect(loadAdvisories(deps, await folderWith({ "readme.txt": "" }))).rejects.toThrow(
    "no advisory in OSV's format",
  );
});

test("advisories that are cut off, or of which a line is broken, are refused, and `withdrawn: null` is none", async () => {
  const [first, second] = advisories.map((one) => JSON.stringify(one)) as [string, string];
  const load = async (files: Record<string, string>) => loadAdvisories(deps, await folderWith(files));
  await expect(load({ "all.jsonl": `${first}\n${second.slice(0, -20)}\n` })).rejects.toThrow(
    "line 2 of 'all.jsonl' is no JSON",
  );
  await expect(load({ "a.json": first, "b.json": second.slice(0, 40) })).rejects.toThrow(
    "line 1 of 'b.json' is no JSON",
  );
  const standing = await load({ "a.json": JSON.stringify({ ...advisories[0], withdrawn: null }) });
  expect(standing.count).toBe(1);
});

test("twenty thousand advisories leave others their turns", async () => {
  const list = Array.from({ length: 20_000 }, (_, at) => JSON.stringify(advisory(`OSV-${at}`, "npm", `p${at}`, [])));
  const answer = Buffer.from(list.join("\n"));
  const turns = countTurns();
  const { count } = await loadAdvisories({ ...deps, dial: async () => new Response(answer) }, "https://osv.example");
  expect(turns()).toBeGreaterThan(3);
  expect(count).toBe(20_000);
});

test("without advisories, or without exact versions, packages are not scanned and 'block' fails", async () => {
  const guardrails = guardrailsOf();
  const without = await scanFolder(await folderWith(project));
  expect(judgeScan({ guardrails }, without)[0]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining(noAdvisories.slice(0, -1)),
  });
  const loose = await folderWith({ "package.json": '{ "dependencies": { "knots": "^1.0.0" } }' });
  const known = await loadAdvisories(deps, await folderWith({ "a.json": JSON.stringify(advisories) }));
  const result = await scanFolder(loose, { advisories: known });
  expect(judgeScan({ guardrails }, result)[0]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("Commit a lockfile"),
  });
  const none = await scanFolder(await folderWith({ "package.json": '{ "name": "harbour" }' }));
  expect(judgeScan({ guardrails }, none)[0]).toMatchObject({ verdict: "passed" });
});

test("a version is found in a list however it is written", async () => {
  const listed = { id: "OSV-6", affected: [{ package: { ecosystem: "PyPI", name: "buoy" }, versions: ["1.5"] }] };
  const known = await loadAdvisories(deps, await folderWith({ "a.json": JSON.stringify(listed) }));
  const written = ["1.5", "1.5.0", "0!1.5", "v1.5", "1.5+local", "1.5.1", "1.5rc1"];
  const found: string[] = [];
  for (const version of written) {
    const folder = await folderWith({ "requirements.txt": `buoy==${version}\n` });
    const { findings } = await scanFolder(folder, { advisories: known });
    if (findings.length > 0) found.push(version);
  }
  expect(found).toEqual(written.slice(0, 5));
});
