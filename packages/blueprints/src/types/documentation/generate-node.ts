import type { AcceptanceLine, CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { nodePackage } from "../../kit/node-package.ts";
import type { NodeProject } from "../../kit/node-project.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { acceptanceTest } from "./generate-acceptance-test.ts";
import type { Page, Site } from "./read-site.ts";

const templates = staticFiles(new URL("./files/site/", import.meta.url));
const tests = staticFiles(new URL("./files/tests/", import.meta.url));

/** All that the site is rendered from. */
export interface SiteSource {
  readonly settings: ReturnType<typeof settingsOf>;
  readonly sources: readonly string[];
  readonly assets: readonly (readonly [string, string])[];
}

export function siteSource(site: Site, theme: string): SiteSource {
  const assets = [...templates].flatMap(([path, text]) =>
    path.startsWith("assets/") ? [[path.slice(7), text] as const] : [],
  );
  return { settings: settingsOf(site), sources: site.pages.map(sourceOf), assets: [...assets, ["theme.css", theme]] };
}

interface Tested {
  /** The limits that the site's own tests check. */
  readonly checks: Readonly<Record<string, unknown>>;
  readonly lines: readonly AcceptanceLine[];
  /** Pointers of lines that are known to be unmet. */
  readonly skipped: ReadonlySet<string>;
}

/** The site as a package of plain JavaScript: Markdown, what renders and serves it, and its tests. */
export function generateNode(
  document: CompleteSpec,
  { pages }: Site,
  { settings, sources, assets }: SiteSource,
  { checks, lines, skipped }: Tested,
): NodeProject {
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
    for (const [index, { file }] of pages.entries()) set.add(file, sources[index]!);
    return set
      .add("site.json", JSON.stringify({ ...settings, checks }, undefined, 2))
      .add(places.place("acceptance"), acceptanceTest(lines, skipped));
  };
  return { ...made, files, unmet: [...made.unmet, ...places.unmet] };
}

function settingsOf({ name, language, licence, searchIndex, searchFields, features, navigation, pages }: Site) {
  const sources = pages.map(({ file }) => file);
  return { name, language, licence, address: "", searchIndex, searchFields, features, navigation, sources };
}

/** A page's source: its metadata as front matter, then its text. */
function sourceOf({ id, path, title, summary, body }: Page): string {
  const facts = Object.entries({ id, path, title, summary }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  return `---\n${facts.join("\n")}\n---\n\n${body.replace(/\r\n?/g, "\n").trim()}\n`;
}
