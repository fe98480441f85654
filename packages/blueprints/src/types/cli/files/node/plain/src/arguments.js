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
    const option = globalOptions.find(({ name }) => word === `--${name}`);
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
  if (option === undefined) throw new UsageError(`there is no option '${flag}'`);
  if (option.type === "boolean" && inline === undefined) values[option.name] = true;
  else {
    const text = inline ?? rest.shift();
    if (text === undefined) throw new UsageError(`--${option.name} needs a value`);
    values[option.name] = parseValue(option, text);
  }
  given.add(option.name);
}

function readPositional(words, { expected, values, given }) {
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

/** A minus before a digit is a number, and a minus alone is standard input. */
function isOption(word) {
  return /^-[^\d.]/.test(word);
}

function defaultOf(field) {
  if (field.type === "date" && field.default === "today") return today();
  if (field.type === "datetime" && field.default === "now") return new Date().toISOString();
  return field.default;
}
