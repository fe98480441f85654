import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { withoutNpm } from "../../../src/verification/scripts/without-npm.ts";

const base = await mkdtemp(join(tmpdir(), "slipway-npm-"));
afterAll(() => rm(base, { recursive: true }));

const plain = {
  name: "shop",
  version: "1.2.3",
  scripts: { start: "node src/main.js", "build.all": "node --check a.js" },
};

async function folderWith(manifest: unknown): Promise<string> {
  const folder = await mkdtemp(join(base, "package-"));
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

test("npm is left out where its script is one plain call of Node, which still learns its name and version", async () => {
  const folder = await folderWith(plain);
  const names = "npm_package_name=shop npm_package_version=1.2.3";
  expect(await withoutNpm(folder, " npm start ")).toBe(`${names} node src/main.js`);
  expect(await withoutNpm(folder, "npm run start")).toBe(`${names} node src/main.js`);
  expect(await withoutNpm(folder, "npm run build.all")).toBe(`${names} node --check a.js`);
});

test.for([
  ["another script", plain, "npm run deploy"],
  ["arguments", plain, "npm start -- --port 1"],
  ["variables", plain, "CI=1 npm start"],
  ["another program", plain, "yarn start"],
  ["words for a shell", { ...plain, scripts: { start: "node a.js && node $B" } }, "npm start"],
  ["a program of a dependency", { ...plain, scripts: { start: "next start" } }, "npm start"],
  ["dependencies", { ...plain, dependencies: {} }, "npm start"],
  ["dependencies for development", { ...plain, devDependencies: { a: "1" } }, "npm start"],
  ["a hook before it", { ...plain, scripts: { ...plain.scripts, prestart: "node a.js" } }, "npm start"],
  ["a hook after it", { ...plain, scripts: { ...plain.scripts, poststart: "node a.js" } }, "npm start"],
  ["a version for a shell", { ...plain, version: "$(id)" }, "npm start"],
  ["no name", { ...plain, name: undefined }, "npm start"],
  ["scripts that are none", { ...plain, scripts: 7 }, "npm start"],
  ["a manifest that is none", [], "npm start"],
] as const)("npm keeps its command: %s", async ([, manifest, command]) => {
  expect(await withoutNpm(await folderWith(manifest), command)).toBe(command);
});

test("npm keeps its command where it has settings, or a manifest that is missing or a link", async () => {
  const folder = await folderWith(plain);
  await writeFile(join(folder, ".npmrc"), "script-shell=/bin/bash\n");
  expect(await withoutNpm(folder, "npm start")).toBe("npm start");
  const linked = await mkdtemp(join(base, "linked-"));
  expect(await withoutNpm(linked, "npm start")).toBe("npm start");
  await symlink(join(folder, "package.json"), join(linked, "package.json"));
  expect(await withoutNpm(linked, "npm start")).toBe("npm start");
});
