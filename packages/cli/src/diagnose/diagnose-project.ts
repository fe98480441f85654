import { writeFile } from "node:fs/promises";
import type { Diagnostics } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { checkCounts, count } from "../output/quantities.ts";
import { toJson } from "../output/to-json.ts";
import { version } from "../version.ts";

/** Writes everything that explains a project into one file. */
export async function diagnoseProject(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [project_id = ""] = context.args;
  const found = await client.call("readDiagnostics", { params: { project_id }, signal });
  const text = toJson({ command: { version, node: process.versions.node, platform: process.platform }, ...found });
  const file = textOf(options, "output") ?? `${project_id}.json`;
  if (file === "-") {
    terminal.out(text);
    return exitCode.ok;
  }
  await write(file, text, options["force"] === true);
  print(context, { project_id, file, bytes: Buffer.byteLength(text) }, () => summary(found, file).join("\n"));
  return exitCode.ok;
}

/** Readable by its owner only: it holds the document. */
async function write(file: string, text: string, isForced: boolean): Promise<void> {
  await writeFile(file, `${text}\n`, { mode: 0o600, flag: isForced ? "w" : "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      const why = error.code === "EEXIST" ? "it exists; give --force to overwrite it" : error.code;
      throw new CommandError(exitCode.failed, `cannot write ${file} (${why})`, { cause: error });
    },
  );
}

function summary({ project, tasks, events, logs }: Diagnostics, file: string): string[] {
  const failed = tasks.flatMap(({ task_id, attempts }) =>
    attempts.flatMap(({ number, error }) => (error === null ? [] : [{ task_id, number, message: error.message }])),
  );
  const parts = [count(events.length, "event"), count(tasks.length, "task"), count(logs.length, "log line")];
  return [
    `${printable(project.name)}: ${project.status}${project.checks === null ? "" : `, ${checkCounts(project.checks)}`}`,
    ...(project.error === null ? [] : [`  ${printable(project.error.message, 500)}`]),
    ...failed.slice(0, 5).map(({ task_id, number, message }) => {
      return `  ${printable(task_id)}, attempt ${number}: ${printable(message.split("\n")[0]!, 300)}`;
    }),
    `Wrote ${printable(file)}: ${parts.join(", ")}.`,
  ];
}
