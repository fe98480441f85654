import { writeFile } from "node:fs/promises";
import {
  type BuiltInType,
  firstDocument,
  firstLanguages,
  nearest,
  outcomeTypes,
  parseSpec,
  slugOf,
} from "@slipway/spec";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJson } from "../output/to-json.ts";

interface Wanted {
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly language: string | undefined;
  readonly output: string | undefined;
  readonly isForced: boolean;
  readonly isJson: boolean;
}

/** Writes a first document, of what the command line says and a person answers. */
export async function writeFirstDocument(terminal: Terminal, wanted: Wanted): Promise<ExitCode> {
  const type = await typeOf(terminal, wanted);
  const name = await nameOf(terminal, wanted, type);
  const language = await languageOf(terminal, wanted, type);
  const id = idOf(name, type);
  const file = wanted.output ?? `${id}.yaml`;
  const text = firstDocument({ type, id, name, language });
  if (parseSpec(text).document === undefined) throw new UsageError("a document cannot have this name; use another");
  if (file === "-") {
    terminal.out(text.trimEnd());
    return exitCode.ok;
  }
  await write(file, text, wanted.isForced);
  terminal.out(wanted.isJson ? toJson({ file, outcome_type: type, language }) : nextSteps(terminal, file, type));
  return exitCode.ok;
}

const defaultType: BuiltInType = "api";

async function typeOf({ ask, err, colors }: Terminal, { type }: Wanted): Promise<BuiltInType> {
  if (type === undefined && ask !== undefined) {
    for (const [name, meaning] of Object.entries(outcomeTypes)) err(`  ${colors.cyan(name.padEnd(16))}${meaning}`);
    return checkType((await ask(`What kind of software? [${defaultType}] `)).trim() || defaultType);
  }
  return checkType(type ?? defaultType);
}

function checkType(type: string): BuiltInType {
  if (Object.hasOwn(outcomeTypes, type)) return type as BuiltInType;
  const names = Object.keys(outcomeTypes);
  const meant = nearest(type, names);
  const hint = meant === undefined ? `the types are ${names.join(", ")}` : `did you mean '${meant}'?`;
  throw new UsageError(`there is no outcome type '${printable(type)}'; ${hint}`);
}

const maxNameLength = 100;

async function nameOf({ ask }: Terminal, { name, output }: Wanted, type: BuiltInType): Promise<string> {
  const byFile = /([^/\\]+)\.ya?ml$/.exec(output ?? "")?.[1]?.replaceAll(/[-_]+/g, " ");
  const usual = capitalised(
    byFile ?? `my ${type === "api" || type === "cli" ? type.toUpperCase() : type.replace("-", " ")}`,
  );
  const asked = name ?? (ask === undefined ? undefined : (await ask(`Its name? [${usual}] `)).trim());
  const chosen = (asked || usual).trim();
  if (chosen.length > maxNameLength) throw new UsageError(`a name has at most ${maxNameLength} characters`);
  if (/\p{Cc}/u.test(chosen)) throw new UsageError("a name has no control characters");
  return chosen;
}

async function languageOf({ ask }: Terminal, { language }: Wanted, type: BuiltInType): Promise<string> {
  const languages = firstLanguages[type];
  const usual = languages[0]!;
  const isOpen = language === undefined && ask !== undefined && languages.length > 1;
  const chosen = isOpen
    ? (await ask(`Written in ${languages.join(" or ")}? [${usual}] `)).trim() || usual
    : (language ?? usual);
  if (languages.includes(chosen)) return chosen;
  throw new UsageError(`the built-in agent writes ${type} in ${languages.join(" or ")}, not in '${printable(chosen)}'`);
}

/** The id as programs and files are named. */
function idOf(name: string, type: BuiltInType): string {
  const slug = slugOf(name).replace(/^[^a-z]+/, "");
  if (slug === "" || (slug === "x" && name !== "x")) return `my-${type}`;
  // Words that YAML takes for something else.
  return /^(?:true|false|null|yes|no|on|off|y|n)$/.test(slug) ? `${slug}-${type}` : slug;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function write(file: string, text: string, isForced: boolean): Promise<void> {
  try {
    // Never over another file unless asked: it may be the only copy of somebody's work.
    await writeFile(file, text, { flag: isForced ? "w" : "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new CommandError(exitCode.failed, `'${file}' exists; use --output for another, or --force to overwrite it`);
    throw new CommandError(exitCode.failed, `cannot write '${file}': ${message}`, { cause: error });
  }
}

function nextSteps({ colors }: Terminal, file: string, type: string): string {
  return [
    `${colors.green("✔")} Wrote ${file}. Next:`,
    `  slipway run ${file}          builds, checks and starts it`,
    `  slipway explain ${type}      lists the keys that it may have`,
  ].join("\n");
}
