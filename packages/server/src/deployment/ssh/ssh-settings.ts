import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";
import { withoutEndSlashes } from "../../platform/without-end-slashes.ts";

/** A machine that documents may be deployed to, in `ssh.targets` of the config file. */
export interface SshSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The file with the private key, which needs no passphrase. */
  readonly keyFile: string;
  /** What the machine proves itself by, as `ssh-keyscan` prints it without the name. */
  readonly hostKey: string;
  /** Everything of ours is in it. */
  readonly folder: string;
  /** Where programs listen, on the machine's loopback address. */
  readonly ports: readonly [from: number, to: number];
  /** Whose units they are: the machine's, or those of the user. */
  readonly scope: "system" | "user";
  /** Who runs the programs of the machine's units. */
  readonly runAs: string | undefined;
}

const keys = ["host", "port", "user", "key", "host_key", "folder", "ports", "scope", "run_as"];
const path = {
  // Units and scripts hold it: nothing in it may mean more than itself there.
  pattern: /^\/[A-Za-z0-9._/-]*$/,
  form: "an absolute path of letters, digits, dots, dashes and underscores",
};
const account = { pattern: /^[a-z_][a-z0-9_-]{0,31}$/, form: "the name of an account" };

/** Reads `ssh` of the config file; none if it is not there. Throws a ConfigError with every problem. */
export function readSshSettings(declared: unknown, file: string): ReadonlyMap<string, SshSettings> {
  if (declared === undefined || declared === null) return new Map();
  const problems: string[] = [];
  const fields = new FieldReader(declared, { path: "ssh", file }, problems);
  fields.onlyKeys(["targets"], "ssh");
  const targets = fields.nested("targets");
  const names = Object.keys((targets.isMap && (declared as { targets?: object }).targets) || {});
  const read = names.map((name) => {
    if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name))
      targets.problem(name, "must be named by lower-case letters, digits and dashes.");
    return readTarget(name, targets.nested(name));
  });
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return new Map(read.map((settings) => [settings.name, settings]));
}

function readTarget(name: string, fields: FieldReader): SshSettings {
  fields.onlyKeys(keys, "a target of ssh");
  const user = fields.text("user", { isRequired: true, ...account }) ?? "";
  const scope = fields.word("scope", ["system", "user"]) ?? (user === "root" ? "system" : "user");
  const runAs = fields.text("run_as", account);
  if (scope === "system" && (runAs === undefined || runAs === "root"))
    fields.problem("run_as", "must name the account that runs programs, because units of the machine run as root.");
  if (scope === "user" && runAs !== undefined)
    fields.problem("run_as", "has no meaning with 'scope: user': programs run as the user.");
  return {
    ...{ name, user, scope, runAs },
    host:
      fields.text("host", {
        isRequired: true,
        pattern: /^[A-Za-z0-9][A-Za-z0-9.:-]*$/,
        form: "a host name or address",
      }) ?? "",
    port: fields.number("port", { min: 1, max: 65_535, isWhole: true }) ?? 22,
    keyFile: fields.text("key", { isRequired: true, pattern: /^\//, form: "the absolute path of a private key" }) ?? "",
    hostKey:
      fields.text("host_key", {
        isRequired: true,
        pattern: /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+={0,2}$/,
        form: "the machine's public key, such as 'ssh-ed25519 AAAA…' (ssh-keyscan prints it)",
      }) ?? "",
    folder: withoutEndSlashes(fields.text("folder", { isRequired: true, ...path }) ?? ""),
    ports: portsOf(fields),
  };
}

function portsOf(fields: FieldReader): readonly [number, number] {
  const form = { pattern: /^\d{4,5}-\d{4,5}$/, form: "a range of ports, such as '20000-29999'" };
  const [from = 0, to = 0] = (fields.text("ports", form) ?? "20000-29999").split("-").map(Number);
  if (from < 1024 || to > 65_535 || to - from < 20)
    fields.problem("ports", "must have at least 20 ports between 1024 and 65535.");
  return [from, to];
}
