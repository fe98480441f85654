import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What sandboxed processes see of this machine's programs. */
export const systemPath = "/usr/local/bin:/usr/bin:/bin";
const maxMs = 30_000;

/** Whether this machine's own Python has a module; what a user has installed for themselves does not count. */
export async function hasPythonModule(name: "mypy" | "pytest", path = systemPath): Promise<boolean> {
  const imported = promisify(execFile)("python3", ["-I", "-c", `import ${name}`], {
    env: { PATH: path },
    timeout: maxMs,
  });
  return imported.then(
    () => true,
    () => false,
  );
}
