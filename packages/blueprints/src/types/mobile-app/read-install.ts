import type { CompleteSpec } from "@slipway/spec";
import { sixDigits } from "../../kit/colour.ts";
import { colourOf, fieldsOf, listOf, textOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";

export interface Install {
  readonly shortName: string;
  readonly display: string;
  readonly orientation: string;
  readonly theme: string;
  readonly ground: string;
  readonly letter: string;
  readonly shape: string;
  readonly sizes: readonly number[];
}

/** Reads how the app looks on a home screen. */
export function readInstall(document: CompleteSpec, unmet: Unmet[]): Install {
  const install = fieldsOf(fieldsOf(document)["install"]);
  const icon = fieldsOf(install["icon"]);
  const name = titleOf(document).trim();
  const colour = (key: string, fallback: string) => {
    const found = colourOf(install[key]);
    if (install[key] !== undefined && found === undefined)
      unmet.push({ pointer: `/install/${key}`, reason: "A colour is written like #1a2b3c." });
    return sixDigits(found ?? fallback);
  };
  const one = (key: string, known: readonly string[]) => known.find((value) => value === install[key]) ?? known[0]!;
  const sizes = listOf(icon["sizes"]).filter(
    (size): size is number => Number.isInteger(size) && Number(size) >= 16 && Number(size) <= 2048,
  );
  return {
    shortName: textOf(install["short_name"], name).slice(0, 60),
    display: one("display", ["standalone", "fullscreen", "minimal-ui"]),
    orientation: one("orientation", ["any", "portrait", "landscape"]),
    theme: colour("theme_color", "#2f5d8a"),
    ground: colour("background_color", "#ffffff"),
    letter: [...textOf(icon["letter"], name)][0]!.toUpperCase(),
    shape: textOf(icon["shape"], "square"),
    sizes: sizes.length > 0 ? [...new Set(sizes)] : [192, 512],
  };
}
