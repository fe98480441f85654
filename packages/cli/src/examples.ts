import type { Command } from "./command.ts";

/** What stands for a placeholder in an example. */
const samples: Readonly<Record<string, string>> = {
  "project-id": "proj_01kaw3v9t2h5m8q1x7zc",
  ...{ agent: "builder", app: "shop", user: "ada@example.com", name: "NAME" },
  ...{ "webhook-id": "wh_01kaw3v9t2h5m8q1x7zc", "delivery-id": "dlv_01kaw3v9t2h5m8q1x7zc" },
  ...{ file: "app.yaml", phase: "implementation", path: "src/server.js", type: "documentation" },
  ...{ environment: "production", folder: "DIR", artifact: "source_code", key: "acceptance", checkpoint: "ckpt_1" },
};

/** Examples of a command: its own, else one made of its arguments and required options. */
export function examplesOf(prefix: string, command: Command): readonly string[] {
  if (command.examples !== undefined) return command.examples;
  if ("isPassThrough" in command) return [`${prefix} ${command.name} --help`];
  const { arguments: args = [], options = [] } = command;
  const words = args.filter(({ name, missing }) => name.startsWith("<") || missing !== undefined);
  const flags = options.filter(({ isRequired }) => isRequired === true);
  return [
    [
      prefix,
      command.name,
      ...words.map(({ name }) => sampleOf(name)),
      ...flags.map((option) => flagOf(option.flags)),
    ].join(" "),
  ];
}

function flagOf(flags: string): string {
  const [, flag = "", value = ""] = /(--[\w-]+)(?: <(.+)>)?/.exec(flags) ?? [];
  const name = flag.slice(2);
  if (value === "") return flag;
  return `${flag} ${name === "checkpoint" ? samples["checkpoint"] : sampleOf(value)}`;
}

function sampleOf(placeholder: string): string {
  const name = placeholder.replace(/[<>[\].]/g, "");
  return samples[name] ?? name.toUpperCase();
}
