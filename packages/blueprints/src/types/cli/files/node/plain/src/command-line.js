import { parseArguments, splitCommand } from "./arguments.js";
import { applyConfig } from "./config.js";
import { Failure, UsageError } from "./errors.js";
import { commandHelp, programHelp } from "./help.js";
import { loadCommands } from "./load-commands.js";
import { globalOptions, program } from "./program.js";
import { resourcesFor } from "./resources.js";

/** Runs one command line and gives the exit code. */
export async function main(argv, io = processIo) {
  try {
    return await run(argv, io);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.writeError(`${program.name}: ${error.message}\n`);
    if (error instanceof UsageError) io.writeError(`Try '${program.name} --help'.\n`);
    return error.exitCode;
  }
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
  if (command === undefined) return refuse(words, commands, io);
  const parsed = parseArguments(words, {
    expected: command.arguments,
    options: [...command.options, ...globalOptions],
  });
  const settings = await applyConfig(parsed, io.env);
  await command.run({ ...resourcesFor(settings, io), values: settings.values, commands });
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
