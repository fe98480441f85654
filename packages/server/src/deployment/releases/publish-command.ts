import { slugOf } from "@slipway/spec";
import { findCommand } from "./find-command.ts";
import { packArchive } from "./pack-archive.ts";
import type { Publish, PublishDeps, ReleaseToPublish } from "./release.ts";
import { runProgram } from "./run-program.ts";
import { shellWord } from "./shell-word.ts";
import { writeWrapper } from "./write-wrapper.ts";

/** Longer than any program needs to print its help. */
const maxHelpMs = 20_000;

/** A program that people call by its path: an executable file, whatever it is written in. */
export const publishCommand: Publish = async (deps, release) => {
  const command = await findCommand(deps, release);
  if (command === undefined || "failure" in command) return command;
  const place = "path" in command ? command.path : await writeWrapper(release, command);
  const asked = await answeredArgument(deps, release, place);
  if (typeof asked === "object") return asked;
  const packed = await packArchive(release, { name: `${slugOf(release.document.id)}.tar.gz`, hasPackages: true });
  if ("failure" in packed) return packed;
  const usage = `${shellWord(`${release.current}/${place}`)}${asked === "" ? "" : ` ${asked}`}`;
  return { kind: "command", usage, files: [{ path: packed.path, type: "bundle" }] };
};

/**
 * What a first call should ask for, as the program itself understands it: its help, else its version, else nothing. A
 * failure if it cannot be started at all, or breaks a limit other than that of time.
 */
async function answeredArgument(deps: PublishDeps, release: ReleaseToPublish, place: string) {
  for (const argument of ["--help", "--version", "help"]) {
    const name = `${place} ${argument}`;
    const failure = await runProgram(deps, release, { name, command: `./${name}`, maxMs: maxHelpMs });
    if (failure === undefined) return argument;
    const { exitCode, limit } = failure;
    // 126 and 127: a shell could not execute it, or did not find the program that runs it.
    if (exitCode === 126 || exitCode === 127 || limit === "use") return failure;
    // A program may wait for something, whatever it is asked for.
    if (limit === "time") release.onOutput?.(`${failure.failure}\n`);
  }
  return "";
}
