import { UsageError } from "./errors.js";
import { globalOptions, program } from "./program.js";

/** A script that makes a shell complete commands and options. */
export function completionScript(shell, commands) {
  const names = [...commands.keys(), "help"];
  const flags = [...[...commands.values()].flatMap(({ options }) => options), ...globalOptions].map(({ name }) => name);
  const words = { names, flags: [...new Set([...flags, "help", "version"])].map((name) => `--${name}`) };
  switch (shell) {
    case "bash":
      return bash(words);
    case "zsh":
      return zsh(words);
    case "fish":
      return fish(words);
    default:
      throw new UsageError(`shell must be one of bash, zsh, fish, not '${shell}'`);
  }
}

function bash({ names, flags }) {
  const name = functionName();
  return [
    `${name}() {`,
    '  local word="${COMP_WORDS[COMP_CWORD]}"',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W ${quote([...names, ...flags].join(" "))} -- "$word"))`,
    "  else",
    `    COMPREPLY=($(compgen -W ${quote(flags.join(" "))} -- "$word"))`,
    "  fi",
    "}",
    `complete -o default -F ${name} ${program.name}`,
    "",
  ].join("\n");
}

function zsh({ names, flags }) {
  const name = functionName();
  return [
    `#compdef ${program.name}`,
    `${name}() {`,
    `  if (( CURRENT == 2 )); then compadd -- ${names.map(quote).join(" ")}; fi`,
    `  compadd -- ${flags.map(quote).join(" ")}`,
    "  _files",
    "}",
    `compdef ${name} ${program.name}`,
    "",
  ].join("\n");
}

function fish({ names, flags }) {
  const lines = names.map((name) => `complete -c ${program.name} -n __fish_use_subcommand -a ${quote(name)}`);
  return [...lines, ...flags.map((flag) => `complete -c ${program.name} -l ${quote(flag.slice(2))}`), ""].join("\n");
}

function functionName() {
  return `_${program.name.replace(/\W/g, "_")}_completion`;
}

function quote(text) {
  return /^[\w-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
