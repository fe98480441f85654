import type { Unmet } from "../../plugin.ts";
import type { Command } from "./model.ts";
import type { Invocation } from "./read-invocations.ts";

/** What is unknown about a program inferred from these runs, and the runs that it does not meet. */
export function unmetOfInferred(commands: readonly Command[], runs: readonly Invocation[]): readonly Unmet[] {
  return [...silent(commands), ...guessed(commands), ...unmetLines(commands, runs)];
}

function silent(commands: readonly Command[]): readonly Unmet[] {
  if (commands.length > 0) return [];
  return [
    { pointer: "/acceptance", reason: "Neither a key 'cli' nor a line of acceptance says what the program does." },
  ];
}

function guessed(commands: readonly Command[]): readonly Unmet[] {
  const printers = commands.filter(({ does }) => does === "print").map(({ name }) => name);
  if (printers.length === 0) return [];
  const reason =
    `What ${printers.join(", ")} should do is not said under 'cli'. Built is what the lines state: ` +
    "the text, with the arguments put in.";
  return [{ pointer: "/acceptance/commands", reason }];
}

/** Lines that the inferred program does not meet. */
function unmetLines(commands: readonly Command[], runs: readonly Invocation[]): readonly Unmet[] {
  return runs.flatMap((run) => {
    const command = commands.find(({ name }) => name === run.words[0]);
    if (command === undefined || run.words.includes("--help")) return [];
    const refused = refusal(command, run);
    const isWanted = run.check.exitCode === 0;
    const reason = isWanted
      ? (refused ?? otherOutput(command, run))
      : refused === undefined && command.does === "print"
        ? `Nothing says why ${command.name} should fail with this.`
        : undefined;
    return reason === undefined ? [] : [{ pointer: run.pointer, reason }];
  });
}

const programOptions = new Set(["json", "input", "file", "config", "help"]);

/** Why the command refuses the words; undefined if it accepts them. */
function refusal(command: Command, run: Invocation): string | undefined {
  const { positional, options } = parseWords(run);
  const known = new Set([...command.options, ...(command.groupBy ? [command.groupBy] : [])].map(({ name }) => name));
  const unknown = [...options.keys()].find((name) => !known.has(name) && !programOptions.has(name));
  if (unknown !== undefined) return `What --${unknown} means to ${command.name} is not said.`;
  const short = positional.find((word) => /^-[^\d.]/.test(word));
  if (short !== undefined) return `What ${short} means to ${command.name} is not said.`;
  const needed = command.arguments.filter(({ optional, default: fallback }) => !optional && fallback === undefined);
  const isFit = positional.length >= needed.length && positional.length <= command.arguments.length;
  return isFit ? undefined : `${command.name} takes another number of arguments in other lines.`;
}

/** An expected text that the command, as inferred from another line, does not print. */
function otherOutput(command: Command, run: Invocation): string | undefined {
  if (command.does !== "print" || run.words.includes("--json")) return undefined;
  const { positional } = parseWords(run);
  const printed = command.arguments.reduce(
    (text, { name }, place) => text.replaceAll(`{${name}}`, () => positional[place] ?? `{${name}}`),
    command.prints,
  );
  const missing = run.check.stdoutContains.find((text) => !printed.includes(text));
  return missing === undefined ? undefined : `${command.name} does not print ${missing}.`;
}

interface ParsedWords {
  readonly positional: readonly string[];
  /** A value; undefined for a switch. */
  readonly options: ReadonlyMap<string, string | undefined>;
}

/** The arguments and options among the words of a run, without its command. */
export function parseWords({ words }: Invocation): ParsedWords {
  const positional: string[] = [];
  const options = new Map<string, string | undefined>();
  const rest = words.slice(1);
  while (rest.length > 0) {
    const word = rest.shift()!;
    const [, name, inline] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) positional.push(word);
    else options.set(name, inline ?? (switches.has(name) || rest[0]?.startsWith("-") ? undefined : rest.shift()));
  }
  return { positional, options };
}

const switches = new Set("json verbose quiet all force help version upper lower dry-run".split(" "));
