import { SlipwayError } from "@slipway/client";
import type { Project } from "@slipway/contract";
import { findAgent } from "../agents/find-agent.ts";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { linesOf } from "../output/prompt.ts";
import { type DebugDeps, debugCommands } from "./debug-commands.ts";

/** Stops a project before each task, and carries out what is typed until the end of the input or 'quit'. */
export async function debugProject(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [projectId = ""] = context.args;
  const agent = textOf(options, "agentId");
  const agentId = agent === undefined ? undefined : await findAgent({ ...context, args: [agent] });
  const params = { project_id: projectId };
  const project = await client.call("startDebugging", { params, signal });
  const deps: DebugDeps = { client, terminal, signal, projectId, agentId, isJson: options.json === true };
  terminal.err(`${nameOf(project)} now stops before each task. Type 'help' for what you can do.`);
  let isDebugging = true;
  try {
    for await (const line of linesOf(terminal, "(slipway) ", complete)) {
      const [word = "", ...rest] = line.trim().split(/\s+/);
      if (word === "") continue;
      if ("quit".startsWith(word)) break;
      const command = findCommand(word);
      if (command === undefined) {
        terminal.err(`'${printable(word)}' is not a command here: ${names.join(", ")}, quit`);
        continue;
      }
      try {
        isDebugging = (await command(deps, rest)) ?? isDebugging;
      } catch (error) {
        // The prompt stays: the next command may be the right one.
        if (!(error instanceof SlipwayError)) throw error;
        terminal.err(printable(error.message, 1000));
      }
    }
  } finally {
    if (isDebugging) await client.call("stopDebugging", { params }).catch(() => undefined);
  }
  terminal.err("The debugging has ended; the project goes on.");
  return exitCode.ok;
}

const names = Object.keys(debugCommands);

function findCommand(word: string): (typeof debugCommands)[string] | undefined {
  const name = names.find((one) => one === word) ?? names.find((one) => one.startsWith(word));
  return name === undefined ? undefined : debugCommands[name];
}

function complete(line: string): string[] {
  return [...names, "quit"].filter((name) => name.startsWith(line));
}

function nameOf({ name, project_id }: Project): string {
  return `${printable(name)} (${project_id})`;
}
