import { posix } from "node:path";
import { FileRefusal, openProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
import type { Json } from "../scripts/read-json.ts";

interface Size {
  readonly bytes: number;
  readonly files: number;
  /** Nothing says what is left out. */
  readonly isUpperBound: boolean;
}

const maxFiles = 20_000;
const maxListed = 20_000;
const alwaysPacked = /^(?:package\.json|(?:readme|copying|licen[cs]e)(?:\..*)?)$/i;

/** How large the files are that npm would pack; or why that cannot be told. */
export async function packageSize(
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
  manifest: Json,
): Promise<Size | string> {
  const listed = listedIn(manifest);
  if (typeof listed === "string") return listed;
  // These are packed with all that they need, which is in no list.
  const bundled = [manifest["bundleDependencies"], manifest["bundledDependencies"]];
  if (bundled.some((one) => one === true || Object.keys(Object(one)).length > 0))
    return "Nobody here counts the packages that package.json bundles.";
  let bytes = 0;
  let files = 0;
  // Of packages that lie deeper, npm packs what is listed.
  const leavesOut = (name: string, path: string) => path === "node_modules" || name === ".git";
  try {
    for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, signal })) {
      if (kind !== "file" || !isPacked(path, listed)) continue;
      files += 1;
      if (files > maxFiles) return `The package has more than ${maxFiles} files.`;
      const file = await openProjectFile(folder, path, { maxBytes: Number.MAX_SAFE_INTEGER, signal });
      bytes += file.sizeBytes;
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileRefusal) return `The files cannot be counted: ${error.message}`;
    throw error;
  }
  return { bytes, files, isUpperBound: listed === undefined };
}

/** The files and folders that the manifest names, in small letters; undefined if it names none, and all are packed. */
function listedIn(manifest: Json): ReadonlySet<string> | string | undefined {
  const { files, main, browser, bin, directories } = manifest;
  if (!files) return undefined;
  if (!Array.isArray(files)) return "'files' of package.json is no list.";
  const programs = bin ?? (Object(directories) as Json)["bin"];
  const others = [main, browser, ...Object.values(typeof programs === "string" ? [programs] : Object(programs))];
  const isText = (entry: unknown): entry is string => typeof entry === "string";
  // What is no file of a name, npm leaves out.
  const named = others.filter(isText).filter((text) => !["", "."].includes(listedAs(text)));
  const texts = [...files.filter(isText), ...named];
  if (texts.length > maxListed) return `'files' of package.json has more than ${maxListed} entries.`;
  const pattern = texts.find((text) => /[*?![\]{}]/.test(text));
  if (pattern !== undefined)
    return `Nobody here resolves the pattern '${pattern.slice(0, 100)}' in 'files' of package.json.`;
  return new Set(texts.map(listedAs));
}

function listedAs(text: string): string {
  return posix.normalize(text).replace(/^\//, "").replace(/\/$/, "").toLowerCase();
}

/** Whether it, or a folder that it is in, is listed: looked up, for both may be many. To npm, `A.js` is `a.js`, too. */
function isPacked(found: string, listed: ReadonlySet<string> | undefined): boolean {
  if (listed === undefined || alwaysPacked.test(found) || listed.has("") || listed.has(".")) return true;
  const path = found.toLowerCase();
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
    if (listed.has(path.slice(0, end))) return true;
  return false;
}
