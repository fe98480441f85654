import { normalize } from "node:path/posix";
import { findText } from "../../../../platform/find-text.ts";
import { type FolderEntry, listProjectFolder, resolveInside } from "../../../../platform/project-files/index.ts";
import { readText, writeText } from "../../project-folder/texts.ts";
import { type Tool, ToolRefusal } from "./tool.ts";

const maxEntries = 1_000;
const maxLines = 2_000;
const maxCharacters = 60_000;
const path = { type: "string", description: "Path from the project's folder on." } as const;

export const list: Tool = {
  name: "list",
  description: `Lists files and folders below a folder, at most ${maxEntries}. Folders end with /, links with @.`,
  inputs: {
    path: { ...path, isOptional: true },
    depth: { type: "integer", description: "How many levels down, 1 to 10; usually 2.", isOptional: true },
  },
  describe: (input) => input.optionalText("path") ?? ".",
  perform: async ({ folder }, input) => {
    const inside = await resolveInside(folder, input.optionalText("path") ?? ".");
    const found: string[] = [];
    await listInto(found, folder, inside, "", input.integer("depth", { min: 1, default: 2, max: 10 }));
    if (found.length === 0) return "(empty)";
    const more = found.length >= maxEntries ? "\n[… there is more: list a folder below]" : "";
    return found.join("\n") + more;
  },
};

async function listInto(found: string[], folder: string, inside: string, before: string, depth: number) {
  const listing = listProjectFolder(folder, inside, { skipsOddNames: true });
  const entries = await (before === "" ? listing : listing.catch((): FolderEntry[] => []));
  for (const { name, kind } of entries) {
    if (found.length >= maxEntries) return;
    if (name.toLowerCase() === ".git") continue;
    const shown = before + name;
    found.push(kind === "folder" ? `${shown}/` : kind === "link" ? `${shown}@` : shown);
    if (kind === "folder" && depth > 1 && name !== "node_modules")
      await listInto(found, folder, `${inside}/${name}`, `${shown}/`, depth - 1);
  }
}

export const read: Tool = {
  name: "read",
  description: `Reads a text file, at most ${maxLines} lines at once.`,
  inputs: {
    path,
    from_line: { type: "integer", description: "The first line, from 1.", isOptional: true },
    lines: { type: "integer", description: "How many lines.", isOptional: true },
  },
  describe: (input) => input.text("path"),
  perform: async ({ folder, emit }, input) => {
    const path = input.text("path");
    const text = await readText(folder, path);
    emit({ type: "file", path: shownPath(path), change: "read" });
    const lines = text.split("\n");
    const from = input.integer("from_line", { min: 1, default: 1, max: lines.length }) - 1;
    const to = from + input.integer("lines", { min: 1, default: maxLines, max: maxLines });
    const part = lines.slice(from, to).join("\n").slice(0, maxCharacters);
    if (from === 0 && part.length === text.length) return part === "" ? "(empty)" : part;
    const last = from + part.split("\n").length;
    return `${part}\n[lines ${from + 1} to ${last} of ${lines.length}]`;
  },
};

export const write: Tool = {
  name: "write",
  description: "Writes a text file as a whole; folders on the way are made. What was there is replaced.",
  inputs: { path, content: { type: "string", description: "The whole new content." } },
  describe: (input) => input.text("path"),
  perform: async ({ folder, emit }, input) => {
    const path = input.text("path");
    await writeText(folder, path, input.text("content"));
    emit({ type: "file", path: shownPath(path), change: "written" });
    return `Written: ${shownPath(path)}`;
  },
};

export const edit: Tool = {
  name: "edit",
  description: "Replaces a piece of a text file. The old text must stand in the file exactly once, spaces and all.",
  inputs: {
    path,
    old_text: { type: "string", description: "What stands there now, with enough around it to be unique." },
    new_text: { type: "string", description: "What stands there afterwards." },
  },
  describe: (input) => input.text("path"),
  perform: async ({ folder, emit }, input) => {
    const path = input.text("path");
    const text = await readText(folder, path);
    await writeText(folder, path, replaceOnce(text, input.text("old_text"), input.text("new_text")));
    emit({ type: "file", path: shownPath(path), change: "written" });
    return `Changed: ${shownPath(path)}`;
  },
};

/** As the model named it, without detours. */
function shownPath(path: string): string {
  return normalize(path).replace(/(?<!\/)\/+$/, "");
}

function replaceOnce(text: string, before: string, after: string): string {
  if (before === "") throw new ToolRefusal("'old_text' is empty: use write for a new file.");
  const at = findText(text, before);
  if (at === -1) throw new ToolRefusal("'old_text' is not in the file: read it again, and copy exactly.");
  if (findText(text, before, at + 1) !== -1)
    throw new ToolRefusal("'old_text' is in the file more than once: take more of what is around it.");
  return text.slice(0, at) + after + text.slice(at + before.length);
}
