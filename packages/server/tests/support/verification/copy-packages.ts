import { cpSync, existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const installed = fileURLToPath(new URL("../../../../../node_modules", import.meta.url));

interface Manifest {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Copies a package that is installed here, and all that it needs, into a project: nothing is downloaded. */
export function copyPackage(name: string, projectFolder: string): void {
  const wanted = [name];
  const done = new Set<string>();
  for (const one of wanted) {
    const from = join(installed, one);
    if (done.has(one) || !existsSync(from)) continue;
    done.add(one);
    // Copies: the sandbox gives the files of a project another owner, which links would share.
    cpSync(from, join(projectFolder, "node_modules", one), { recursive: true });
    // Packages inside of this one may need others that lie outside of it.
    const inner = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: from });
    for (const path of ["package.json", ...inner]) wanted.push(...needsOf(join(from, path)));
  }
}

function needsOf(path: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const { peerDependencies: peers = {}, peerDependenciesMeta: about = {} } = manifest;
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return [...needed, ...Object.keys(peers).filter((peer) => about[peer]?.optional !== true)];
}
