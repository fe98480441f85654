import { Refusal } from "../../platform/errors/index.ts";
import { evidenceFolder } from "../../verification/index.ts";

/** The folder of the source code, in which nothing else may be uploaded. */
export const sourceFolder = "source/";
export const sourceType = "source_code";

/** The folder of what workers send. The service alone reads it: only what comes of it is searched for secrets. */
export const patchFolder = "patches/";

/** Where a worker uploads the patch of its lease. */
export function patchPath(leaseId: string): string {
  return `${patchFolder}${leaseId}.patch`;
}

/** Device names of Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;

/** Refuses a path that would be unsafe to store or to unpack. */
export function requirePath(path: string): void {
  const reason = whyOdd(path);
  if (reason !== undefined)
    throw new Refusal(
      "invalid_parameter",
      `The path must be relative, of names with '/' between them, without '..': ${reason}.`,
    );
}

/** What is wrong with a path; undefined if it can be stored and unpacked on any system. */
function whyOdd(path: string): string | undefined {
  const names = path.split("/");
  if (!path.isWellFormed()) return "it holds half a character";
  if (path.startsWith("/")) return "it is absolute";
  if (names.some((name) => name === "")) return "a name is empty";
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return "it holds a control character";
  // Bidirectional marks make one name look like another; so do full-width dots and slashes once normalised.
  if (/[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u.test(path))
    return "it holds a character that cannot be seen";
  if (path.includes("\\")) return "it holds a backslash";
  if (/^[a-z]:/i.test(path)) return "it names a disk";
  const folded = path.normalize("NFKC").split(/[/\\]/);
  if (folded.some((name) => /^\.{1,2}$/.test(name.trim()))) return "a name is '.' or '..'";
  if (folded.length !== names.length) return "it holds a character that other systems take for a '/'";
  if (folded.some((name) => name.toLowerCase().replace(/(?<![. ])[. ]+$/, "") === ".git")) return "'.git' is git's own";
  if (names.some((name) => name !== name.trim() || name.endsWith(".")))
    return "a name ends with a dot, or has a space around it";
  if (names.some((name) => device.test(name))) return "a name is a device's on other systems";
  if (names.some((name) => Buffer.byteLength(name) > 255)) return "a name is longer than 255 bytes";
  if (names.some((name) => /:/.test(name))) return "a name holds a colon";
  return undefined;
}

interface ToUpload {
  readonly type: string;
  readonly path: string;
  /** For which a worker uploads. */
  readonly lease_id?: string;
}

/** Refuses uploads of what only the service itself makes, or a worker for its lease. */
export function refuseReserved({ type, path, lease_id }: ToUpload): void {
  if (type === sourceType)
    throw new Refusal(
      "invalid_parameter",
      `The type '${sourceType}' comes from the project's tasks; use another type.`,
    );
  if (`${path}/`.startsWith(sourceFolder))
    throw new Refusal("invalid_parameter", `'${sourceFolder}' contains the source code; use another path.`);
  if (`${path}/`.startsWith(evidenceFolder))
    throw new Refusal("invalid_parameter", `'${evidenceFolder}' contains what the checks found; use another path.`);
  if (lease_id === undefined && `${path}/`.startsWith(patchFolder))
    throw new Refusal("invalid_parameter", `'${patchFolder}' contains what workers send; use another path.`);
}
