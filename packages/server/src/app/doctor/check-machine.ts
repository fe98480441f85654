import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import { measureDisk } from "../../platform/disk-space.ts";
import { messageOf } from "../../platform/errors/index.ts";
import { requireGit } from "../../platform/git/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import type { FoundSandbox } from "../../platform/sandbox/index.ts";
import { howToGetBrowser } from "../../verification/index.ts";
import { readRestoreMark } from "../restore-mark.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const neededNode = 24;
/** With less than `scarce` projects fail sooner or later; with less than `none` nothing works. */
const scarce = { bytes: 2 * 1024 ** 3, files: 100_000 };
const none = { bytes: 200 * 1024 ** 2, files: 5_000 };

export function checkNode(version: string): Finding {
  const major = Number(version.split(".")[0]);
  if (major >= neededNode) return ok("node", `Node ${version}`);
  return failed("node", `Node ${version} is too old`, `Run 'npm install': it brings Node ${neededNode}.`);
}

export async function checkGit(): Promise<Finding> {
  try {
    return ok("git", `git ${await requireGit()}`);
  } catch (error) {
    return failed("git", messageOf(error));
  }
}

/** How the sandbox can contain agents and scripts, and what that leaves open. */
export function checkSandbox(found: FoundSandbox | Error, mode: string): Finding {
  if (found instanceof Error) return failed("sandbox", found.message, "Install bubblewrap, or set 'sandbox: auto'.");
  const message = found.reasons.join("; ");
  if (found.kind === "bubblewrap") return ok("sandbox", message);
  if (mode === "none") return warning("sandbox", message);
  const remedy = "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or set 'sandbox: none'.";
  return warning("sandbox", `${message}; only while nobody else can reach the service`, remedy);
}

/** Whether flows of documents can be followed in a browser; all else works without one. */
export function checkBrowser(path: string | undefined): Finding {
  if (path !== undefined) return ok("browser", `${path} follows the flows of documents`);
  return warning("browser", "none is installed: flows of documents are not checked", howToGetBrowser);
}

/** Whether the data folder can be written to, and has room. */
export async function checkFolder(folder: string): Promise<Finding> {
  const there = await nearest(folder);
  try {
    const backup = await readRestoreMark(folder);
    if (backup !== undefined) {
      const remedy = "Run the same 'slipway restore' again, or use another data folder and an empty database.";
      return failed(
        "data folder",
        `a restore of ${oneLine(backup, 300)} into ${folder} is under way, or did not end`,
        remedy,
      );
    }
    await access(there, constants.W_OK | constants.X_OK);
    const { freeBytes, freeFiles } = await measureDisk(there);
    const isScarceOfFiles = freeFiles < scarce.files;
    const message = `${folder} has ${gigabytes(freeBytes)} free${isScarceOfFiles ? `, for ${freeFiles} files` : ""}`;
    const remedy = "Make room, or name a folder on another disk with --data.";
    if (freeBytes < none.bytes || freeFiles < none.files) return failed("data folder", message, remedy);
    const isScarce = freeBytes < scarce.bytes || isScarceOfFiles;
    return isScarce ? warning("data folder", message, remedy) : ok("data folder", message);
  } catch (error) {
    const why = `${there} cannot be written to (${(error as NodeJS.ErrnoException).code})`;
    return failed("data folder", why, "Start the service as its owner, or name another folder with --data.");
  }
}

/** The folder itself, or its nearest parent that exists. */
async function nearest(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
