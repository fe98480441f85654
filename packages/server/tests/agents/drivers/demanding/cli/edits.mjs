export default {
  "/cli/commands/10": ({ add }) =>
    add("app/commands/rates.py", "app/exchange_rates.py", "tests/test_command_rates.py"),
  "/cli/commands/8/prints": ({ replace }) =>
    replace("app/commands/howmany.py", "str(len(records))", 'f"{len(records)} kept"'),
  "/cli/colour": ({ add, after, replace }) => {
    add("app/colour.py", "tests/test_colour.py");
    after("app/main.py", /^from app\.calculate import .*\n/m, "from app.colour import in_colour\n");
    replace(
      "app/main.py",
      /io\.write_error\(f"\{PROGRAM\['name'\]\}: \{error\}\\n"\)/,
      "io.write_error(in_colour(f\"{PROGRAM['name']}: {error}\", \"red\", io) + \"\\n\")",
    );
  },
  "/cli/interactive": ({ add, after }) => {
    add("app/interactive.py", "tests/test_interactive.py");
    after("app/main.py", /^from app\.help_text import .*\n/m, "from app.interactive import converse, is_terminal\n");
    after(
      "app/main.py",
      "    commands = load_commands()\n",
      [
        "    if not argv:",
        "        ask_again = is_terminal(io)",
        "        return converse(lambda words: main(words, io), io) if ask_again else refuse([], commands, io)",
        "",
      ].join("\n"),
    );
  },
};
