import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { durationSeconds } from "../output/read-time.ts";
import { toJson } from "../output/to-json.ts";
import { readSecret } from "./secret.ts";

export async function rotateSecret(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [webhook_id = ""] = context.args;
  const overlap = textOf(options, "overlap");
  const secret = await readSecret(terminal, options);
  const body = {
    ...(secret !== undefined && { secret }),
    ...(overlap !== undefined && { overlap_seconds: durationSeconds("--overlap", overlap) }),
  };
  const rotated = await client.call("rotateWebhookSecret", { params: { webhook_id }, body, signal });
  if (options.json) {
    terminal.out(toJson(rotated));
    return exitCode.ok;
  }
  terminal.out(`${webhook_id} has a new secret; the old one stays valid until ${rotated.old_secret_until}`);
  if (rotated.secret !== null) terminal.out(`\nThe new secret, shown only once:\n${rotated.secret}`);
  return exitCode.ok;
}
