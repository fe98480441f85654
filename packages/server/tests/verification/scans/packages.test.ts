import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, scanFolder } from "../../support/scans/scan-files.ts";

type Files = Readonly<Record<string, string>>;

/** Every package of a project as `name@version`, where it has one. */
async function packagesOf(files: Files): Promise<readonly string[]> {
  const { components } = await scanFolder(await folderWith(files));
  return components.map(({ name, version }) => (version === undefined ? name : `${name}@${version}`)).sort();
}

const emptyLock = '{ "lockfileVersion": 3, "packages": {} }';

test.each<[string, Files, readonly string[]]>([
  [
    "npm, also in scopes, inside others, and without a package.json",
    {
      "package-lock.json": emptyLock,
      "node_modules/knots/package.json": '{ "name": "knots", "version": "1.0.0" }',
      "node_modules/@harbour/rope/package.json": '{ "version": "2.0.0" }',
      "node_modules/@harbour/rope/dist/esm/package.json": '{ "type": "module" }',
      "app/node_modules/knots/node_modules/hemp/package.json": '{ "name": "hemp", "version": "0.1.0" }',
      "node_modules/bare/index.js": "module.exports = 1;\n",
      "node_modules/.bin/knots": "knots\n",
    },
    ["@harbour/rope@2.0.0", "bare", "hemp@0.1.0", "knots@1.0.0"],
  ],
  [
    "Python",
    {
      "poetry.lock": "",
      "lib/site-packages/Sea_Chart-1.5.dist-info/METADATA":
        "Metadata-Version: 2.1\nName: Sea_Chart\nVersion: 1.5\n\nName: x\n",
      "lib/site-packages/buoy.egg-info/PKG-INFO": "Name: buoy\r\nVersion: 0.2\r\n",
      "own.egg-info/PKG-INFO": "Name: own\nVersion: 0.1\n",
    },
    ["buoy@0.2", "sea-chart@1.5"],
  ],
  [
    "Go",
    {
      "go.sum": "",
      "vendor/modules.txt":
        "# example.org/tide v1.3.9\n## explicit\nexample.org/tide/low\n# example.org/ebb v1.0.0 => example.org/flood v1.1.0\n# example.org/own v1.0.0 => ./own\n",
    },
    ["example.org/flood@1.1.0", "example.org/tide@1.3.9"],
  ],
  [
    "Rust",
    {
      "Cargo.lock": "version = 3\n",
      "vendor/mast/Cargo.toml":
        '[package]\nedition = "2021"\nname = "mast"\nversion = "0.3.0" # old\n\n[dependencies]\nx = "1"\n',
      "third/boom/.cargo-checksum.json": "{}",
      "third/boom/Cargo.toml": "[package]\nname = 'boom'\nversion = '1.0.0'\n",
    },
    ["boom@1.0.0", "mast@0.3.0"],
  ],
])("packages that are committed with a project count, whatever its lockfile tells: %s", async (_, files, expected) => {
  expect(await packagesOf(files)).toEqual(expected);
});

test("a package behind a folder of packages that is a link counts", async () => {
  const folder = await folderWith({ "parts/knots/package.json": '{ "name": "knots", "version": "1.0.0" }' });
  await symlink("parts", join(folder, "node_modules"));
  const { components } = await scanFolder(folder);
  expect(components).toMatchObject([{ name: "knots", version: "1.0.0", path: "parts/knots/package.json" }]);
});

test("a package that is committed tells its own licence", async () => {
  const files = {
    "package-lock.json": '{ "packages": { "node_modules/knots": { "version": "1.0.0", "license": "MIT" } } }',
    "node_modules/knots/package.json": '{ "name": "knots", "version": "1.0.0", "license": "GPL-3.0-only" }',
  };
  const { components } = await scanFolder(await folderWith(files));
  expect(components).toMatchObject([{ name: "knots", license: "GPL-3.0-only" }]);
});

const needsKnots = '{ "dependencies": { "knots": "^1.0.0" } }';
const tgz = (path: string) => `https://registry.example.org/${path}.tgz`;

test.each<[string, Files, readonly string[]]>([
  ["an empty package-lock.json", { "package.json": needsKnots, "package-lock.json": emptyLock }, ["knots"]],
  ["an empty yarn.lock", { "package.json": needsKnots, "yarn.lock": "" }, ["knots"]],
  [
    "a package-lock.json beside the lockfile of another program",
    {
      "package-lock.json": emptyLock,
      "yarn.lock": 'knots@^1.0.0:\n  "version" "1.0.0"\nrope@1:\n  resolved "x"\n',
      "pnpm-lock.yaml": "packages:\n\n  hemp@0.1.0:\n    resolution: {}\n",
    },
    ["hemp@0.1.0", "knots@1.0.0", "rope"],
  ],
  [
    "a lockfile with another version than package.json asks for",
    {
      "package.json": '{ "dependencies": { "knots": "1.0.0", "rope": "^2.0.0", "line": "npm:@harbour/hemp@0.1.0" } }',
      "package-lock.json":
        '{ "packages": { "node_modules/knots": { "version": "1.9.0" }, "node_modules/rope": { "version": "2.1.0" } } }',
    },
    ["@harbour/hemp@0.1.0", "knots@1.0.0", "knots@1.9.0", "rope@2.1.0"],
  ],
  [
    "a package-lock.json that takes another package than it tells",
    {
      "package-lock.json": JSON.stringify({
        packages: {
          "node_modules/knots": { version: "1.9.0", resolved: tgz("knots/-/knots-1.0.0") },
          "node_modules/rope": { version: "2.0.0", resolved: tgz("@harbour%2fhemp/-/hemp-0.1.0") },
          "node_modules/line": { version: "3.0.0", resolved: tgz("line/-/line-3.0.0") },
        },
      }),
    },
    ["@harbour/hemp@0.1.0", "knots@1.0.0", "knots@1.9.0", "line@3.0.0", "rope@2.0.0"],
  ],
  [
    "a yarn.lock and a pnpm-lock.yaml that take another package than they tell",
    {
      "yarn.lock": `"knots@^1.0.0":\n  version "1.9.0"\n  resolved "${tgz("knots/-/knots-1.0.0")}#0a"\n`,
      "pnpm-lock.yaml": `packages:\n  rope@2.0.0:\n    resolution: {tarball: ${tgz("@harbour/hemp/-/hemp-0.1.0")}}\n`,
    },
    ["@harbour/hemp@0.1.0", "knots@1.0.0", "knots@1.9.0", "rope@2.0.0"],
  ],
  [
    "an old package-lock.json with an alias, an address and a folder of its own",
    {
      "package-lock.json": JSON.stringify({
        packages: {},
        dependencies: {
          knots: { version: "npm:@harbour/hemp@0.1.0" },
          rope: { version: "git+ssh://git@example.org/rope.git#1.0.0" },
          own: { version: "file:own" },
        },
      }),
    },
    ["@harbour/hemp@0.1.0", "rope"],
  ],
  [
    "a list with versions that are none",
    {
      "Cargo.toml": '[dependencies]\nmast = "=0.3"\nboom = "=1.0.0"\n',
      "Pipfile.lock": '{ "default": { "buoy": { "version": "*" }, "flask": { "version": "==3.0.0" } } }',
      "package-lock.json": '{ "packages": { "node_modules/knots": { "version": "^1.0.0" } } }',
    },
    ["boom@1.0.0", "buoy", "flask@3.0.0", "knots", "mast"],
  ],
  [
    "an empty Cargo.lock, and one of Poetry with other quotation marks",
    {
      "Cargo.toml": '[dependencies]\nmast = "=0.3.0"\n',
      "Cargo.lock": "version = 3\n",
      "poetry.lock":
        "[[package]]\nname='sea-chart'\nversion = '1.5'\n  [[ package ]]\n  name = \"buoy\"\n  version = \"0.2\"\n",
    },
    ["buoy@0.2", "mast@0.3.0", "sea-chart@1.5"],
  ],
  [
    "requirements beside a list that names something else",
    {
      "pyproject.toml": '[project]\ndependencies = ["sea-chart==1.5", "buoy"]\n',
      "requirements.txt": "buoy==0.2\n",
      "requirements/base.txt": "flask==3.0.0\n",
    },
    ["buoy@0.2", "flask@3.0.0", "sea-chart@1.5"],
  ],
  [
    "an empty go.sum, and a go.mod as no program writes it",
    {
      "go.sum": "  example.org/low v1.0.0 h1:a=\n",
      "go.mod":
        'module example.org/own\n\nrequire (\n    example.org/tide v1.3.9 // indirect\n\t"example.org/ebb" v1.0.0\n\texample.org/near v0.0.0\n)\nrequire gotools v2.0.0\nreplace example.org/near => ../near\nreplace (\n example.org/ebb => example.org/flood v1.1.0\n)\nexclude example.org/none v1.0.0\n',
    },
    [
      "example.org/ebb@1.0.0",
      "example.org/flood@1.1.0",
      "example.org/low@1.0.0",
      "example.org/tide@1.3.9",
      "gotools@2.0.0",
    ],
  ],
])("packages count that %s does not tell", async (_, files, expected) => {
  expect(await packagesOf(files)).toEqual(expected);
});

test("lists of packages in a form that nobody reads are told as not known", async () => {
  const unknown = {
    "pnpm-lock.yaml": "packages: { knots@1.0.0: {} }\n",
    "uv.lock": "package = [{ name = 'x', version = '1' }]\n",
    "app/poetry.lock": '[[package]]\nname = """x"""\nversion = "1"\n',
    "app/Gemfile": 'source "x"\ngem "rails"\n',
    "app/composer.lock": '{ "packages": [ { "name": "a/b" } ] }',
    "java/pom.xml": "<project><dependencies><dependency></dependency></dependencies></project>",
    "deep/pnpm-lock.yaml": "packages:\n    knots@1.0.0:\n        resolution: {}\n",
  };
  const none = {
    "java/b/pom.xml": "<project></project>",
    "b/pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
  };
  const { unlisted } = await scanFolder(await folderWith({ ...unknown, ...none }));
  expect(unlisted.map(({ path }) => path).sort()).toEqual(Object.keys(unknown).sort());
});
