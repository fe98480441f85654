import type { CompleteSpec } from "@slipway/spec";
import { type Fields, fieldsOf, listOf } from "../../kit/read-value.ts";

/** Reads the limits that the app's own tests check: from the acceptance, else the defaults. */
export function readPromises({ acceptance }: CompleteSpec): Fields {
  const { offline, touch, first_load_max_kb: firstLoad } = fieldsOf(acceptance);
  const number = (value: unknown, fallback: number) => (typeof value === "number" && value >= 0 ? value : fallback);
  return {
    precached: listOf(fieldsOf(offline)["precached"]).filter((path) => typeof path === "string"),
    otherHostsMax: number(fieldsOf(offline)["requests_to_other_hosts_max"], 0),
    targetMinPx: number(fieldsOf(touch)["target_min_px"], 44),
    contrastMin: number(fieldsOf(touch)["contrast_ratio_min"], 4.5),
    firstLoadMaxKb: number(firstLoad, 500),
  };
}
