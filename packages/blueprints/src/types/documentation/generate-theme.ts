import { contrast, mix } from "../../kit/colour.ts";
import type { Site } from "./model.ts";

/** The colours and sizes of the site. The accent is darkened, or lightened in dark mode, until it is readable. */
export function generateTheme({ theme, features }: Site): string {
  const { accent, font, hasDarkMode, widthCharacters, minContrast } = theme;
  const day = { paper: "#ffffff", shade: "#f4f1ec", line: "#ddd8d0", ink: "#1f1d1a", quiet: "#5c574f" };
  const night = { paper: "#171614", shade: "#24221f", line: "#3b3833", ink: "#f0ede8", quiet: "#b5afa6" };
  const colours = (base: typeof day, towards: string) => {
    const readable = (colour: string) => readableOn([base.paper, base.shade], colour, towards, minContrast);
    return Object.entries({
      ...base,
      ink: readable(base.ink),
      quiet: readable(base.quiet),
      accent: readable(accent),
    })
      .map(([name, colour]) => `  --${name}: ${colour};`)
      .join("\n");
  };
  const print =
    "@media print { header, .pages, .neighbours, .anchor, .contents, .copy { display: none; } .columns { display: block; } }";
  return [
    `:root {\n  color-scheme: ${hasDarkMode ? "light dark" : "light"};\n  --font: "${font}";\n  --width: ${widthCharacters}ch;`,
    `${colours(day, "#000000")}\n}`,
    ...(hasDarkMode ? [`@media (prefers-color-scheme: dark) {\n:root {\n${colours(night, "#ffffff")}\n}\n}`] : []),
    ...(features.includes("print_stylesheet") ? [print] : []),
  ].join("\n");
}

function readableOn(behind: readonly string[], colour: string, towards: string, minimum: number): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, towards, share);
    if (behind.every((other) => contrast(mixed, other) >= minimum)) return mixed;
  }
  return towards;
}
