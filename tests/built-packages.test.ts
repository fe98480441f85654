// @module-tag soak
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPackages, packages } from "../tools/build-packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "slipway-built-"));
const dist = join(folder, "dist");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => buildPackages(dist));

/** Without what npm told us: `npx` would otherwise be found in our environment. */
const env: NodeJS.ProcessEnv = { PATH: process.env["PATH"], HOME: folder };
/** Where the registry is, and whose certificate it has, is a matter of the machine: npm waits minutes for any other. */
const npmEnv = { ...env, npm_config_userconfig: npmSetting("userconfig"), ...certificates() };
/** Vitest's own limits do not end what is waited for like this. */
const maxRunMs = 10 * 60_000;
const run = (program: string, args: readonly string[], cwd: string, environment = env) =>
  execFileSync(program, args, {
    cwd,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: maxRunMs,
  });

describe("built packages beside what they depend on", () => {
  const project = join(folder, "project");

  beforeAll(() => {
    const installed = join(folder, "node_modules");
    mkdirSync(join(installed, "@slipway"), { recursive: true });
    for (const name of readdirSync(join(root, "node_modules")))
      if (name !== "@slipway" && name !== "slipway")
        symlinkSync(join(root, "node_modules", name), join(installed, name));
    for (const name of packages) symlinkSync(join(dist, name), join(installed, "@slipway", name));
    mkdirSync(project);
  });

  test("are typed for a strict TypeScript project that knows nothing of ours", { tags: "long" }, () => {
    writeFileSync(
      join(project, "use.ts"),
      `import { createClient } from "@slipway/client";
       import { parseSpec } from "@slipway/spec";
       const client = createClient({ url: "http://127.0.0.1:1", token: "t" });
       export const wrong: number = parseSpec("a: 1").diagnostics[0]?.message;
       export const right: string | undefined = parseSpec("a: 1").diagnostics[0]?.message;
       export const projects = client.call("listProjects");`,
    );
    const options = {
      module: "nodenext",
      target: "es2022",
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }));
    expect(typeErrors(project)).toEqual([expect.stringContaining("use.ts(4,")]);
  });

  test("use nothing that Node 20 lacks, where they run on any Node", { tags: "long" }, () => {
    const oldest = join(folder, "oldest");
    mkdirSync(oldest);
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { lib: ["es2023", "es2024.string", "dom", "dom.iterable"], types: [] },
      include: ["spec", "client"].map((name) => join(root, "packages", name, "src")),
    };
    writeFileSync(join(oldest, "tsconfig.json"), JSON.stringify(config));
    expect(typeErrors(oldest)).toEqual([]);
  });

  test("run as plain JavaScript, and the command finds its parts", () => {
    const script = `import { parseSpec } from "@slipway/spec"; import { createClient } from "@slipway/client";
      console.log(parseSpec("a: 1").diagnostics.length > 0, typeof createClient);`;
    expect(run(process.execPath, ["--no-strip-types", "--input-type=module", "-e", script], folder)).toBe(
      "true function\n",
    );
    const command = join(dist, "cli/bin/slipway.cjs");
    const example = join(root, "examples/api.yaml");
    expect(run(process.execPath, [command, "validate", example], project)).toContain("valid");
    expect(run(process.execPath, [command, "serve", "--help"], project)).toContain("slipway serve");
  });

  test.each([
    ["its bundle without the files that it was made of", "src"],
    ["those files without the bundle", "dist"],
  ])("the command runs from %s", (_, removed) => {
    const copy = join(dist, `cli-without-${removed}`);
    cpSync(join(dist, "cli"), copy, { recursive: true });
    rmSync(join(copy, removed), { recursive: true });
    const args = [join(copy, "bin/slipway.cjs"), "validate", join(root, "examples/api.yaml"), "--json"];
    expect(JSON.parse(run(process.execPath, args, project))).toMatchObject({ valid: true });
  });
});

// Minutes, and half a gigabyte from the registry.
if (process.env["SLIPWAY_LONG"] === "1") describe("installed elsewhere from tarballs", installedElsewhere);

function installedElsewhere(): void {
  const place = join(folder, "elsewhere");
  // What was fetched before is not fetched again: an empty cache made this last for as long as the network liked.
  const options = [
    "--cache",
    npmSetting("cache"),
    "--prefer-offline",
    "--no-update-notifier",
    "--no-audit",
    "--no-fund",
  ];
  const install = (where: string, ...packed: string[]) => run("npm", ["install", ...options, ...packed], where, npmEnv);

  beforeAll(() => {
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), "{}");
    const tarballs = packages.map((name) => {
      const [{ filename }] = JSON.parse(run("npm", ["pack", "--json", join(dist, name)], place)) as [
        { filename: string },
      ];
      return join(place, filename.replace("@", "").replace("/", "-"));
    });
    install(place, ...tarballs);
    copyFileSync(join(root, "examples/api.yaml"), join(place, "api.yaml"));
  });

  test.for(["20", "22", "24"])("an example is deployed on Node %s", (major) => {
    const name = `node-${process.platform}-${process.arch}`;
    const own = join(folder, `node-${major}`);
    mkdirSync(own);
    writeFileSync(join(own, "package.json"), "{}");
    install(own, `${name}@${major}`);
    const node = join(own, "node_modules", name, "bin/node");
    const args = ["node_modules/slipway/bin/slipway.cjs", "run", "api.yaml", "--exit-when-done"];
    expect(run(node, [...args, "--data", join(own, "data")], place)).toContain("is deployed");
  });
}

function npmSetting(name: string): string {
  return execFileSync("npm", ["config", "get", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function certificates(): NodeJS.ProcessEnv {
  const name = "NODE_EXTRA_CA_CERTS";
  return process.env[name] === undefined ? {} : { [name]: process.env[name] };
}

function typeErrors(project: string): string[] {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  try {
    run(process.execPath, [compiler, "-p", project], project);
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.trim().split("\n");
  }
}
