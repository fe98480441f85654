import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "#src/command-line.js";

/** Runs a command line in this process, for tests, and gives what it printed. */
export async function runProgram(words, { env = {}, input = "" } = {}) {
  let output = "";
  let errors = "";
  const exitCode = await main(words, {
    env,
    write: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
    readInput: async () => input,
  });
  return { exitCode, output, errors };
}

/** A folder that is gone after the test. */
export async function temporaryFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
