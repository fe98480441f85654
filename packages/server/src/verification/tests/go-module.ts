import { join } from "node:path/posix";
import { readText } from "./test-files.ts";

/** The name by which Go knows a project's packages and files; undefined where it has no module there. */
export async function goModule(folder: string, signal: AbortSignal, startsIn = "."): Promise<string | undefined> {
  return /^module\s+"?([^\s"]+)/m.exec((await readText(folder, join(startsIn, "go.mod"), signal)) ?? "")?.[1];
}
