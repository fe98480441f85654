import { type Command, textOf } from "../command.ts";

export const explainCommand: Command = {
  name: "explain",
  description: "Print what the reference says of a key of documents: its meaning, type, default and an example.",
  arguments: [{ name: "<key>", description: "a key, a path to one, or an outcome type" }],
  options: [{ flags: "--type <name>", description: "only what this outcome type says of the key" }],
  notes: `A path may leave out the names that you choose and the numbers of list entries: data_model.fields.type is the
type of every field. A key alone is found wherever it stands.`,
  exitCodes: { 4: "no key has this name" },
  examples: [
    "slipway explain api",
    "slipway explain data_model.fields.type",
    "slipway explain acceptance.http_endpoints",
  ],
  run: async ({ terminal, args: [key = ""], options }) =>
    (await import("./explain-key.ts")).explainKeyOf(terminal, key, textOf(options, "type"), options.json === true),
};
