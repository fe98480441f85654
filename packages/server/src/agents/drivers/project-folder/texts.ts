import {
  FileRefusal,
  readProjectFile,
  resolveInside,
  writeProjectFile,
} from "../../../platform/project-files/index.ts";

const maxBytes = 2 * 1024 * 1024;

/** The whole text of a file that an agent names; refuses what is not a file, too large or not text. */
export async function readText(folder: string, path: string): Promise<string> {
  const bytes = await readProjectFile(folder, await resolveInside(folder, path), { maxBytes });
  if (bytes.includes(0)) throw new FileRefusal("not_a_file", path, "is not text.");
  return bytes.toString("utf8");
}

export async function writeText(folder: string, path: string, text: string): Promise<void> {
  if (Buffer.byteLength(text) > maxBytes)
    throw new FileRefusal("too_large", path, `cannot be written: its content is larger than ${maxBytes} bytes.`);
  await writeProjectFile(folder, await resolveInside(folder, path), text);
}
