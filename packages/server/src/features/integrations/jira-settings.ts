import type { CompleteSpec } from "@slipway/spec";
import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";
import { withoutEndSlashes } from "../../platform/without-end-slashes.ts";

/** A Jira instance that documents may use, in `jira` of the config file. */
export interface JiraSettings {
  /** Without a slash at the end. */
  readonly url: string;
  /** Whose token it is, in Jira Cloud; undefined: a bearer token. */
  readonly email: string | undefined;
  /** Name of the variable that holds the token. */
  readonly tokenEnv: string;
}

const maxInstances = 50;

/** Reads `jira` of the config file `where`, and reports all its problems at once. */
export function readJiraSettings(value: unknown, where: string): readonly JiraSettings[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new ConfigError(`jira in ${where} must be a list, each entry with 'url' and 'token_env'.`);
  const problems: string[] = [];
  if (value.length > maxInstances) problems.push(`jira in ${where} must have at most ${maxInstances} entries.`);
  const instances = value.slice(0, maxInstances).flatMap((entry, index) => {
    const fields = new FieldReader(entry, { path: `jira[${index}]`, file: where }, problems);
    return fields.isMap ? [readInstance(fields)] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return instances;
}

export function findJira(instances: readonly JiraSettings[], url: string): JiraSettings | undefined {
  return instances.find((one) => one.url === plain(url));
}

/** Which of a document's integrations this service cannot serve, and why. */
export function unmetIntegrations(
  instances: readonly JiraSettings[],
  { metadata }: Pick<CompleteSpec, "metadata">,
): readonly { readonly pointer: string; readonly reason: string }[] {
  const { instance_url, project_key, create_tickets } = metadata?.integrations?.jira ?? {};
  if (instance_url === undefined || create_tickets !== true) return [];
  const pointer = "/metadata/integrations/jira";
  if (project_key === undefined) return [{ pointer, reason: "Without a 'project_key' there are no tickets." }];
  if (findJira(instances, instance_url) !== undefined) return [];
  return [
    { pointer: `${pointer}/instance_url`, reason: `The operator has declared no credentials for ${instance_url}.` },
  ];
}

function readInstance(fields: FieldReader): JiraSettings {
  fields.onlyKeys(["url", "email", "token_env"], "jira");
  if (!fields.has("url")) fields.problem("url", "is missing.");
  return {
    url: plain(fields.url("url") ?? ""),
    email: fields.text("email"),
    tokenEnv:
      fields.text("token_env", {
        isRequired: true,
        pattern: /^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,199}$/,
        form: "the name of an environment variable, such as JIRA_TOKEN, and not of SLIPWAY_…",
      }) ?? "",
  };
}

function plain(url: string): string {
  return URL.canParse(url) ? withoutEndSlashes(new URL(url).href) : url;
}
