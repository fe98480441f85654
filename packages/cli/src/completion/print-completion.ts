import { type Command, type CommandGroup, type Context, connectionOptions } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { toJson } from "../output/to-json.ts";

/** What can follow each command: `""` for the first word, `projects` for its verbs. */
type Words = Readonly<Record<string, readonly string[]>>;

/** Prints the completion script of a shell. */
export async function printCompletion(
  { terminal, args: [shell = ""], options }: Context,
  commands: readonly (Command | CommandGroup)[],
): Promise<ExitCode> {
  const words = wordsOf(commands);
  if (options.json) {
    terminal.out(toJson({ commands: words }));
    return exitCode.ok;
  }
  const write = scripts[shell];
  if (write === undefined) throw new UsageError(`'${shell}' is not one of bash, zsh, fish`);
  terminal.out(write(words));
  return exitCode.ok;
}

function wordsOf(commands: readonly (Command | CommandGroup)[]): Words {
  const words: Record<string, readonly string[]> = { "": commands.map(({ name }) => name) };
  for (const command of commands) {
    if (!("commands" in command)) words[command.name] = flagsOf(command);
    else {
      words[command.name] = command.commands.map(({ name }) => name);
      for (const below of command.commands) words[`${command.name} ${below.name}`] = flagsOf(below);
    }
  }
  return words;
}

function flagsOf(command: Command): string[] {
  if ("isPassThrough" in command) return ["--help"];
  const { arguments: args = [], options = [], needs } = command;
  const all = [...options.map(({ flags }) => flags), ...args.flatMap(({ flag }) => flag ?? [])];
  const shared = needs === undefined ? [] : connectionOptions.map(({ flags }) => flags);
  const flags = [...all, ...shared].map((text) => /--[\w-]+/.exec(text)?.[0]).filter((flag) => flag !== undefined);
  return [...new Set([...flags, "--json", "--help"])];
}

const scripts: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `_slipway() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" key=""
  [ "$COMP_CWORD" -gt 1 ] && key="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 2 ] && case "$key" in ${groupsOf(words).join("|")}) key="$key \${COMP_WORDS[2]}" ;; esac
  local words=""
  case "$key" in
${casesOf(words)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _slipway slipway`,
  zsh: (words) => `#compdef slipway
_slipway() {
  local key="" words_=""
  (( CURRENT > 2 )) && key="$words[2]"
  (( CURRENT > 3 )) && case "$key" in ${groupsOf(words).join("|")}) key="$key $words[3]" ;; esac
  case "$key" in
${casesOf(words).replaceAll("words=", "words_=")}
  esac
  compadd -- \${=words_}
  _files
}
_slipway "$@"`,
  fish: (words) =>
    Object.entries(words)
      .map(([key, follow]) => {
        const [first, second] = key.split(" ");
        const seen = second === undefined ? [first] : [first, second];
        const isFirst = key === "";
        const test = isFirst
          ? "__fish_use_subcommand"
          : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
        const flags = follow.filter((word) => word.startsWith("--")).map((word) => `-l ${word.slice(2)}`);
        const plain = follow.filter((word) => !word.startsWith("--"));
        return [
          ...(plain.length > 0 ? [`complete -c slipway -n '${test}' -f -a '${plain.join(" ")}'`] : []),
          ...flags.map((flag) => `complete -c slipway -n '${test}' ${flag}`),
        ].join("\n");
      })
      .join("\n"),
};

function groupsOf(words: Words): string[] {
  return [...new Set(Object.keys(words).flatMap((key) => (key.includes(" ") ? [key.split(" ")[0]!] : [])))];
}

function casesOf(words: Words): string {
  return Object.entries(words)
    .map(([key, follow]) => `    "${key}") words="${follow.join(" ")}" ;;`)
    .join("\n");
}
