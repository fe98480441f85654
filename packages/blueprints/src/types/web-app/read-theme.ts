import type { TypeKeys } from "@slipway/spec";
import { contrast, luminance, mix, sixDigits } from "../../kit/colour.ts";
import type { Unmet } from "../../plugin.ts";

export interface Theme {
  readonly css: string;
  readonly accent: string;
  readonly background: string;
  readonly unmet: readonly Unmet[];
}

const minContrast = 4.5;

/** Reads the colours and the font. Whatever the document chooses, text stays readable. */
export function readTheme({ theme = {} }: TypeKeys<"web-app">): Theme {
  const { accent: buttons = "#2f5f8f", background: page = "#fafaf7", text: letters = "#1d2126" } = theme;
  const { font = "system-ui", dark_mode: hasDark = false } = theme;
  const [accent, background, text] = [buttons, page, letters].map((colour) => sixDigits(colour.toLowerCase())) as [
    string,
    string,
    string,
  ];
  const readable =
    contrast(text, background) >= minContrast
      ? text
      : contrast("#000000", background) >= minContrast
        ? "#000000"
        : "#ffffff";
  const light = palette({ accent, background, text: readable });
  const dark = palette({ accent: lighter(accent), background: "#15191a", text: "#eef1ef" });
  const css = [
    `:root { color-scheme: ${hasDark ? "light dark" : "light"}; --font: ${font}, sans-serif; }`,
    `:root { ${light} }`,
    ...(hasDark ? [`@media (prefers-color-scheme: dark) {\n  :root { ${dark} }\n}`] : []),
  ].join("\n");
  const unmet =
    readable === text
      ? []
      : [{ pointer: "/theme/text", reason: `It cannot be read on the background: ${readable} is used.` }];
  return { css, accent, background, unmet };
}

function palette({ accent, background, text }: { accent: string; background: string; text: string }): string {
  const surface = luminance(background) > 0.4 ? mix(background, "#ffffff", 0.8) : mix(background, text, 0.06);
  const readable = (wanted: string) =>
    contrast(wanted, background) >= minContrast && contrast(wanted, surface) >= minContrast ? wanted : text;
  const onAccent =
    contrast("#ffffff", accent) >= minContrast
      ? "#ffffff"
      : contrast("#000000", accent) >= minContrast
        ? "#000000"
        : text;
  const danger = luminance(background) > 0.4 ? "#9b1c1c" : "#ffb4ab";
  const values = {
    background,
    surface,
    text,
    accent,
    "on-accent": onAccent,
    link: readable(accent),
    line: mix(background, text, 0.16),
    edge: mix(background, text, 0.6),
    danger: readable(danger),
  };
  return Object.entries(values)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(" ");
}

function lighter(colour: string): string {
  const steps = [0, 0.2, 0.4, 0.55, 0.7, 0.85].map((share) => mix(colour, "#ffffff", share));
  return steps.find((step) => contrast(step, "#15191a") >= 6) ?? "#ffffff";
}
