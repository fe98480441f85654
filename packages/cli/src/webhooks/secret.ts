import { randomBytes } from "node:crypto";
import { type Options, textOf } from "../command.ts";
import { UsageError } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";

const maxLength = 4096;

/** A new random secret of a webhook. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** The secret from `--secret`. With `-` it is read from standard input, so that no process list shows it. */
export async function readSecret({ input }: Terminal, options: Options): Promise<string | undefined> {
  const given = textOf(options, "secret");
  if (given !== "-") return given;
  let text = "";
  for await (const chunk of input) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.length > maxLength) throw new UsageError("the secret on standard input is too long");
  }
  return text.replace(/\r?\n$/, "");
}
