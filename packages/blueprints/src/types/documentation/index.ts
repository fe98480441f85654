import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { markdown } from "../../kit/quote.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode, siteSource } from "./generate-node.ts";
import { generateTheme } from "./generate-theme.ts";
import { readChecks } from "./read-checks.ts";
import { readSite, type Site } from "./read-site.ts";
import { renderSite } from "./render-site.ts";
import { unmetRequests } from "./unmet-requests.ts";

/** A site made of the document's own text, with search and checked links. */
export const documentation: OutcomeType = outcomeTypeFromLines("documentation", ["javascript"], design);

/** Pages link to each other and share one navigation, so each task writes the whole. */
function design(document: CompleteSpec): Design {
  const site = readSite(document);
  const { unmet: uncheckable, ...limits } = readChecks(document, site);
  const source = siteSource(site, generateTheme(site, limits.contrast));
  const rendered = renderSite(source);
  const known = [...rendered.links.broken, ...rendered.links.anchors];
  const lines = acceptanceLines(document);
  const endpoints = unmetRequests(lines, rendered);
  const tooFar = rendered.links.others.length > (limits.others ?? Number.POSITIVE_INFINITY);
  const project = generateNode(document, site, source, {
    checks: { ...limits, ...(tooFar && { others: null }), known },
    lines,
    skipped: new Set(endpoints.map(({ pointer }) => pointer)),
  });
  return {
    scripts: project.scripts,
    unmet: [
      ...site.unmet,
      ...known.map(({ page, target }) => brokenLink(site, page, target)),
      ...(tooFar
        ? [{ pointer: "/acceptance/links", reason: "The text has more links to other hosts than it may." }]
        : []),
      ...uncheckable,
      ...endpoints,
      ...project.unmet,
      ...unmetWork(document),
      ...unknownStack(document, { format: /^(?:markdown|md)$/i, styling: /^css$/i, frontend: /^html$/i }),
    ],
    chapters: [howTo, ...textLicence(site)],
    files: project.files,
  };
}

const howTo = `## Writing

Pages are Markdown files, listed in \`site.json\` under \`sources\`; the lines at the top of each say where it is served and what
it is called. HTML in a text is shown, not passed on. \`npm test\` fails when a link or an anchor leads nowhere.`;

function textLicence({ licence }: Site): readonly string[] {
  return licence === "" ? [] : [`## Text\n\nThe text of the pages is under ${markdown(licence)}.`];
}

function brokenLink({ pages }: Site, page: string, target: string): Unmet {
  const pointer = pages.find(({ path }) => path === page)?.pointer ?? "/content";
  return { pointer, reason: `The link to ${target} leads nowhere.` };
}
