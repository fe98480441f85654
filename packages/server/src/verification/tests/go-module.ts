import { readText } from "./test-files.ts";

/** The name by which Go knows a project's packages and files; undefined where it has no module at its root. */
export async function goModule(folder: string, signal: AbortSignal): Promise<string | undefined> {
  return /^module\s+"?([^\s"]+)/m.exec((await readText(folder, "go.mod", signal)) ?? "")?.[1];
}
