import { type Abilities, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { markdown } from "../../kit/quote.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode, siteSource } from "./generate-node.ts";
import { generateTheme } from "./generate-theme.ts";
import type { Site } from "./model.ts";
import { readSite } from "./read-site.ts";
import { type Rendered, renderSite } from "./render-site.ts";

/** A site made of the document's own text, in versions and languages, with search and checked links. */
export const documentation: OutcomeType = outcomeType("documentation", ["javascript"], design);

/** Pages link to each other and share one navigation, so each task writes the whole. */
function design(document: DocumentToBuild<"documentation">): Design {
  const { site, unmet } = readSite(document);
  const source = siteSource(site, generateTheme(site));
  const rendered = renderSite(source);
  const project = generateNode(document, source);
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...wrongLinks(site, rendered),
      ...project.unmet,
      ...unmetWork(document),
      ...unknownStack(document, { format: /^(?:markdown|md)$/i, styling: /^css$/i, frontend: /^html$/i }),
    ],
    chapters: [howTo, ...textLicence(site)],
    files: project.files,
    // What is wrong with lines on tests is known from where they lie.
    unmetLines: (lines) =>
      unmetLines(
        lines.filter(({ check }) => check.kind !== "tests"),
        abilities(rendered, project.runs),
      ),
  };
}

/** Links that the site's own build and tests will refuse. */
function wrongLinks(site: Site, { links }: Rendered): readonly Unmet[] {
  const pointers = new Map(
    site.editions.flatMap(({ prefix, pages }) => pages.map(({ path, pointer }) => [prefix + path, pointer] as const)),
  );
  const at = (page: string) => pointers.get(page) ?? (Object.hasOwn(site.redirects, page) ? "/redirects" : "/site");
  const wrong = [
    ...[...links.broken, ...links.anchors].map(({ page, target }) => ({
      pointer: at(page),
      reason: `The link to ${target} leads nowhere: the build of the site fails until it is mended.`,
    })),
    ...(site.externalLinks ? [] : links.others).map(({ page, target }) => ({
      pointer: at(page),
      reason: `The link to ${target} leads to another host, which 'site.external_links' forbids.`,
    })),
  ];
  // A page that several versions have is named once.
  return wrong.filter(
    (one, index) =>
      index === wrong.findIndex(({ pointer, reason }) => pointer === one.pointer && reason === one.reason),
  );
}

function abilities({ answer }: Rendered, runs: Abilities["runs"]): Abilities {
  return {
    answer,
    tests: ["unit"],
    framework: "node:test",
    runs,
    unmetCheck: () => undefined,
  };
}

const howTo = `## Writing

Pages are Markdown files, listed in \`site.json\` under \`editions\`: an edition is a version in a language. The lines at
the top of each file say where it is served and what it is called. HTML in a text is shown, not passed on. \`npm run build\`
and \`npm test\` fail when a link or an anchor leads nowhere.`;

function textLicence({ licence }: Site): readonly string[] {
  return licence === "" ? [] : [`## Text\n\nThe text of the pages is under ${markdown(licence)}.`];
}
