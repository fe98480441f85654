"""What `--help` prints."""

from app.program import GLOBAL_OPTIONS, PROGRAM


def program_help(commands):
    listed = [(command.NAME, command.SUMMARY) for command in commands.values()]
    codes = PROGRAM["exit_codes"]
    lines = [f"{PROGRAM['name']} {PROGRAM['version']}"]
    if PROGRAM["description"]:
        lines += ["", PROGRAM["description"]]
    lines += ["", f"Usage: {PROGRAM['name']} <command> [options]", "", "Commands:"]
    lines += columns(listed + [("help", "Show help, also of one command")])
    lines += ["", "Options:", *columns(option_rows(GLOBAL_OPTIONS)), ""]
    lines += [f"Exit codes: {codes['ok']} done, {codes['failed']} failed, {codes['usage']} wrong usage.", ""]
    return "\n".join(lines)


def command_help(command):
    usage = [PROGRAM["name"], command.NAME, *map(in_brackets, command.ARGUMENTS), "[options]"]
    lines = [command.SUMMARY, "", f"Usage: {' '.join(usage)}"]
    if command.ARGUMENTS:
        lines += ["", "Arguments:", *columns([(field["name"], about(field)) for field in command.ARGUMENTS])]
    lines += ["", "Options:", *columns(option_rows(command.OPTIONS + GLOBAL_OPTIONS))]
    if command.EXAMPLE:
        lines += ["", "Example:", f"  {command.EXAMPLE}"]
    return "\n".join([*lines, ""])


def in_brackets(field):
    shown = field["name"] + ("..." if field.get("multiple") else "")
    is_optional = field.get("optional") or field.get("default") is not None
    return f"[{shown}]" if is_optional else f"<{shown}>"


def option_rows(options):
    rows = []
    for option in options:
        short = f"-{option['short']}, " if "short" in option else ""
        value = "" if option["type"] == "boolean" else f" <{option['type']}>"
        rows.append((f"{short}--{option['name']}{value}", about(option)))
    return rows + [("-h, --help", "Show help"), ("-V, --version", "Show the version")]


def about(field):
    rules = []
    if "values" in field:
        rules.append(f"one of {', '.join(map(str, field['values']))}")
    for key, words in (("min", "at least"), ("max", "at most"), ("default", "default")):
        if field.get(key) is not None:
            rules.append(f"{words} {field[key]}")
    if "max_length" in field:
        rules.append(f"up to {field['max_length']} characters")
    shown = f"({'; '.join(rules)})" if rules else ""
    return " ".join(part for part in (field.get("summary", ""), shown) if part)


def columns(rows):
    width = max(len(left) for left, _ in rows)
    return [f"  {left.ljust(width)}  {right}".rstrip() for left, right in rows]
