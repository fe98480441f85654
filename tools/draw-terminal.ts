/** Draws what a command prints, colours included, as an SVG picture for the documentation: `npm run generate`. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const colors: Readonly<Record<string, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  36: "#76e3ea",
};
const lineHeight = 20;
const charWidth = 8.43;

const root = new URL("../", import.meta.url);
const args = ["validate", "docs/images/broken.yaml"];
const { stdout } = spawnSync(process.execPath, ["packages/cli/bin/slipway.cjs", ...args], {
  cwd: root,
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1" },
});
writeFileSync(new URL("docs/images/validate.svg", root), draw(`$ slipway ${args.join(" ")}\n\n${stdout.trimEnd()}`));

function draw(output: string): string {
  const lines = output.split("\n");
  const plainLength = (line: string) => line.replace(/\x1b\[\d+m/g, "").length;
  const width = Math.ceil(Math.max(...lines.map(plainLength)) * charWidth) + 40;
  const height = lines.length * lineHeight + 40;
  const texts = lines.map((line, row) => `  <text x="20" y="${row * lineHeight + 34}">${drawLine(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
  <title>slipway validate points at the problems of a document and says how to mend each</title>
  <rect width="100%" height="100%" rx="8" fill="#0d1117"/>
  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
${texts.join("\n")}
  </g>
</svg>
`;
}

/** Each stretch between two escape sequences is drawn in what they set. */
function drawLine(line: string): string {
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
  else style.fill = colors[code] ?? "";
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
}
