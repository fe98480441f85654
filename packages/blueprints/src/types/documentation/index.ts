import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { commonFiles } from "../../kit/common-files.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { notBuilt, unmetWork } from "../../kit/not-built.ts";
import { markdown } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { type Design, wholeType } from "../../kit/whole-type.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { acceptanceTest } from "./generate-acceptance-test.ts";
import { themeCss } from "./generate-theme.ts";
import { readChecks } from "./read-checks.ts";
import { type Page, readSite, type Site } from "./read-site.ts";
import { renderSite } from "./render-site.ts";
import { unmetRequests } from "./unmet-requests.ts";

const fixed = staticFiles(new URL("./files/site/", import.meta.url));
const tests = staticFiles(new URL("./files/tests/", import.meta.url));

/** A site of pages from the document's own text, with search and without broken links. */
export const documentation: OutcomeType = wholeType("documentation", ["javascript"], design);

/** Pages link to each other and stand in one navigation: each task makes the whole. */
function design(document: CompleteSpec): Design {
  const site = readSite(document);
  const checks = readChecks(document, site);
  const theme = themeCss(site, checks.contrast);
  const sources = site.pages.map(sourceOf);
  const assets = [...fixed].flatMap(([path, text]) =>
    path.startsWith("assets/") ? [[path.slice(7), text] as const] : [],
  );
  const settings = settingsOf(site);
  const rendered = renderSite({ settings, sources, assets: [...assets, ["theme.css", theme]] });
  const known = [...rendered.links.broken, ...rendered.links.anchors];
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
  const lines = acceptanceLines(document);
  const endpoints = unmetRequests(lines, rendered);
  const tooFar = rendered.links.others.length > (checks.others ?? Number.POSITIVE_INFINITY);
  const unmet = [
    ...site.unmet,
    ...known.map(({ page, target }) => brokenLink(site, page, target)),
    ...(tooFar
      ? [{ pointer: "/acceptance/links", reason: "The text has more links to other hosts than it may." }]
      : []),
    ...checks.unmet,
    ...endpoints,
    ...made.unmet,
    ...places.unmet,
    ...unmetWork(document),
    ...unknownStack(document, { format: /^(?:markdown|md)$/i, styling: /^css$/i, frontend: /^html$/i }),
  ];
  const { unmet: _, ...limits } = checks;
  const allowed = tooFar ? { ...limits, others: null } : limits;
  return {
    scripts: made.scripts,
    unmet,
    files() {
      const files = commonFiles(document, made.scripts, [howTo, ...textLicence(site), ...notBuilt(unmet)]).addAll(
        made.files,
      );
      for (const [path, text] of fixed) files.add(path, text);
      for (const [name, text] of tests) files.add(places.place(name.replace(/\.js$/, "")), text);
      for (const [index, { file }] of site.pages.entries()) files.add(file, sources[index]!);
      const skipped = new Set(endpoints.map(({ pointer }) => pointer));
      return files
        .add("assets/theme.css", theme)
        .add("site.json", JSON.stringify({ ...settings, checks: { ...allowed, known } }, undefined, 2))
        .add(places.place("acceptance"), acceptanceTest(lines, skipped));
    },
  };
}

const howTo = `## Writing

Pages are Markdown files, listed in \`site.json\` under \`sources\`; the lines at the top of each say where it is served and what
it is called. HTML in a text is shown, not passed on. \`npm test\` fails when a link or an anchor leads nowhere.`;

function textLicence({ licence }: Site): readonly string[] {
  return licence === "" ? [] : [`## Text\n\nThe text of the pages is under ${markdown(licence)}.`];
}

function settingsOf({ name, language, licence, searchIndex, searchFields, features, navigation, pages }: Site) {
  const sources = pages.map(({ file }) => file);
  return { name, language, licence, address: "", searchIndex, searchFields, features, navigation, sources };
}

/** A page as it is kept: what is known of it as JSON, then its text. */
function sourceOf({ id, path, title, summary, body }: Page): string {
  const facts = Object.entries({ id, path, title, summary }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  return `---\n${facts.join("\n")}\n---\n\n${body.replace(/\r\n?/g, "\n").trim()}\n`;
}

function brokenLink({ pages }: Site, page: string, target: string): Unmet {
  const pointer = pages.find(({ path }) => path === page)?.pointer ?? "/content";
  return { pointer, reason: `The link to ${target} leads nowhere.` };
}
