import { appIcon } from "../../kit/app-icon.ts";
import { onColour } from "../../kit/colour.ts";
import { html } from "../../kit/quote.ts";
import type { Install } from "./read-install.ts";

interface IconFile {
  readonly path: string;
  readonly size: number;
  readonly isMaskable: boolean;
}

/** The icons: the sizes that the document names, those that phones require, and a maskable one. */
export function iconsOf({ sizes }: Install): readonly IconFile[] {
  const all = [...new Set([...sizes, 192, 512])].toSorted((a, b) => a - b);
  return [
    ...all.map((size) => ({ path: `icons/icon-${size}.png`, size, isMaskable: false })),
    { path: "icons/icon-maskable-512.png", size: 512, isMaskable: true },
  ];
}

export function iconBytes({ letter, theme }: Install, { size, isMaskable }: IconFile): Uint8Array {
  return appIcon({ size, letter, colour: theme, isMaskable });
}

/** Path of the scalable icon. */
export const vectorIcon = "icons/icon.svg";

/** The letter on its shape, as SVG. */
export function iconOf({ letter, shape, theme }: Install): string {
  const front = onColour(theme);
  const shapes: Readonly<Record<string, string>> = {
    circle: '<circle cx="50" cy="50" r="36"/>',
    leaf: '<path d="M16 84 C8 36 44 14 86 16 C88 58 64 92 16 84 Z"/>',
  };
  const back = shapes[shape] ?? '<rect x="16" y="16" width="68" height="68" rx="14"/>';
  return `
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
  <rect width="100" height="100" fill="${theme}"/>
  <g fill="${front}" fill-opacity="0.16">${back}</g>
  <text x="50" y="66" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="46" fill="${front}">${html(letter)}</text>
</svg>`;
}
