import { today } from "./calculate.js";
import { UsageError } from "./errors.js";
import { parseValue } from "./values.js";

/** Finds the command among the words: options of the whole program may stand before it. */
export function splitCommand(argv, globalOptions, isCommand) {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index];
    if (word === "--") break;
    if (!isOption(word)) {
      if (word !== "help" && !isCommand(word)) break;
      return { name: word, words: [...argv.slice(0, index), ...argv.slice(index + 1)] };
    }
    const option = globalOptions.find(({ name, short }) => word === `--${name}` || (short && word === `-${short}`));
    if (option !== undefined && option.type !== "boolean") index += 1;
  }
  return { name: undefined, words: argv };
}

/** Reads words as the arguments and options that a command takes. What was given is told apart from defaults. */
export function parseArguments(words, { expected, options }) {
  const values = Object.create(null);
  const given = new Set();
  const positional = [];
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === "--") positional.push(...rest.splice(0));
    else if (isOption(word)) readOption(word, rest, { options, values, given });
    else positional.push(word);
  }
  readPositional(positional, { expected, values, given });
  for (const field of [...expected, ...options])
    if (!given.has(field.name) && field.default !== undefined) values[field.name] = defaultOf(field);
  for (const { name, required } of options)
    if (required && !given.has(name) && values[name] === undefined) throw new UsageError(`--${name} is missing`);
  return { values, given };
}

function readOption(word, rest, { options, values, given }) {
  const [, flag, inline] = /^(--?[^=]*)(?:=(.*))?$/s.exec(word);
  const option = options.find(({ name, short }) => flag === `--${name}` || (short && flag === `-${short}`));
  if (option === undefined && readLetters(word, rest, { options, values, given })) return;
  if (option === undefined) throw new UsageError(`there is no option '${flag}'`);
  if (option.type === "boolean" && inline === undefined) values[option.name] = true;
  else {
    const text = inline ?? rest.shift();
    if (text === undefined) throw new UsageError(`--${option.name} needs a value`);
    values[option.name] = parseValue(option, text);
  }
  given.add(option.name);
}

/** Several switches after one hyphen, and a value right after its letter: `-vp5` is `-v -p 5`. */
function readLetters(word, rest, known) {
  const letters = /^-(?!-)(.{2,})$/s.exec(word)?.[1] ?? "";
  const first = known.options.find(({ short }) => short !== undefined && short === letters[0]);
  if (first === undefined) return false;
  const left = letters.slice(1);
  if (first.type !== "boolean") {
    readOption(`-${first.short}`, [left], known);
    return true;
  }
  readOption(`-${first.short}`, [], known);
  readOption(`-${left}`, rest, known);
  return true;
}

function readPositional(written, { expected, values, given }) {
  const words = withInput(written, expected);
  for (const [index, field] of expected.entries()) {
    const isRest = field.multiple === true && index === expected.length - 1;
    const texts = isRest ? words.slice(index) : words.slice(index, index + 1);
    // A hyphen alone stands for standard input, which is read when the command runs.
    if (field.stdin && texts[0] === "-") continue;
    if (texts.length === 0) {
      if (field.optional || field.stdin || field.default !== undefined) continue;
      throw new UsageError(`${field.name} is missing`);
    }
    values[field.name] = isRest ? texts.map((text) => parseValue(field, text)) : parseValue(field, texts[0]);
    given.add(field.name);
  }
  const isOpen = expected.at(-1)?.multiple === true;
  if (!isOpen && words.length > expected.length)
    throw new UsageError(`'${words[expected.length]}' is one argument too many`);
}

/** Where a word is missing, it is the one that comes from standard input: a hyphen stands in its place. */
function withInput(words, expected) {
  const place = expected.findIndex(({ stdin }) => stdin !== undefined);
  const needed = expected.filter((field) => !field.optional && field.default === undefined).length;
  if (place === -1 || words.length >= needed) return words;
  return [...words.slice(0, place), "-", ...words.slice(place)];
}

/** A minus before a digit is a number, and a minus alone is standard input. */
function isOption(word) {
  return /^-[^\d.]/.test(word);
}

function defaultOf(field) {
  if (field.type === "date" && field.default === "today") return today();
  if (field.type === "datetime" && field.default === "now") return new Date().toISOString();
  return field.default;
}
