import { dirname } from "node:path/posix";
import { type DeclaredTests, type Room, readDeclared } from "./declared-tests.ts";
import type { Workplace } from "./execute.ts";
import type { RunnerName, TestCase } from "./test-case.ts";

/** What could not run where a case tells that a file, a package or all could not; undefined: nobody can tell. */
export async function findHidden(
  { toTest, files, masker }: Pick<Workplace, "toTest" | "files" | "masker">,
  { file, name }: Pick<TestCase, "file" | "name">,
  runner: RunnerName | undefined,
  room: Room,
): Promise<readonly DeclaredTests[] | undefined> {
  const declared = (paths: readonly string[]) => readDeclared(paths, toTest, masker, room);
  const withTests = async (paths: readonly string[]) => (await declared(paths)).filter(({ count }) => count > 0);
  if (runner === "go test") {
    const folder = file === "" ? "." : dirname(`${file}any`);
    const inFolder = files.tests.filter((path) => path.endsWith("_test.go") && dirname(path) === folder);
    return withTests(inFolder.filter((path) => !isOfOthers.test(path)));
  }
  if (runner === "cargo test" && file === "") {
    return withTests(files.all.filter((path) => path.endsWith(".rs") && !isNoModule.test(path)).slice(0, maxRustFiles));
  }
  // Some reports of pytest name the module alone.
  const found = await declared([file === "" ? `${name.replaceAll(".", "/")}.py` : file]);
  return found.length > 0 ? found : undefined;
}

/** For other machines, by Go's rules. */
const isOfOthers = /_(?:windows|darwin|ios|android|\w{1,10}bsd|js|wasm|wasip1|plan9|solaris|aix)_test\.go$/;
/** What no test program of cargo contains. */
const isNoModule = /(?:^|\/)(?:ui|fixtures|examples|benches)\//;
const maxRustFiles = 5_000;
