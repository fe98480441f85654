import { type Options, textOf } from "../command.ts";
import { UsageError } from "../exit-code.ts";

/** The events that `--events` names; which of them there are, the service knows. */
export function eventList(options: Options): string[] | undefined {
  const text = textOf(options, "events");
  if (text === undefined) return undefined;
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0)
    throw new UsageError("--events names none: 'slipway webhooks events' shows which there are, '*' is all");
  return names;
}
