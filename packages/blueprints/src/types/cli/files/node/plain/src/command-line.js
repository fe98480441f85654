import { parseArguments, splitCommand } from "./arguments.js";
import { CalculationError, UnknownName } from "./calculate.js";
import { applyConfig } from "./config.js";
import { Failure, UsageError } from "./errors.js";
import { commandHelp, programHelp } from "./help.js";
import { loadCommands } from "./load-commands.js";
import { render } from "./output.js";
import { globalOptions, program } from "./program.js";
import { resourcesFor } from "./resources.js";

/** Runs one command line and gives the exit code. */
export async function main(argv, io = processIo) {
  try {
    return await run(argv, io);
  } catch (cause) {
    const error = asFailure(cause);
    if (!(error instanceof Failure)) throw error;
    io.writeError(`${program.name}: ${error.message}\n`);
    if (error instanceof UsageError) io.writeError(`Try '${program.name} --help'.\n`);
    return error.exitCode;
  }
}

/** What cannot be worked out is told as any other failure; a name that no table has is a wrong word. */
function asFailure(error) {
  if (error instanceof UnknownName) return new UsageError(error.message, { cause: error });
  return error instanceof CalculationError ? new Failure(error.message, { cause: error }) : error;
}

async function run(argv, io) {
  const commands = await loadCommands();
  const { name, words } = splitCommand(argv, globalOptions, (word) => commands.has(word));
  if (name === "help") return showHelp(words[0], commands, io);
  const command = commands.get(name ?? program.defaultCommand);
  const ending = words.indexOf("--");
  const flags = ending === -1 ? words : words.slice(0, ending);
  if (flags.includes("--help") || flags.includes("-h")) return showHelp(name, commands, io);
  if (name === undefined && (flags.includes("--version") || flags.includes("-V"))) {
    io.write(`${program.version}\n`);
    return program.exitCodes.ok;
  }
  const isBare = argv.length === 0 && program.exitCodes.bare !== undefined;
  if (command === undefined || isBare) return refuse(words, commands, io);
  const parsed = parseArguments(words, {
    expected: command.arguments,
    options: [...command.options, ...globalOptions],
  });
  const settings = await applyConfig(parsed, io.env);
  const { values } = settings;
  await command.run({
    ...resourcesFor(settings, io),
    values,
    commands,
    readInput: io.readInput,
    /** Prints a result: `text` for people, or the data in the format that was asked for. */
    print(data, text, sheet) {
      const format = values.json === true ? "json" : (values.format ?? command.format ?? "text");
      const shown = render(format, { data, text, sheet });
      if (shown !== "") io.write(`${shown}\n`);
    },
  });
  return program.exitCodes.ok;
}

function showHelp(name, commands, io) {
  if (name !== undefined && !commands.has(name)) throw new UsageError(`there is no command '${name}'`);
  io.write(name === undefined ? programHelp(commands) : commandHelp(commands.get(name)));
  return program.exitCodes.ok;
}

/** Nothing that can be run was asked for. */
function refuse(words, commands, io) {
  const word = words.find((each) => !each.startsWith("-")) ?? words[0];
  if (word !== undefined)
    throw new UsageError(word.startsWith("-") ? `there is no option '${word}'` : `there is no command '${word}'`);
  const write = program.exitCodes.bare === program.exitCodes.ok ? io.write : io.writeError;
  write(programHelp(commands));
  return program.exitCodes.bare;
}

const processIo = {
  env: process.env,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  async readInput() {
    process.stdin.setEncoding("utf8");
    let text = "";
    for await (const part of process.stdin) text += part;
    return text;
  },
};
