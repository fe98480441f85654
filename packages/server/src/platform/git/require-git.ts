import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { WorkspaceError } from "./workspace-error.ts";

/** Older versions lack `merge-tree --write-tree`. */
const oldest = [2, 38] as const;

/** Throws if git is missing or too old; returns its version. */
export async function requireGit(): Promise<string> {
  const needed = `Slipway needs git ${oldest.join(".")} or newer`;
  const { stdout } = await promisify(execFile)("git", ["--version"]).catch((cause: unknown) => {
    throw new WorkspaceError("git_missing", `${needed}, and there is none in the PATH. Install git and start again.`, {
      cause,
    });
  });
  if (!isNewEnough(stdout)) throw new WorkspaceError("git_missing", `${needed}; found: ${stdout.trim()}`);
  return stdout.trim().replace("git version ", "");
}

export function isNewEnough(version: string): boolean {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1]);
}
