import { fillTemplate, templateParts } from "@slipway/spec";
import type { Argument } from "./profile.ts";

/** What may stand in `{{…}}` in the arguments of a command, each with what is put there. */
export const argumentNames = {
  prompt: "what the agent is asked to do",
  prompt_file: "the path of a file that holds the prompt",
  folder: "the folder in which it works",
  model: "the model of the agent's settings",
  attempt: "which try at the task this is, from 1",
  "task.id": "the task's id",
  "task.title": "the task's title",
  "task.role": "the role that it fills",
  "task.phase": "the phase of the task",
  "project.id": "the project's id",
  "agent.id": "the agent's id",
} as const;

export type ArgumentName = keyof typeof argumentNames;

/** The names in the `{{…}}` of a text, and whether each is one of ours. */
export function namesIn(text: string): readonly { readonly name: string; readonly isKnown: boolean }[] {
  return templateParts(text).map(({ name }) => ({ name, isKnown: Object.hasOwn(argumentNames, name) }));
}

export function mentions(args: readonly Argument[], wanted: ArgumentName): boolean {
  return args.flat().some((text) => namesIn(text).some(({ name }) => name === wanted));
}

/** Fills the templates of arguments; drops a list if one of its names has no value. Filled-in text is not filled again. */
export function fillArguments(args: readonly Argument[], values: Partial<Record<ArgumentName, string>>): string[] {
  const lookUp = (name: string) => values[name as ArgumentName];
  return args.flatMap((argument) => {
    if (typeof argument === "string") return [fillTemplate(argument, lookUp)];
    const isWhole = argument.every((text) => namesIn(text).every(({ name }) => lookUp(name) !== undefined));
    return isWhole ? argument.map((text) => fillTemplate(text, lookUp)) : [];
  });
}
