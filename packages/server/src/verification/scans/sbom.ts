import { createHash } from "node:crypto";
import type { Component } from "./dependencies/component.ts";
import { licenseOf } from "./licenses.ts";

interface Described {
  readonly name: string;
  readonly version: string | undefined;
  readonly now: Date;
  /** Whether all lockfiles and manifests could be read. */
  readonly isWhole: boolean;
}

/** The bill of materials as CycloneDX 1.6. */
export function sbomOf(components: readonly Component[], { name, version, now, isWhole }: Described): string {
  const listed = components.map(describe).sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  const digest = createHash("sha256")
    .update(JSON.stringify([name, version, listed]))
    .digest("hex");
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    // The same materials have the same number.
    serialNumber: `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
    version: 1,
    metadata: {
      timestamp: now.toISOString(),
      tools: { components: [{ type: "application", name: "slipway" }] },
      component: { type: "application", "bom-ref": "project", name, ...(version !== undefined && { version }) },
    },
    components: listed,
    dependencies: [
      { ref: "project", dependsOn: listed.map((one) => one["bom-ref"]) },
      ...listed.map((one) => ({ ref: one["bom-ref"] })),
    ],
    ...(!isWhole && {
      compositions: [{ aggregate: "incomplete", assemblies: ["project"], dependencies: ["project"] }],
    }),
  };
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

function describe({ ecosystem, name, version, license, path, isDevelopment }: Component) {
  const purl = purlOf(ecosystem, name, version);
  const { group, short } =
    ecosystem === "npm" && name.startsWith("@")
      ? { group: name.split("/")[0], short: name.split("/").slice(1).join("/") }
      : { group: undefined, short: name };
  return {
    type: "library",
    "bom-ref": purl,
    ...(group !== undefined && { group }),
    name: short,
    ...(version !== undefined && { version }),
    scope: isDevelopment ? "excluded" : "required",
    ...(license !== undefined && { licenses: [licenseOf(license)] }),
    purl,
    properties: [{ name: "slipway:file", value: path }],
  };
}

const purlTypes = { npm: "npm", PyPI: "pypi", Go: "golang", "crates.io": "cargo" } as const;

function purlOf(ecosystem: Component["ecosystem"], name: string, version: string | undefined): string {
  const path = name.split("/").map(encodeURIComponent).join("/");
  return `pkg:${purlTypes[ecosystem]}/${path}${version === undefined ? "" : `@${encodeURIComponent(ecosystem === "Go" ? `v${version}` : version)}`}`;
}
