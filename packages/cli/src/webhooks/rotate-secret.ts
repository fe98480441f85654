import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";
import { readSecret } from "./read-secret.ts";
import { durationSeconds } from "./time.ts";

export async function rotateSecret({ client, terminal, options, signal, argument }: Context): Promise<ExitCode> {
  const overlap = textOf(options, "overlap");
  const secret = await readSecret(terminal, options);
  const body = {
    ...(secret !== undefined && { secret }),
    ...(overlap !== undefined && { overlap_seconds: durationSeconds("--overlap", overlap) }),
  };
  const rotated = await client.call("rotateWebhookSecret", { params: { webhook_id: argument }, body, signal });
  if (options.json) {
    terminal.out(toJson(rotated));
    return exitCode.ok;
  }
  terminal.out(`${argument} has a new secret; the old one holds, too, until ${rotated.old_secret_until}`);
  if (rotated.secret !== null) terminal.out(`\nThe new one, which is not shown again:\n${rotated.secret}`);
  return exitCode.ok;
}
