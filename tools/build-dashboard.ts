/** Builds the dashboard's page for the service to serve: `npm run prepare` does it, too. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "packages/dashboard/src");

/** Where the service of this repository looks for it. */
export const ownDashboard = join(root, "packages/server/dist/dashboard");

/** Builds the page and its files, whose names change with their content, into a folder. */
export async function buildDashboard(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(source, "main.tsx"), join(source, "design/main.css"), join(source, "design/favicon.svg")],
    outdir: join(folder, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    loader: { ".svg": "copy" },
    format: "esm",
    target: ["es2023", "chrome120", "firefox120", "safari17"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  // Pages that are loaded later are entry points, too: only the names of ours tell them apart.
  const outputs = Object.entries(metafile.outputs);
  const named = (entry: string) =>
    basename(outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(entry))?.[0] ?? "");
  const main = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith("src/main.tsx"))?.[1];
  const parts = (main?.imports ?? [])
    .filter(({ kind }) => kind === "import-statement")
    .map(({ path }) => basename(path));
  const draft = join(folder, `index.html.${process.pid}`);
  const files = { script: named("src/main.tsx"), style: named("design/main.css"), icon: named("design/favicon.svg") };
  writeFileSync(draft, page(files, parts));
  renameSync(draft, join(folder, "index.html"));
  removeOthers(folder, new Set(outputFiles.map(({ path }) => basename(path))));
}

/** The parts that the script imports are asked for with it, not after it. */
function page(
  { script, style, icon }: Readonly<Record<"script" | "style" | "icon", string>>,
  parts: readonly string[],
): string {
  const preloads = parts.map((part) => `    <link rel="modulepreload" href="/assets/${part}">\n`).join("");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Slipway</title>
    <link rel="icon" type="image/svg+xml" href="/assets/${icon}">
    <link rel="stylesheet" href="/assets/${style}">
${preloads}    <script type="module" src="/assets/${script}"></script>
  </head>
  <body>
    <div id="app"></div>
    <noscript>The dashboard needs JavaScript.</noscript>
  </body>
</html>
`;
}

function removeOthers(folder: string, kept: ReadonlySet<string>): void {
  for (const name of readdirSync(join(folder, "assets"))) if (!kept.has(name)) rmSync(join(folder, "assets", name));
}

if (import.meta.main) await buildDashboard(ownDashboard);
