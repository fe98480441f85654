import type { CallOptions } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { count } from "../output/quantities.ts";
import { pointInTime } from "../output/read-time.ts";
import { table } from "../output/table.ts";
import { toJson } from "../output/to-json.ts";
import { eventList } from "./event-list.ts";
import { sequenceRange } from "./sequence-range.ts";

type Body = CallOptions<"replayDeliveries">["body"];

export async function replayDeliveries(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [webhook_id = ""] = context.args;
  const body = bodyOf(context);
  const report = await client.call("replayDeliveries", { params: { webhook_id }, body, signal });
  if (options.json) {
    terminal.out(toJson(report));
    return exitCode.ok;
  }
  terminal.out(`${count(report.count, "event")} ${report.dry_run ? "would be sent" : "queued"}`);
  const rows = report.first.map(({ event_id, event, project_id, sequence, timestamp }) => {
    return [event_id, event, project_id, sequence === null ? "" : String(sequence), timestamp];
  });
  if (rows.length > 0)
    terminal.out(table(["EVENT ID", "EVENT", "PROJECT", "SEQUENCE", "TIME"], rows, terminal.colors).join("\n"));
  if (report.count > rows.length) terminal.out(`and ${report.count - rows.length} more`);
  if (!report.dry_run) adviseToServe(context, "send them");
  return exitCode.ok;
}

function bodyOf({ options }: ServiceContext): Body {
  const now = new Date();
  const [since, until] = [textOf(options, "since"), textOf(options, "until")];
  const range = sequenceRange(options);
  if (since === undefined && Object.keys(range).length === 0)
    throw new UsageError("choose events with --since, or with --project and --sequence");
  const [events, project] = [eventList(options), textOf(options, "project")];
  // Unchecked: the service knows which values are valid, and refuses the others.
  return {
    ...(since !== undefined && { since: pointInTime("--since", since, now) }),
    ...(until !== undefined && { until: pointInTime("--until", until, now) }),
    ...(events !== undefined && { events }),
    ...(project !== undefined && { project_id: project }),
    ...range,
    ...(options["dryRun"] === true && { dry_run: true }),
  } as Body;
}
