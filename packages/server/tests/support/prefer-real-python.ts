import { spawnSync } from "node:child_process";
import { delimiter, dirname, isAbsolute } from "node:path";

/**
 * Puts the interpreter itself before scripts that choose one: such a script starts forty processes each time, which is more
 * than what most tests do with it.
 */
export function preferRealPython(): void {
  const { stdout, status } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  const folder = dirname(stdout?.trim() ?? "");
  const places = (process.env["PATH"] ?? "").split(delimiter);
  if (status === 0 && isAbsolute(folder) && !places.includes(folder))
    process.env["PATH"] = [folder, ...places].join(delimiter);
}
