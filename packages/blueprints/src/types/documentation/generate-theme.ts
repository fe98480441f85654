import type { Site } from "./read-site.ts";

/** The colours and measures of the site. The accent is made darker, or by night lighter, until it can be read. */
export function themeCss(
  { accent, font, hasDarkMode, widthCharacters, features }: Site,
  leastContrast: number,
): string {
  const day = { paper: "#ffffff", shade: "#f4f1ec", line: "#ddd8d0", ink: "#1f1d1a", quiet: "#5c574f" };
  const night = { paper: "#171614", shade: "#24221f", line: "#3b3833", ink: "#f0ede8", quiet: "#b5afa6" };
  const colours = (base: typeof day, towards: string) => {
    const readable = (colour: string) => readableOn([base.paper, base.shade], colour, towards, leastContrast);
    return Object.entries({ ...base, ink: readable(base.ink), quiet: readable(base.quiet), accent: readable(accent) })
      .map(([name, colour]) => `  --${name}: ${colour};`)
      .join("\n");
  };
  const print =
    "@media print { header, .pages, .neighbours, .anchor, .contents { display: none; } .columns { display: block; } }";
  return [
    `:root {\n  color-scheme: ${hasDarkMode ? "light dark" : "light"};\n  --font: "${font}";\n  --width: ${widthCharacters}ch;`,
    `${colours(day, "#000000")}\n}`,
    ...(hasDarkMode ? [`@media (prefers-color-scheme: dark) {\n:root {\n${colours(night, "#ffffff")}\n}\n}`] : []),
    ...(features.includes("print_stylesheet") ? [print] : []),
  ].join("\n");
}

function readableOn(behind: readonly string[], colour: string, towards: string, least: number): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, towards, share);
    if (behind.every((other) => contrast(mixed, other) >= least)) return mixed;
  }
  return towards;
}

function mix(from: string, to: string, share: number): string {
  const [a, b] = [partsOf(from), partsOf(to)];
  return `#${a
    .map((part, index) =>
      Math.round(part + (b[index]! - part) * share)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

function partsOf(colour: string): readonly number[] {
  const digits = colour.length === 4 ? colour.replace(/[\da-f]/gi, "$&$&") : colour;
  return [1, 3, 5].map((start) => Number.parseInt(digits.slice(start, start + 2), 16));
}

/** How much two colours differ in brightness, from 1 to 21, as WCAG counts it. */
export function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = partsOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
