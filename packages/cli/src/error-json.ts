import { type CommandError, exitCode } from "./exit-code.ts";
import { toJsonLine } from "./output/to-json.ts";

const codes: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(exitCode).map(([name, code]) => [
    code,
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]),
);

/** A failure for programs: a code, what happened, what to do, and the commands that do it. */
export function errorAsJson({ code, message, cause }: CommandError): string {
  const [what = "", ...rest] = message.split("\n");
  const { problem } = (cause ?? {}) as { readonly problem?: { readonly code?: string } };
  const next = [...message.matchAll(/'(slipway [^']+)'|: (slipway .+)$/gm)].map(([, quoted, plain]) => quoted ?? plain);
  return toJsonLine({
    code: problem?.code ?? codes[code] ?? "failed",
    message: what,
    hint: rest.join("\n").trim() || null,
    next,
  });
}
