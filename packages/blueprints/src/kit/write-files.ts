import type { BuildTask, BuildWorkspace } from "../plugin.ts";
import type { FileSet } from "./file-set.ts";
import { markdown } from "./quote.ts";

/** Writes the files, and a note about the task, so that every task changes something. */
export async function writeFiles(
  workspace: BuildWorkspace,
  task: Omit<BuildTask, "lines">,
  files: FileSet,
): Promise<void> {
  for (const { path, content, isExecutable } of files.all)
    if ((await workspace.read(path)) !== content) await workspace.write(path, content, { isExecutable });
  await workspace.write(`docs/tasks/${fileNameOf(task.id)}.md`, noteOf(task));
}

function noteOf({ id, title, description = "", phase }: Omit<BuildTask, "lines">): string {
  const lines = [
    `# ${markdown(title)}`,
    "",
    `Task \`${id.replace(/[`\p{Cc}]/gu, "")}\` of the phase ${markdown(phase)}.`,
    ...(description.trim() === ""
      ? []
      : ["", markdown(description), "", "Words are not built by rule: a person should look."]),
  ];
  return `${lines.join("\n")}\n`;
}

/** A unique file name for any id. */
function fileNameOf(id: string): string {
  return encodeURIComponent(id).replaceAll("*", "%2A").replace(/^\./, "%2E").slice(0, 200);
}
