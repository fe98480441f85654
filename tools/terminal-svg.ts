/** Draws lines of a terminal, colours included, as parts of an SVG picture. */

const colors: Readonly<Record<string, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  36: "#76e3ea",
};
export const lineHeight = 20;
const charWidth = 8.43;

/** A window with that much room, and what is in it. */
export function drawWindow(title: string, size: { columns: number; rows: number }, content: string): string {
  const width = Math.ceil(size.columns * charWidth) + 40;
  const height = size.rows * lineHeight + 40;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
  <title>${title}</title>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
${content}
  </g>
</svg>
`;
}

/** The length of a line without its colours. */
export function plainLength(line: string): number {
  return line.replace(/\x1b\[[\d;]*m/g, "").length;
}

/** Each stretch between two escape sequences is drawn in what they set. */
export function drawLine(line: string): string {
  const style = { fill: "", bold: false, dim: false };
  return line
    .split(/\x1b\[(\d+)m/)
    .map((part, index) => {
      if (index % 2 === 1) {
        applyCode(style, part);
        return "";
      }
      const attributes = [
        style.fill && `fill="${style.fill}"`,
        style.bold && 'font-weight="bold"',
        style.dim && 'opacity="0.6"',
      ].filter(Boolean);
      return part === ""
        ? ""
        : `<tspan ${attributes.join(" ")}>${escapeXml(part)}</tspan>`.replace("<tspan >", "<tspan>");
    })
    .join("");
}

function applyCode(style: { fill: string; bold: boolean; dim: boolean }, code: string): void {
  if (code === "1") style.bold = true;
  else if (code === "2") style.dim = true;
  else if (code === "22") Object.assign(style, { bold: false, dim: false });
  else if (code === "0") Object.assign(style, { fill: "", bold: false, dim: false });
  else style.fill = colors[code] ?? "";
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
}
