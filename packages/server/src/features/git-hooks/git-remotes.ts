import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";

/** Where the document of an application may be fetched from, in `git_remotes` of the config file. */
export interface GitRemote {
  readonly applicationId: string;
  readonly url: string;
  /** The document in the repository. */
  readonly path: string;
  /** Name of the variable that holds the token; undefined: the remote wants none. */
  readonly tokenEnv: string | undefined;
}

const maxRemotes = 1_000;

/** Reads `git_remotes` of the config file `where`, and reports all its problems at once. */
export function readGitRemotes(value: unknown, where: string): readonly GitRemote[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new ConfigError(`git_remotes in ${where} must be a list, each entry with 'application' and 'url'.`);
  const problems: string[] = [];
  if (value.length > maxRemotes) problems.push(`git_remotes in ${where} must have at most ${maxRemotes} entries.`);
  const remotes = value.slice(0, maxRemotes).flatMap((entry, index) => {
    const fields = new FieldReader(entry, { path: `git_remotes[${index}]`, file: where }, problems);
    return fields.isMap ? [readRemote(fields)] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return remotes;
}

function readRemote(fields: FieldReader): GitRemote {
  fields.onlyKeys(["application", "url", "path", "token_env"], "git_remotes");
  const address = /^(?:https?:\/\/[^\s@]+|file:\/\/\/\S+)$/;
  return {
    applicationId:
      fields.text("application", {
        isRequired: true,
        pattern: /^app_[0-9a-z]{20}$/,
        form: "the application's id, such as app_01kaw3v9t2h5m8q1x7zc",
      }) ?? "",
    url:
      fields.text("url", {
        isRequired: true,
        pattern: address,
        form: "an address such as https://git.example/shop.git, without credentials, or file:///srv/git/shop.git",
      }) ?? "",
    path:
      fields.text("path", {
        pattern: /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\0\n:]{1,500}$/,
        form: "a path in the repository, such as deploy/slipway.yaml",
      }) ?? "slipway.yaml",
    tokenEnv: fields.text("token_env", {
      pattern: /^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,199}$/,
      form: "the name of an environment variable, such as GIT_TOKEN, and not of SLIPWAY_…",
    }),
  };
}
