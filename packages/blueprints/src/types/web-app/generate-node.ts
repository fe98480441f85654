import { appIcon } from "../../kit/app-icon.ts";
import { onColour } from "../../kit/colour.ts";
import { FileSet } from "../../kit/file-set.ts";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { html } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { apiTemplates, generateNode as generateService } from "../api/generate-node.ts";
import type { GeneratedService } from "../api/generated-service.ts";
import { uniqueNames } from "../api/unique-names.ts";
import type { WebService } from "./read-web-service.ts";

/** What the pages build on keeps its place under another name. */
const renamed: Readonly<Record<string, string>> = {
  "src/routes.js": "src/service-routes.js",
  "src/refusals.js": "src/service-refusals.js",
  "src/load-model.js": "src/load-service.js",
  "testing/example-model.js": "testing/example-service.js",
};

const templates = staticFiles(new URL("./files/", import.meta.url));

/** The API's templates and those of the pages; of the same name, the latter win. */
function webTemplates(): ReadonlyMap<string, string> {
  return new Map([
    ...[...apiTemplates].map(([path, text]) => [renamed[path] ?? path, text] as const),
    ...[...templates].filter(([path]) => !path.startsWith("public/")),
  ]);
}

/** The service and its pages in plain JavaScript for Node. */
export function generateNode(document: DocumentToBuild<"web-app">, web: WebService): GeneratedService {
  const generated = generateService(document, web.service, webTemplates());
  return { ...generated, files: () => generated.files().addAll(siteFiles(web)) };
}

/** The pages' models, theme and icon, and the manifest and service worker if wanted. */
function siteFiles(web: WebService): FileSet {
  const { site, theme, pages } = web;
  const files = new FileSet()
    .add("model/site.json", json(site))
    .add("public/theme.css", theme.css)
    .add("public/icon.svg", icon(site.title, theme.accent));
  for (const [path, text] of templates)
    if (path.startsWith("public/") && (path !== "public/service-worker.js" || site.has_service_worker))
      files.add(path, text);
  const names = uniqueNames(
    pages.map(({ path }) => path),
    "start",
  );
  for (const [index, page] of pages.entries()) files.add(`model/pages/${names[index]}.json`, json(page));
  return site.has_manifest ? files.addAll(manifestFiles(web)) : files;
}

/** The icons that phones and browsers require before they offer to install a page. */
const pictures = [
  { file: "icon-192.png", size: 192, purpose: "any" },
  { file: "icon-512.png", size: 512, purpose: "any" },
  { file: "icon-maskable-512.png", size: 512, purpose: "maskable" },
] as const;

function manifestFiles({ site, theme: { accent, background }, shortName }: WebService): FileSet {
  const { title, description, language } = site;
  const files = new FileSet();
  for (const { file, size, purpose } of pictures) {
    const picture = { size, letter: letterOf(title), colour: accent, isMaskable: purpose === "maskable" };
    files.add(`public/${file}`, appIcon(picture));
  }
  const manifest = {
    name: title,
    short_name: shortName,
    description,
    lang: language,
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: background,
    theme_color: accent,
    icons: [
      ...pictures.map(({ file, size, purpose }) => ({
        src: `/assets/${file}`,
        sizes: `${size}x${size}`,
        type: "image/png",
        purpose,
      })),
      { src: "/assets/icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
    ],
  };
  return files.add("public/manifest.webmanifest", json(manifest));
}

/** The title's first letter on a square. */
function icon(title: string, accent: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${html(accent)}"/><text x="32" y="44" font-family="system-ui, sans-serif" font-size="36" font-weight="700" text-anchor="middle" fill="${onColour(accent)}">${html(letterOf(title))}</text></svg>`;
}

function letterOf(title: string): string {
  return [...title.trim().toUpperCase()].find((character) => /[\p{L}\p{N}]/u.test(character)) ?? "•";
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
