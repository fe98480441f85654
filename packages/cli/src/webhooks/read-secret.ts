import { type Options, textOf } from "../connection/with-service.ts";
import { UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

const mostBytes = 4096;

/** The secret that was given with `--secret`; `-` is standard input, where no list of processes shows it. */
export async function readSecret({ input }: Terminal, options: Options): Promise<string | undefined> {
  const given = textOf(options, "secret");
  if (given !== "-") return given;
  let text = "";
  for await (const chunk of input) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.length > mostBytes) throw new UsageError("what stands on standard input is too long for a secret");
  }
  return text.replace(/\r?\n$/, "");
}
