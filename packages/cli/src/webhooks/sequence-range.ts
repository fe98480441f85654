import { type Options, textOf } from "../command.ts";
import { UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** The range of a project's sequence in `--sequence`: `5-9`, `5-`, `-9` or `7`. */
export function sequenceRange(options: Options): { sequence_from?: number; sequence_to?: number } {
  const text = textOf(options, "sequence");
  if (text === undefined) return {};
  const [, one, from = one, to = one] = /^(?:(\d{1,15})|(\d{1,15})?-(\d{1,15})?)$/.exec(text) ?? [];
  if (from === undefined && to === undefined)
    throw new UsageError(`--sequence must be a range such as 5-9, 5- or 7, not '${printable(text)}'`);
  return {
    ...(from !== undefined && { sequence_from: Number(from) }),
    ...(to !== undefined && { sequence_to: Number(to) }),
  };
}
