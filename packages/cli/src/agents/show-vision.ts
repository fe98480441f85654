import { writeFile } from "node:fs/promises";
import type { AgentVision } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { count } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJson } from "../output/to-json.ts";
import { attemptQuery, findAgent } from "./find-agent.ts";

export async function showVision(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const params = { agent_id: await findAgent(context) };
  const query = { file: textOf(options, "file")!, ...attemptQuery(options) };
  const vision = await client.call("readAgentVision", { params, query, signal });
  const output = textOf(options, "output");
  if (output !== undefined) await write(output, await contentOf(context, vision));
  if (options.json) terminal.out(toJson(vision));
  else if (output === undefined) terminal.out(describe(vision, terminal.colors).join("\n"));
  else terminal.err(`Saved ${printable(vision.path)} to ${printable(output)}`);
  return exitCode.ok;
}

/** The file as the agent sees it. */
async function contentOf(
  { client, signal, options }: ServiceContext,
  vision: AgentVision,
): Promise<string | Uint8Array> {
  const text = (vision.current ?? vision.base)?.text;
  if (text != null) return text;
  const query = { file: vision.path, as: "image" as const, ...attemptQuery(options) };
  const headers = { accept: "image/png, image/jpeg, image/gif, image/webp" };
  const response = await client.send("readAgentVision", {
    ...{ params: { agent_id: vision.agent_id }, query, headers, signal },
  });
  return new Uint8Array(await response.arrayBuffer());
}

async function write(output: string, content: string | Uint8Array): Promise<void> {
  await writeFile(output, content).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCode.failed, `cannot write ${output} (${error.code})`, { cause: error });
  });
}

function describe(vision: AgentVision, colors: Terminal["colors"]): string[] {
  const { path, base, current, source, diff, media_type, task_id, attempt } = vision;
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
    ...(source === "elsewhere" ? ["The agent runs on another node: this is the file it received."] : []),
    ...(diff === "" ? ["The agent has not changed it."] : []),
    ...(text === null
      ? [`The file is binary (${sizeOf(current ?? base)}); --output saves an image.`]
      : text
          .trimEnd()
          .split("\n")
          .map((line) => printable(line, 10_000))),
  ];
}

function paint(line: string, colors: Terminal["colors"]): string {
  const text = printable(line, 10_000);
  if (line.startsWith("+")) return colors.green(text);
  if (line.startsWith("-")) return colors.red(text);
  return line.startsWith("@@") ? colors.cyan(text) : text;
}

function sizeOf(file: AgentVision["base"]): string {
  return file?.size_bytes == null ? "more than 10 MiB" : count(file.size_bytes, "byte");
}
