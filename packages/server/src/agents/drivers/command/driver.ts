import { ConfigError } from "../../../platform/errors/index.ts";
import type { AgentDriver, AgentWork, Program } from "../driver.ts";
import { type ArgumentName, argumentNames, fillArguments, mentions, namesIn } from "./arguments.ts";
import { CommandRun } from "./command-run.ts";
import { findProgram, probeProgram } from "./probe-program.ts";
import type { Argument, CommandProfile } from "./profile.ts";
import { writePromptFile } from "./prompt-file.ts";

export interface CommandSettings {
  /** Replaces the profile's command. */
  readonly command?: string | undefined;
  /** Appended to the profile's arguments. */
  readonly args?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** Names of environment variables to pass on, in addition to those of the profile. */
  readonly env?: readonly string[] | undefined;
}

/** Drives a command-line agent; each attempt at a task is one call of its program. */
export function commandDriver(
  profile: CommandProfile,
  settings: CommandSettings = {},
  environment: NodeJS.ProcessEnv = process.env,
): AgentDriver {
  const command = settings.command ?? profile.command;
  const args: readonly Argument[] = [...profile.args, ...(settings.args ?? [])];
  checkArguments(profile, args, settings.model);
  const env = variablesOf(profile, settings, environment);
  const hasPrompt = mentions(args, "prompt") || mentions(args, "prompt_file");
  return {
    kind: "command",
    probe: (signal) =>
      profile.isAnyProgram
        ? findProgram({ command, install: profile.install })
        : probeProgram({ command, install: profile.install }, signal),
    start: (work, host) =>
      new CommandRun({
        profile,
        work,
        host,
        programFor: (promptFile): Program => ({
          command,
          args: fillArguments(args, valuesOf(work, settings.model, promptFile)),
          env,
        }),
        input: hasPrompt ? "" : work.prompt,
        writePrompt: mentions(args, "prompt_file") ? () => writePromptFile(work.folder, work.prompt) : undefined,
      }),
  };
}

/** The environment variables of an agent. Their values are secret, except the profile's fixed ones. */
export function variablesOf(
  profile: CommandProfile,
  settings: CommandSettings,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const names = [...profile.keys, ...profile.variables, ...(settings.env ?? [])];
  const given = names.flatMap((name) => {
    const value = environment[name];
    // An agent must not receive the service's own settings.
    return value === undefined || value === "" || name.startsWith("SLIPWAY_") ? [] : [[name, value] as const];
  });
  return { ...profile.fixedVariables, ...Object.fromEntries(given) };
}

function checkArguments({ title }: CommandProfile, args: readonly Argument[], model: string | undefined): void {
  const unknown = args
    .flat()
    .flatMap(namesIn)
    .find(({ isKnown }) => !isKnown);
  if (unknown !== undefined) {
    const known = Object.keys(argumentNames).join(", ");
    throw new ConfigError(
      `The arguments of ${title} use '{{${unknown.name}}}', which is unknown. Known are: ${known}.`,
    );
  }
  const alone = args.filter((argument) => typeof argument === "string");
  if (model === undefined && mentions(alone, "model")) {
    throw new ConfigError(`The arguments of ${title} use '{{model}}', but no 'model' is set.`);
  }
}

function valuesOf(
  { task, prompt, folder, attempt, projectId, agentId }: AgentWork,
  model: string | undefined,
  promptFile: string | undefined,
): Partial<Record<ArgumentName, string>> {
  return {
    prompt,
    folder,
    attempt: String(attempt),
    "task.id": task.id,
    "task.title": task.title,
    "task.role": task.role,
    "task.phase": task.phase,
    "project.id": projectId,
    "agent.id": agentId,
    ...(promptFile !== undefined && { prompt_file: promptFile }),
    ...(model !== undefined && { model }),
  };
}
