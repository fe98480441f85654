import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { type Fields, fieldsOf, numberOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import type { Site } from "./read-site.ts";

/** Limits that the result's own tests check. */
export interface Checks {
  readonly broken: number;
  readonly anchors: number;
  /** Maximum number of links to other hosts; null for any number. */
  readonly others: number | null;
  readonly contrast: number;
  readonly unmet: readonly Unmet[];
}

const measured: Readonly<Record<string, readonly string[]>> = {
  links: ["broken_max", "broken_anchors_max", "to_other_hosts_max"],
  accessibility: ["page_language", "one_h1_per_page", "contrast_ratio_min"],
};

/** Reads the limits on links and accessibility, and lists the acceptance lines that nothing here checks. */
export function readChecks(document: CompleteSpec, site: Site): Checks {
  const given = document.acceptance as Fields;
  const links = fieldsOf(given["links"]);
  const accessibility = fieldsOf(given["accessibility"]);
  const unmet = acceptanceLines(document).flatMap(({ pointer, check }): Unmet[] => {
    if (check.kind === "performance" || check.kind === "integration_test")
      return [{ pointer, reason: "Nobody here measures this." }];
    if (check.kind === "command")
      return /^npm (?:test|run (?:build|test))$/.test(check.command)
        ? []
        : [{ pointer, reason: "Nothing was built for this command." }];
    if (check.kind !== "named") return [];
    const keys = Object.hasOwn(measured, check.name) ? measured[check.name]! : [];
    const asked = Object.keys(fieldsOf(check.value));
    if (asked.length > 0 && asked.every((key) => keys.includes(key))) return [];
    const unknown = asked.filter((key) => !keys.includes(key));
    return [{ pointer, reason: `Nobody here measures ${unknown.length === 0 ? check.name : unknown.join(", ")}.` }];
  });
  const language = accessibility["page_language"];
  const isOther = language !== undefined && language !== site.language;
  return {
    broken: numberOf(links["broken_max"], 0, { min: 0 }),
    anchors: numberOf(links["broken_anchors_max"], 0, { min: 0 }),
    others:
      typeof links["to_other_hosts_max"] === "number" ? numberOf(links["to_other_hosts_max"], 0, { min: 0 }) : null,
    contrast: numberOf(accessibility["contrast_ratio_min"], 4.5, { min: 3, max: 12 }),
    unmet: isOther
      ? [
          ...unmet,
          {
            pointer: "/acceptance/accessibility/page_language",
            reason: `The language of the site is ${site.language}.`,
          },
        ]
      : unmet,
  };
}
