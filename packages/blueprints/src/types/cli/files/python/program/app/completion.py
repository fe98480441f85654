"""Scripts that make a shell complete commands and options."""

import re
from shlex import quote

from app.program import GLOBAL_OPTIONS, PROGRAM


def completion_script(shell, commands):
    names = [*commands, "help"]
    options = [option for command in commands.values() for option in command.OPTIONS] + GLOBAL_OPTIONS
    flags = list(dict.fromkeys([f"--{option['name']}" for option in options] + ["--help", "--version"]))
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell](names, flags)


def bash(names, flags):
    name = function_name()
    return f"""{name}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {quote(" ".join(names + flags))} -- "$word"))
  else
    COMPREPLY=($(compgen -W {quote(" ".join(flags))} -- "$word"))
  fi
}}
complete -o default -F {name} {PROGRAM["name"]}"""


def zsh(names, flags):
    name = function_name()
    return f"""#compdef {PROGRAM["name"]}
{name}() {{
  if (( CURRENT == 2 )); then compadd -- {" ".join(map(quote, names))}; fi
  compadd -- {" ".join(map(quote, flags))}
  _files
}}
compdef {name} {PROGRAM["name"]}"""


def fish(names, flags):
    start = f"complete -c {PROGRAM['name']}"
    commands = [f"{start} -n __fish_use_subcommand -a {quote(name)}" for name in names]
    return "\n".join(commands + [f"{start} -l {quote(flag[2:])}" for flag in flags])


def function_name():
    return "_" + re.sub(r"\W", "_", PROGRAM["name"]) + "_completion"
