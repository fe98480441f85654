import { explainKey, type KeyExplanation, writeYaml } from "@slipway/spec";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJson } from "../output/to-json.ts";

/** Prints what the reference says of a key. */
export async function explainKeyOf(
  terminal: Terminal,
  key: string,
  type: string | undefined,
  isJson: boolean,
): Promise<ExitCode> {
  const { found, suggestions } = explainKey(key);
  const meant = found.filter(
    ({ outcomeTypes: types }) => type === undefined || types.length === 0 || types.includes(type),
  );
  if (meant.length === 0) throw new CommandError(exitCode.notFound, messageFor(key, type, found, suggestions));
  terminal.out(isJson ? toJson(meant.map(asData)) : asText(meant, terminal.colors));
  return exitCode.ok;
}

function messageFor(
  key: string,
  type: string | undefined,
  found: readonly KeyExplanation[],
  suggestions: readonly string[],
): string {
  const named = `'${printable(key)}'`;
  const types = [...new Set(found.flatMap(({ outcomeTypes }) => outcomeTypes))];
  if (types.length > 0) return `${named} is a key of ${types.join(", ")}, not of ${printable(type ?? "")}`;
  if (suggestions.length === 0)
    return `no key is named ${named}; 'slipway explain TYPE' lists the keys of an outcome type`;
  return [`no key is named ${named}. Did you mean`, ...suggestions.map((path) => `  slipway explain '${path}'`)].join(
    "\n",
  );
}

/** For programs, with the words of the API. */
function asData({ path, outcomeTypes, description, value, isRequired, words, keys, ...rest }: KeyExplanation) {
  return { path, outcome_types: outcomeTypes, description, value, is_required: isRequired, ...rest, words, keys };
}

/** More places than this are only named. */
const maxInFull = 3;

function asText(found: readonly KeyExplanation[], colors: Terminal["colors"]): string {
  const left = found.slice(maxInFull).map(({ path }) => path);
  const more = left.length === 0 ? [] : [`It also stands in\n${left.map((path) => `  ${path}`).join("\n")}`];
  return [...found.slice(0, maxInFull).map((one) => block(one, colors)), ...more].join("\n\n");
}

function block(explanation: KeyExplanation, colors: Terminal["colors"]): string {
  const { path, outcomeTypes: types, description, value, isRequired, default: byDefault, words, keys } = explanation;
  const row = (label: string, text: string) => `  ${colors.dim(label.padEnd(10))}${text}`;
  const rows = (label: string, entries: readonly (readonly [string, string])[]) => {
    const width = Math.max(...entries.map(([name]) => name.length)) + 2;
    return [
      `  ${colors.dim(label)}`,
      ...entries.map(([name, text]) => `    ${colors.cyan(name.padEnd(width))}${text}`),
    ];
  };
  return [
    `${colors.bold(path)}${colors.dim(`  ${types.length === 0 ? "(every document)" : `(${types.join(", ")})`}`)}`,
    `  ${description}`,
    "",
    row("value", `${value}${isRequired ? ", required" : ""}`),
    ...(byDefault === undefined ? [] : [row("default", JSON.stringify(byDefault))]),
    ...(words.length === 0
      ? []
      : rows(
          "words",
          words.map(({ word, meaning }) => [word, meaning] as const),
        )),
    ...(keys.length === 0
      ? []
      : rows(
          "keys",
          keys.map(({ key, description: text }) => [key, text] as const),
        )),
    ...exampleLines(explanation, colors),
  ].join("\n");
}

function exampleLines({ path, example }: KeyExplanation, colors: Terminal["colors"]): string[] {
  if (example === undefined) return [];
  const key = path.split(".").at(-1)!.replaceAll("[]", "");
  const text = writeYaml({ [key]: example }).trimEnd();
  return [`  ${colors.dim("example")}`, ...text.split("\n").map((line) => `    ${line}`)];
}
