import { stringify } from "yaml";

/** A value as the YAML that a person would write. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 96 });
}
