import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";

/**
 * Opens a file with variables that nobody can find: it has no name any more. Arguments of the engine's program would show
 * secrets in `ps`, and its environment must not be chosen by documents.
 */
export async function openEnvironmentFile(
  temporary: Pick<TemporaryFolders, "makeInMemory">,
  env: Readonly<Record<string, string>>,
) {
  const lines = Object.entries(env).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`'${name}' is not a valid name for an environment variable.`);
    if (/[\n\r\0]/.test(value))
      throw new Error(
        `'${name}' has several lines, which container engines do not pass on. Encode it, such as by base64, or deploy with 'process'.`,
      );
    return `${name}=${value}\n`;
  });
  const folder = await temporary.makeInMemory("env");
  try {
    const file = await open(join(folder, "env"), "wx+", 0o600);
    await file.writeFile(lines.join(""));
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
