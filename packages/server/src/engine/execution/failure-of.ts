import { BlobError } from "../../platform/blobs/index.ts";
import { isDiskFull } from "../../platform/disk-space.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import type { RunError } from "../lifecycle/index.ts";
import { noSpace } from "./lack-of-space.ts";

/** What the project's files, their store or a full disk are to blame for; undefined for an error of ours. */
export function failureOf(error: unknown): RunError | undefined {
  if (error instanceof FileRefusal) return error.asFailure();
  if (error instanceof WorkspaceError || error instanceof BlobError)
    return { code: error.code, message: error.message };
  // The system's own words name a path of the service's.
  return isDiskFull(error)
    ? { code: noSpace, message: "The disk is full: the service could not write a file. Make room, then retry." }
    : undefined;
}
