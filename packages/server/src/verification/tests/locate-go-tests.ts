import type { Workplace } from "./execute.ts";
import { goModule } from "./go-module.ts";
import { fromFolder } from "./packages.ts";
import type { ReportedCase } from "./read-junit.ts";
import { readText } from "./test-files.ts";

/** Finds the file of each Go test, from where Go starts: it names only packages. */
export async function locateGoTests(
  { toTest: { folder, signal }, files }: Pick<Workplace, "toTest" | "files">,
  cases: readonly ReportedCase[],
  startsIn: string,
): Promise<readonly ReportedCase[]> {
  const module = (await goModule(folder, signal, startsIn)) ?? "";
  const places = new Map<string, string>();
  for (const whole of files.tests.filter((one) => one.endsWith("_test.go"))) {
    const path = fromFolder(whole, startsIn);
    const inner = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    const text = (await readText(folder, whole, signal)) ?? "";
    for (const [, name] of text.matchAll(/^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(/gm))
      places.set(`${inner}\0${name}`, path);
  }
  return cases.map((one) => {
    const inner =
      one.file === module ? "" : one.file.startsWith(`${module}/`) ? one.file.slice(module.length + 1) : one.file;
    const [name = ""] = one.name.split("/");
    return { ...one, file: places.get(`${inner}\0${name}`) ?? (inner === "" ? "" : `${inner}/`) };
  });
}
