import { type Command, type CommandGroup, connectionOptions, type Option } from "../src/command.ts";
import { commands } from "../src/commands.ts";
import { examplesOf } from "../src/examples.ts";
import { exitCode } from "../src/exit-code.ts";

/** The page of the command line, from the table of commands. */
export function commandReference(): string {
  return `# The command line

<!-- Generated from the table of commands by \`npm run generate\`. -->

\`slipway COMMAND --help\` says the same. Every command takes \`--json\`, or \`--output json|yaml\`
where it writes no file itself; streams are one line of JSON each. Data goes to standard output,
everything else to standard error; with \`--json\` an error is \`{code, message, hint, next}\` there.
\`--no-input\` asks nothing. \`NO_COLOR\` is honoured.

Which service: flags, then \`SLIPWAY_URL\`, \`SLIPWAY_TOKEN\` and \`SLIPWAY_CONTEXT\`, then the data
folder of this folder, then the service you logged in to last (\`slipway login\`).

${wrap(
  `Exit codes: ${Object.entries(exitCode)
    .map(([name, code]) => `${code} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(", ")}.`,
)}

Commands that call a service also take:

${optionTable(connectionOptions)}

${commands.map(section).join("\n\n")}
`;
}

function section(command: Command | CommandGroup): string {
  if (!("commands" in command)) return `## ${command.name}\n\n${details("slipway", command)}`;
  const below = command.commands.map(
    (one) => `### ${command.name} ${one.name}\n\n${details(`slipway ${command.name}`, one)}`,
  );
  return [`## ${command.name}`, wrap(command.description), ...notesOf(command), ...below].join("\n\n");
}

function details(prefix: string, command: Command): string {
  const { arguments: args = [], options = [], description } = command;
  const shown = command.needs === undefined && options.some(({ flags }) => flags.startsWith("--data"));
  const own = shown ? options.filter((option) => !connectionOptions.includes(option)) : options;
  const rows = [
    ...args.map(({ name, description: text, flag }) => ({
      flags: flag ? `${name}, ${flag}` : name,
      description: text,
    })),
    ...own,
  ];
  return [
    wrap(description),
    ...(rows.length === 0 ? [] : [optionTable(rows)]),
    ...notesOf(command),
    `\`\`\`sh\n${examplesOf(prefix, command).join("\n")}\n\`\`\``,
  ].join("\n\n");
}

function notesOf({ notes }: { readonly notes?: string }): string[] {
  return notes === undefined ? [] : [`\`\`\`text\n${notes.split("\n").map(wrap).join("\n")}\n\`\`\``];
}

function optionTable(options: readonly Pick<Option, "flags" | "description">[]): string {
  const rows = options.map(({ flags, description }) => `| \`${flags}\` | ${escaped(description)} |`);
  return ["| | |", "|---|---|", ...rows].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function wrap(text: string): string {
  return text.replace(/(.{1,95})(?:\s+|$)/g, "$1\n").trimEnd();
}
