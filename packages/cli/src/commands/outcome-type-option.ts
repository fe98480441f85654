import { Option } from "commander";

/** Given once for each type, and not with a list: what follows is a document. */
export function outcomeTypeOption(): Option {
  return new Option(
    "--outcome-type <name>",
    "an outcome type that your plugins define; may be given several times",
  ).argParser((name: string, before: readonly string[] = []) => [...before, name]);
}
