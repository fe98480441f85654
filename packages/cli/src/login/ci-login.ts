import { createClient } from "@slipway/client";
import type { Options } from "../command.ts";
import { textOf } from "../command.ts";
import { quickFetch } from "../connection/quick-fetch.ts";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";

/** Exchanges the ID token of a CI job for a short-lived key: no secret is stored with the CI service. */
export async function logInFromCi({ env }: Terminal, url: string, options: Options): Promise<{ token: string }> {
  const id_token = await findIdToken(env, textOf(options, "audience") ?? url);
  const { api_key } = await createClient({ url, fetch: quickFetch }).call("exchangeIdToken", { body: { id_token } });
  return { token: api_key };
}

async function findIdToken(env: Terminal["env"], audience: string): Promise<string> {
  // GitLab puts the token into a variable, which the job names.
  const given = env["SLIPWAY_ID_TOKEN"];
  if (given) return given;
  const [address, bearer] = [env["ACTIONS_ID_TOKEN_REQUEST_URL"], env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]];
  if (!address || !bearer)
    throw new UsageError(
      "this job has no ID token. GitHub Actions: give the job 'permissions: { id-token: write }'. GitLab: name one under 'id_tokens: { SLIPWAY_ID_TOKEN: { aud: … } }'",
    );
  const asked = new URL(address);
  asked.searchParams.set("audience", audience);
  const response = await fetch(asked, { headers: { authorization: `Bearer ${bearer}` } }).catch((error: unknown) => {
    throw new CommandError(exitCode.cannotConnect, "cannot ask GitHub Actions for an ID token", { cause: error });
  });
  const { value } = (await response.json().catch(() => ({}))) as { value?: unknown };
  if (typeof value === "string") return value;
  throw new CommandError(exitCode.refused, `GitHub Actions gave no ID token (status ${response.status})`);
}
