import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { nodePackage } from "../../kit/node-package.ts";
import type { NodeProject } from "../../kit/node-project.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { staticFiles } from "../../kit/static-files.ts";
import type { Edition, Page, Site } from "./model.ts";

const templates = staticFiles(new URL("./files/site/", import.meta.url));
const tests = staticFiles(new URL("./files/tests/", import.meta.url));

/** All that the site is rendered from. */
export interface SiteSource {
  readonly settings: ReturnType<typeof settingsOf>;
  /** Pages and API references, by file. */
  readonly sources: Readonly<Record<string, string>>;
  readonly assets: readonly (readonly [string, string])[];
}

export function siteSource(site: Site, theme: string): SiteSource {
  const assets = [...templates].flatMap(([path, text]) =>
    path.startsWith("assets/") ? [[path.slice(7), text] as const] : [],
  );
  const pages = site.editions.flatMap((edition) => edition.pages.map((page) => [page.file, sourceOf(page)] as const));
  const references = site.editions.flatMap(({ api }) =>
    api === null ? [] : [[api.file, `${JSON.stringify(api.entries, undefined, 2)}\n`] as const],
  );
  return {
    settings: settingsOf(site),
    sources: Object.fromEntries([...pages, ...references]),
    assets: [...assets, ["theme.css", theme]],
  };
}

/** The site as a package of plain JavaScript: Markdown, what renders and serves it, and its tests. */
export function generateNode(document: CompleteSpec, { settings, sources, assets }: SiteSource): NodeProject {
  const places = nodeTests(document, "site");
  const made = nodePackage(document, {
    commands: {
      build: "node tools/build.js",
      test: places.command,
      start: "node src/main.js",
      health_check: "node tools/health.js",
    },
    folders: ["src", "assets"],
    manifest: { imports: { "#src/*": "./src/*", "#assets/*": "./assets/*", "#package": "./package.json" } },
  });
  const files = () => {
    const set = new FileSet().addAll(made.files);
    for (const [path, text] of templates) set.add(path, text);
    for (const [path, text] of assets) set.add(`assets/${path}`, text);
    for (const [name, text] of tests) set.add(places.place(name.replace(/\.js$/, "")), text);
    for (const [path, text] of Object.entries(sources)) set.add(path, text);
    return set.add("site.json", JSON.stringify(settings, undefined, 2));
  };
  return { ...made, files, unmet: [...made.unmet, ...places.unmet] };
}

function settingsOf({
  name,
  licence,
  address,
  theme,
  search,
  features,
  externalLinks,
  notFound,
  redirects,
  editions,
}: Site) {
  const { minContrast } = theme;
  const served = editions.map(({ pages, api, ...edition }: Edition) => ({
    ...edition,
    sources: pages.map(({ file }) => file),
    api: api === null ? null : api.file,
  }));
  return {
    name,
    licence,
    address,
    minContrast,
    search,
    features,
    externalLinks,
    notFound,
    redirects,
    editions: served,
  };
}

/** A page's source: its metadata as front matter, then its text. */
function sourceOf({ id, path, title, summary, body }: Page): string {
  const facts = Object.entries({ id, path, title, summary }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  return `---\n${facts.join("\n")}\n---\n\n${body.replace(/\r\n?/g, "\n").trim()}\n`;
}
