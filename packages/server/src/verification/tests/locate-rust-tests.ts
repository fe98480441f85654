import type { Workplace } from "./execute.ts";
import { fromFolder } from "./packages.ts";
import type { ReportedCase } from "./read-junit.ts";
import { readText } from "./test-files.ts";

type Place = Pick<Workplace, "toTest" | "files">;

/** Finds the file of each unit test: cargo names the file that a crate begins with, and the test's module. */
export async function locateRustTests(
  { files }: Place,
  cases: readonly ReportedCase[],
  startsIn: string,
): Promise<readonly ReportedCase[]> {
  const known = new Set(files.all.map((path) => fromFolder(path, startsIn)));
  const places = new Map<string, string>();
  return cases.map((one) => {
    const modules = one.name.split("::").slice(0, maxModules);
    const key = `${one.file}\0${modules.slice(0, -1).join("::")}`;
    const file = places.get(key) ?? fileOf(known, one.file, modules);
    places.set(key, file);
    return { ...one, file };
  });
}

const maxModules = 20;

/** The deepest module that is a file: `a::tests::adds` of src/lib.rs is in src/a.rs or src/a/mod.rs. */
function fileOf(known: ReadonlySet<string>, root: string, modules: readonly string[]): string {
  const folder = root.slice(0, root.lastIndexOf("/") + 1);
  for (let depth = modules.length - 1; depth > 0; depth -= 1) {
    const path = `${folder}${modules.slice(0, depth).join("/")}`;
    for (const file of [`${path}.rs`, `${path}/mod.rs`]) if (known.has(file)) return file;
  }
  return root;
}

/** Why results of cargo do not count: a test program without Rust's harness prints what it likes. */
export async function whyOwnHarness({ toTest: { folder, signal }, files }: Place): Promise<string | undefined> {
  for (const path of manifestsIn(files.all)) {
    const text = (await readText(folder, path, signal)) ?? "";
    if (/^[^#\r\n\u2028\u2029]*\bharness["']?\s*=\s*false\b/m.test(text))
      return `${path} says 'harness = false': such a program prints its own results, which nobody can believe. Remove it.`;
  }
  return undefined;
}

/** Where a test file of ours is run: in `tests/` of the root's package, else of the workspace's first member. */
export async function rustTestPlaces({
  folder,
  signal,
  all,
}: {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly all: readonly string[];
}): Promise<readonly string[]> {
  for (const path of manifestsIn(all)) {
    const text = (await readText(folder, path, signal)) ?? "";
    if (/^[ \t]*\[package\]/m.test(text)) return [`${path.slice(0, -"Cargo.toml".length)}tests/any.rs`];
  }
  return [];
}

const maxManifests = 200;

/** The root's first. */
function manifestsIn(all: readonly string[]): readonly string[] {
  const found = all.filter((path) => path === "Cargo.toml" || path.endsWith("/Cargo.toml"));
  return found.sort((a, b) => a.split("/").length - b.split("/").length).slice(0, maxManifests);
}
