import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ProviderFailure, type SecretProvider, type SecretRequest, secretName } from "../secrets/index.ts";
import { narrowedPath, unusedFields } from "./narrowed-path.ts";
import type { FileSettings, MountedSettings } from "./provider-settings.ts";

const maxFileBytes = 1024 * 1024;

type Reading = Pick<SecretProvider, "howToSet" | "unused" | "read">;

/** A dotenv file, or a folder of them: `file://shop` is `shop.env` in it. Nobody but its owner may read a file. */
export function fileProvider({ path: root }: FileSettings): Reading {
  return {
    howToSet: (names) => `Add ${names.join(", ")} to the file of the provider, as 'NAME=value' lines.`,
    unused: (request) => unusedFields({ path: true }, request),
    read: async (request) => {
      const text = await readFileOf(await fileOf(root, request), { isPrivate: true });
      const values = text === undefined ? {} : parseEnv(text);
      return new Map(
        request.names.flatMap((name) => {
          const value = Object.hasOwn(values, name) ? values[name] : undefined;
          return value === undefined ? [] : [[name, value]];
        }),
      );
    },
  };
}

/** A folder with a file for each secret, as Kubernetes mounts them; `kubernetes://shop` is the folder `shop` in it. */
export function mountedProvider({ path: root }: MountedSettings): Reading {
  return {
    howToSet: (names) => `Add ${names.join(", ")} to the secret of Kubernetes that is mounted for the service.`,
    unused: (request) => unusedFields({ path: true }, request),
    read: async (request) => {
      const found = new Map<string, string>();
      for (const name of request.names.filter((one) => secretName.test(one))) {
        const file = await inside(root, [...narrowedPath("", request), name]);
        const text = file === undefined ? undefined : await readFileOf(file, { isPrivate: false });
        if (text !== undefined) found.set(name, text);
      }
      return found;
    },
  };
}

async function fileOf(root: string, request: SecretRequest): Promise<string | undefined> {
  const segments = narrowedPath("", request);
  const isFolder = await stat(root).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => {
      throw failure("the operator's file or folder cannot be read", error);
    },
  );
  if (isFolder) return inside(root, [...segments.slice(0, -1), `${segments.at(-1) ?? ""}.env`]);
  if (segments.length === 0) return root;
  throw new ProviderFailure("the operator declared one file, in which a document cannot choose a path.");
}

/** Where the file really is. A link that leaves the operator's folder leads to nothing that is served. */
async function inside(root: string, segments: readonly string[]): Promise<string | undefined> {
  try {
    const folder = await realpath(root);
    const file = await realpath(join(root, ...segments));
    if (file.startsWith(`${folder}/`)) return file;
    throw new ProviderFailure(`'${segments.join("/")}' is a link that leaves the operator's folder.`);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ProviderFailure ? error : failure("the operator's folder cannot be read", error);
  }
}

async function readFileOf(
  file: string | undefined,
  { isPrivate }: { isPrivate: boolean },
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    // Without waiting for a writer, if it is a pipe.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return await readOpen(handle, isPrivate);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof ProviderFailure ? error : failure("the file cannot be read", error);
  }
}

/** Checks the very file that is read, not what its name leads to a moment later. */
async function readOpen(handle: FileHandle, isPrivate: boolean): Promise<string> {
  const found = await handle.stat();
  const { mode, uid, size } = found;
  if (!found.isFile()) throw new ProviderFailure("the file is not a regular file.");
  if (isPrivate && (mode & 0o077) !== 0)
    throw new ProviderFailure("others than its owner may read or change the file; run 'chmod 600' on it.");
  if (isPrivate && process.getuid !== undefined && uid !== process.getuid() && uid !== 0)
    throw new ProviderFailure("the file belongs to another user than the one who runs the service.");
  if (size > maxFileBytes) throw new ProviderFailure(`the file has more than ${maxFileBytes} bytes.`);
  return handle.readFile("utf8");
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

/** With the code of the error only: its message names a path of this machine. */
function failure(what: string, error: unknown): ProviderFailure {
  return new ProviderFailure(`${what} (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`, { cause: error });
}
