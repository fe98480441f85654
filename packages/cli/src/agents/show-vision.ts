import { writeFile } from "node:fs/promises";
import type { AgentVision } from "@slipway/contract";
import { textOf } from "../connection/with-service.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../printable.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";
import { runQuery } from "./run-query.ts";

export async function showVision(context: Context): Promise<ExitCode> {
  const { client, terminal, options, signal, agentId } = context;
  const query = { file: textOf(options, "file")!, ...runQuery(options) };
  const seen = await client.call("readAgentVision", { params: { agent_id: agentId }, query, signal });
  const output = textOf(options, "output");
  if (output !== undefined) await keep(context, seen, output);
  if (options.json) terminal.out(toJson(seen));
  else if (output === undefined) terminal.out(show(seen, terminal.colors).join("\n"));
  else terminal.err(`${printable(seen.path)} is in ${printable(output)}`);
  return exitCode.ok;
}

/** Writes the file as the agent sees it. */
async function keep({ client, signal, agentId, options }: Context, seen: AgentVision, output: string): Promise<void> {
  const text = (seen.current ?? seen.base)?.text;
  if (text != null) return write(output, text);
  const query = { file: seen.path, as: "image" as const, ...runQuery(options) };
  const answer = await client.send("readAgentVision", { params: { agent_id: agentId }, query, signal });
  await write(output, new Uint8Array(await answer.arrayBuffer()));
}

async function write(output: string, content: string | Uint8Array): Promise<void> {
  await writeFile(output, content).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCode.failed, `${output} cannot be written (${error.code})`, { cause: error });
  });
}

function show(seen: AgentVision, colors: Context["terminal"]["colors"]): string[] {
  const { path, base, current, source, diff, media_type, task_id, attempt } = seen;
  const heading = `${colors.bold(printable(path))}  ${colors.dim(`(${media_type}; ${printable(task_id)}, attempt ${attempt})`)}`;
  if (diff !== null && diff !== "")
    return [
      heading,
      ...diff
        .trimEnd()
        .split("\n")
        .map((line) => paint(line, colors)),
    ];
  const text = (current ?? base)?.text ?? null;
  return [
    heading,
    ...(source === "elsewhere" ? ["The agent works on another node: this is what it was given."] : []),
    ...(diff === "" ? ["It has not changed it."] : []),
    ...(text === null
      ? [`It is no text that can be shown (${sizeOf(current ?? base)}); --output writes an image to a file.`]
      : text
          .trimEnd()
          .split("\n")
          .map((line) => printable(line, 10_000))),
  ];
}

function paint(line: string, colors: Context["terminal"]["colors"]): string {
  const text = printable(line, 10_000);
  if (line.startsWith("+")) return colors.green(text);
  if (line.startsWith("-")) return colors.red(text);
  return line.startsWith("@@") ? colors.cyan(text) : text;
}

function sizeOf(file: AgentVision["base"]): string {
  return file?.size_bytes == null ? "more than 10 MiB" : `${file.size_bytes} bytes`;
}
