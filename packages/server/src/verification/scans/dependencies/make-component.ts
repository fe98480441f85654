import type { Component } from "./component.ts";

export type Json = Record<string, unknown>;

/** Longer than any registry takes. */
const maxNameLength = 1_000;
const maxVersionLength = 256;

/** What else stands there, such as an address, a range or `*`, is no version: many would do. */
const exact = /^v?\d[^\s*<>=~^|,/]*$/;

/** A package as a list names it. */
export function component(
  ecosystem: Component["ecosystem"],
  name: string,
  version: unknown,
  path: string,
  line: number,
  { license, isDevelopment = false }: { license?: string | undefined; isDevelopment?: boolean } = {},
): Component {
  // Cut off, they would look like others. A file with such is not what its name says.
  const versionLength = typeof version === "string" ? version.length : 0;
  if (name.length > maxNameLength || versionLength > maxVersionLength)
    throw new Error("A name or a version is too long.");
  const plain = ecosystem === "PyPI" ? name.toLowerCase().replaceAll(/[-_.]+/g, "-") : name;
  return {
    ecosystem,
    // Half a sign no address can hold.
    name: plain.toWellFormed(),
    version: typeof version === "string" && exact.test(version) ? version.toWellFormed() : undefined,
    license,
    path,
    line,
    isDevelopment,
  };
}

/** As npm writes it, in any of its old forms. */
export function licenseText(license: unknown): string | undefined {
  if (typeof license === "string") return withinLength(license);
  if (Array.isArray(license))
    return (
      license
        .slice(0, 20)
        .map((one) => licenseText(one))
        .filter((one) => one !== undefined)
        .join(" OR ") || undefined
    );
  const type = (license as { type?: unknown } | undefined)?.type;
  return typeof type === "string" ? withinLength(type) : undefined;
}

/** Cut off, `MIT AND GPL-3.0` would be MIT: what is longer is not known. */
export function withinLength(license: string): string | undefined {
  return license.length <= 200 ? license : undefined;
}
