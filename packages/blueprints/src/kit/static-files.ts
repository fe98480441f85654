import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The templates in a folder, by path. They are copied as they are, and read when the first of them is asked for. */
export function staticFiles(folder: URL, isWanted = (_path: string) => true): ReadonlyMap<string, string> {
  return madeLate(() => readFiles(folder, isWanted));
}

/** The templates of a type, with others that several types share below a folder of the result. */
export function withShared(
  templates: ReadonlyMap<string, string>,
  folder: string,
  shared: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return madeLate(
    () => new Map([...templates, ...[...shared].map(([path, text]) => [`${folder}/${path}`, text] as const)]),
  );
}

function madeLate(make: () => ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let made: ReadonlyMap<string, string> | undefined;
  const files = () => (made ??= make());
  return {
    get size() {
      return files().size;
    },
    get: (path) => files().get(path),
    has: (path) => files().has(path),
    keys: () => files().keys(),
    values: () => files().values(),
    entries: () => files().entries(),
    forEach: (callback) => files().forEach(callback),
    [Symbol.iterator]: () => files()[Symbol.iterator](),
  };
}

function readFiles(folder: URL, isWanted: (path: string) => boolean): ReadonlyMap<string, string> {
  const root = fileURLToPath(folder);
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length).replace(/^\/+/, ""))
    .filter(isWanted);
  return new Map(paths.toSorted().map((path) => [path, readFileSync(new URL(path, folder), "utf8")]));
}
