import type { CompleteSpec } from "@slipway/spec";
import { oneLine } from "../../platform/one-line.ts";
import { cutTo, maxBytes, plain, section } from "./text.ts";

/** The project in a few lines: description, stack, scripts, services. */
export function projectLines(document: CompleteSpec): string[] {
  const stack = Object.entries(document.stack).map(([name, value]) => `- ${name}: ${oneLine(inWords(value), 500)}`);
  const scripts = Object.entries(document.scripts ?? {}).flatMap(([name, command]) =>
    typeof command === "string" ? `- ${name}: ${oneLine(command, 500)}` : [],
  );
  const services = Object.keys(document.services ?? {});
  return [
    cutTo(maxBytes.description, plain(document.description)),
    ...withTitle("Made with:", stack),
    ...withTitle("Scripts, run in the project's folder:", scripts),
    ...(services.length === 0 ? [] : [`Services: ${oneLine(services.join(", "), 1000)}`]),
  ];
}

/** The document's custom keys and services as JSON, without values that look like secrets. */
export function furtherSections(document: CompleteSpec): string[] {
  const own = Object.entries(document).filter(([key]) => !known.has(key));
  const said = Object.fromEntries([...own, ...Object.entries({ services: document.services })]);
  const text = JSON.stringify(said, withoutSecrets, 1);
  if (text === "{}") return [];
  return [section("What the document says besides", ["As JSON:", cutTo(maxBytes.further, text)])];
}

/** The keys of the format: other sections tell them in words, or an agent does not need them. */
const known: ReadonlySet<string> = new Set([
  "spec_version",
  "id",
  "name",
  "description",
  "outcome_type",
  "acceptance",
  "stack",
  "plugins",
  "guardrails",
  "secrets",
  "scripts",
  "deployment",
  "environments",
  "phases",
  "services",
  "requirements",
  "timeouts",
  "resources",
  "performance",
  "tasks",
  "network",
  "debug",
  "metadata",
  "dependency_overrides",
] satisfies (keyof CompleteSpec)[]);

function withoutSecrets(key: string, value: unknown): unknown {
  const isSecret = /(password|passphrase|secret|token|credentials?|api_?key|private_?key)$/i.test(key);
  return isSecret && typeof value === "string" ? "(left out)" : value;
}

function withTitle(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function inWords(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return JSON.stringify(value) ?? "";
}
