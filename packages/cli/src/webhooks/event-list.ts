import { listOf, type Options } from "../command.ts";
import { UsageError } from "../exit-code.ts";

/** The events in `--events`, unchecked: the service knows which ones exist. */
export function eventList(options: Options): string[] | undefined {
  const names = listOf(options, "events");
  if (names?.length === 0)
    throw new UsageError("--events is empty: 'slipway webhooks events' lists all events, '*' means all");
  return names;
}
