/** Builds what is published, a folder a package in `dist/`: `npm run build`, then `npm pack ./dist/cli`. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "./build-dashboard.ts";
import { bundleProgram, command, service } from "./bundle-programs.ts";
import { packageManifest, type SourceManifest } from "./package-manifest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** In the order in which they need each other. */
export const packages = ["spec", "contract", "client", "blueprints", "server", "cli"] as const;

/** Builds all packages into a folder that is made anew. It looks for no mistakes in types: `npm run types` does. */
export async function buildPackages(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", folder], {
    stdio: "inherit",
  });
  for (const name of packages) finishPackage(name, join(folder, name));
  for (const [name, program] of [
    ["server", service],
    ["cli", command],
  ] as const) {
    const place = {
      entry: join(folder, name, "src/main.js"),
      folder: join(folder, name, "dist", basename(program.folder)),
    };
    await bundleProgram({ ...program, ...place, builtPackages: folder });
  }
  await buildDashboard(join(folder, "server/dist/dashboard"));
}

function finishPackage(name: string, folder: string): void {
  const from = join(root, "packages", name);
  pointAtScripts(join(folder, "src"));
  // What the code reads as files: templates, migrations, programs for other machines.
  cpSync(join(from, "src"), join(folder, "src"), { recursive: true, filter: (path) => !isCompiled(path, from) });
  if (existsSync(join(from, "bin"))) copyPrograms(join(from, "bin"), join(folder, "bin"));
  for (const file of readdirSync(from)) if (file.endsWith(".schema.json")) cpSync(join(from, file), join(folder, file));
  const readme = join(from, "README.md");
  cpSync(existsSync(readme) ? readme : join(root, "README.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const manifest = packageManifest(manifestOf(from), manifestOf(root));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** TypeScript among templates is somebody's result, and no source of ours. */
function isCompiled(path: string, from: string): boolean {
  return path.endsWith(".ts") && !path.slice(from.length).includes("/files/");
}

/** The compiler leaves the addresses of threads and programs as they are, and in declarations those of other files. */
function pointAtScripts(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const named = entry.endsWith(".d.ts")
      ? /((?:from|import)\s*\(?"\.[^"]+)\.ts(")/g
      : /(new URL\("[^"]+)\.ts(", import\.meta\.url\))/g;
    if (!/\.(?:js|d\.ts)$/.test(entry)) continue;
    const path = join(folder, entry);
    const text = readFileSync(path, "utf8");
    const pointed = text.replace(named, "$1.js$2");
    if (pointed !== text) writeFileSync(path, pointed);
  }
}

function copyPrograms(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    const text = readFileSync(join(from, file), "utf8").replaceAll("../src/main.ts", "../src/main.js");
    writeFileSync(join(to, file), text, { mode: 0o755 });
  }
}

function manifestOf(folder: string): SourceManifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as SourceManifest;
}

if (import.meta.main) await buildPackages(join(root, "dist"));
