import type { Failure } from "../errors/index.ts";
import { oneLine } from "../one-line.ts";

/** Why a file of a project is not touched. */
export type FileRefusalCode =
  | "missing"
  /** The path leaves the tree, or is git's own. */
  | "outside"
  /** A component of the path is a link. */
  | "link"
  /** A pipe, a socket, a device or a folder. */
  | "not_a_file"
  | "not_a_folder"
  | "too_large"
  | "unreadable"
  /** The disk did not answer in time. */
  | "stuck";

/** A file of a project that the service does not read or write; the message names the path and the reason. */
export class FileRefusal extends Error {
  override readonly name = "FileRefusal";
  readonly code: FileRefusalCode;

  constructor(code: FileRefusalCode, path: string, reason: string, { cause }: { cause?: unknown } = {}) {
    super(`${shownPath(path)} ${reason}`, { cause });
    this.code = code;
  }

  /** As the error of a task: the project's fault, or that of the disk. */
  asFailure(): Failure {
    return { code: this.code === "stuck" ? "disk_unavailable" : "unacceptable_file", message: this.message };
  }
}

/** A path for people: a name may hold line breaks or thousands of characters. */
function shownPath(path: string): string {
  return `'${oneLine(path, 200)}'`;
}

/** Translates what the system says of a project's file; an error of the machine, such as a full disk, stays as it is. */
export function explainFileProblem(error: unknown, path: string): unknown {
  if (error instanceof FileRefusal) return error;
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return new FileRefusal("missing", path, "does not exist.", { cause: error });
    case "ELOOP":
      return new FileRefusal("link", path, "is a link, which the service does not follow.", { cause: error });
    case "ENOTDIR":
      return new FileRefusal("not_a_folder", path, "is not a folder.", { cause: error });
    // A socket, a device without a driver, a folder.
    case "ENXIO":
    case "ENODEV":
    case "EISDIR":
      return new FileRefusal("not_a_file", path, "is not a regular file.", { cause: error });
    // A program may keep a file for itself, by a lease.
    case "EAGAIN":
    case "EACCES":
    case "EPERM":
    case "ENAMETOOLONG":
    case "EINVAL":
    case "EEXIST":
    case "ENOTEMPTY":
      return new FileRefusal("unreadable", path, `cannot be used (${code}).`, { cause: error });
    default:
      // Such as of a folder that a program has encrypted: Node has no name for what the system says then.
      if (code?.startsWith("Unknown system error"))
        return new FileRefusal("unreadable", path, `cannot be used (${code}).`, { cause: error });
      return error;
  }
}
