import { FileRefusal, listProjectFolder } from "../../platform/project-files/index.ts";

/** Package managers that look for their file in the folders above, too, and what they do with it. */
const managers = [
  {
    program: "npm|yarn|pnpm|bun",
    verbs: "ci|test|tst|t|start|stop|restart|run|run-script|build",
    file: "package.json",
  },
  { program: "cargo", verbs: "build|b|test|t|run|r|check|c|clippy|bench", file: "Cargo.toml" },
  { program: "go", verbs: "test|vet", file: "go.mod" },
].map(({ program, verbs, file }) => ({
  file,
  // Variables may stand before it: `CI=1 npm test`.
  begins: new RegExp(`^\\s*(?:\\w+=[^\\s'"]*\\s+)*(${program})\\s+(?:${verbs})(?![\\w-])`),
}));

/** The command itself says in which other folder it works. */
const namesFolder = /\s(?:--prefix|--cwd|--dir|--manifest-path|-C)\b/;

interface ScriptOfResult {
  readonly name: string;
  readonly command: string;
  /** Where in the folder it runs; left out: in the folder itself. */
  readonly startsIn?: string | undefined;
}

/** Why a script is not the result's own: its program would find no file there and take one from above. */
export async function whyNotOwn(
  { name, command, startsIn = "." }: ScriptOfResult,
  folder: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (const { begins, file } of managers) {
    const [, program] = begins.exec(command) ?? [];
    if (program === undefined || namesFolder.test(command)) continue;
    const entries = await listProjectFolder(folder, startsIn, { skipsOddNames: true, signal }).catch(whyRefused);
    if (typeof entries === "string") return entries;
    if (!entries.some((entry) => entry.name === file))
      return `scripts.${name} runs ${program}, but the result has no ${file}.`;
  }
  return undefined;
}

/** A program may have exchanged the folder for a link. */
function whyRefused(error: unknown): string {
  if (error instanceof FileRefusal && error.code !== "stuck") return error.message;
  throw error;
}

/** Whether a folder has no files at all. */
export async function isEmptyResult(folder: string, signal?: AbortSignal): Promise<boolean> {
  const entries = await listProjectFolder(folder, ".", { skipsOddNames: true, signal });
  return entries.length === 0;
}
