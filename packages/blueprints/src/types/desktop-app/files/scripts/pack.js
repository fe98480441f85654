import { chmod, cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Packs the app into one folder with a launcher for each system; all it needs besides is Node. */
export async function pack(model, folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(root, "src"), join(folder, "app"), { recursive: true, filter: (path) => !path.endsWith("sample-model.js") });
  await writeFile(join(folder, "app", "package.json"), '{ "type": "module" }\n');
  const { linux, macos, windows } = model.launchers;
  for (const name of [linux, macos]) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '#!/bin/sh\nexec node "$(dirname "$0")/app/main.js" "$@"\n');
    await chmod(file, 0o755);
  }
  await writeFile(join(folder, windows), '@echo off\r\nnode "%~dp0app\\main.js" %*\r\n');
  return sizeOf(folder);
}

/** How many bytes the files of a folder have together. */
export async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath ?? entry.path, entry.name))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
