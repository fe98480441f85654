import { unmetDescription } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import type { OutcomeType } from "../../plugin.ts";
import { apiChapters } from "../api/generate-readme.ts";
import { unmetChecks, unmetOf } from "../api/unmet.ts";
import { unmetRequests } from "../api/unmet-requests.ts";
import { generateNode } from "./generate-node.ts";
import { pageChapter } from "./generate-readme.ts";
import { pageRoutes } from "./page-routes.ts";
import { readWebService } from "./read-web-service.ts";

/** Pages for the browser, in front of an API that stores its records in files. */
export const webApp: OutcomeType = outcomeType("web-app", ["javascript"], design);

function design(document: DocumentToBuild<"web-app">): Design {
  const web = readWebService(document);
  const { service, pages, unmet } = web;
  const generated = generateNode(document, web);
  return {
    scripts: { ...generated.scripts, ...document.scripts },
    unmet: [
      ...unmetOf(document, abilities),
      ...unmetDescription(
        service.resources.length > 0 || pages.length > 1,
        "Say in 'data_model' and 'pages' what it shows: it is one page with these words.",
      ),
      ...service.unmet,
      ...unmet,
      ...generated.unmet,
    ],
    chapters: [pageChapter(web), ...apiChapters(service)],
    files: generated.files,
    unmetLines: (lines) => [
      ...unmetChecks(document, lines, abilities),
      ...unmetRequests(service, lines, pageRoutes(web), "a page in 'pages'"),
    ],
  };
}

const abilities = {
  stack: {
    frontend: /^(?:html5?|none|vanilla(?: ?js)?|plain html|server-?rendered)$/i,
    styling: /^(?:css3?|plain css|none)$/i,
  },
  tests: ["unit", "integration", "e2e"],
  unmetCheck: () => undefined,
};
