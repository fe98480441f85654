import type { Command, CommandGroup } from "../command.ts";

/** Completes the commands of the table that holds it, which is therefore asked for late. */
export const completionCommand = (table: () => readonly (Command | CommandGroup)[]): Command => ({
  name: "completion",
  description: "Print a script that completes commands and options in your shell.",
  arguments: [{ name: "<shell>", description: "bash, zsh or fish" }],
  json: "print every command with its options as JSON",
  notes: `bash: slipway completion bash > ~/.local/share/bash-completion/completions/slipway
zsh:  slipway completion zsh > "\${fpath[1]}/_slipway"
fish: slipway completion fish > ~/.config/fish/completions/slipway.fish`,
  examples: ["slipway completion bash"],
  run: async (context) => (await import("./print-completion.ts")).printCompletion(context, table()),
});
