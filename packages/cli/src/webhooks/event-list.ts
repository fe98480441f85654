import { type Options, textOf } from "../command.ts";
import { UsageError } from "../exit-code.ts";

/** The events in `--events`, unchecked: the service knows which ones exist. */
export function eventList(options: Options): string[] | undefined {
  const text = textOf(options, "events");
  if (text === undefined) return undefined;
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0)
    throw new UsageError("--events is empty: 'slipway webhooks events' lists all events, '*' means all");
  return names;
}
