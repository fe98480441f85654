import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { unmetDescription } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { apiChapters } from "../api/generate-readme.ts";
import { unmetChecks, unmetOf } from "../api/unmet.ts";
import { generateNode } from "./generate-node.ts";
import { pageChapter } from "./generate-readme.ts";
import { readWebService } from "./read-web-service.ts";

/** Pages for the browser, in front of an API that stores its records in files. */
export const webApp: OutcomeType = outcomeTypeFromLines("web-app", ["javascript"], design);

function design(document: CompleteSpec): Design {
  const web = readWebService(document);
  const { service, pages, unmet } = web;
  const generated = generateNode(document, web);
  return {
    scripts: { ...generated.scripts, ...document.scripts },
    unmet: [
      ...unmetOf(document, abilities),
      ...unmetChecks(document, acceptanceLines(document), abilities),
      ...unmetDescription(
        service.resources.length > 0 || pages.length > 1,
        "Neither 'pages', 'data_model' nor acceptance says more: it is one page that shows it.",
      ),
      ...service.unmet,
      ...unmet,
      ...generated.unmet,
    ],
    chapters: [pageChapter(web), ...apiChapters(service)],
    files: generated.files,
  };
}

const abilities = {
  stack: {
    frontend: /^(?:html5?|none|vanilla(?: ?js)?|plain html|server-?rendered)$/i,
    styling: /^(?:css3?|plain css|none)$/i,
  },
  tests: ["unit", "integration", "e2e"],
  unmetCheck: (name: string, value: unknown, pointer: string): readonly Unmet[] | undefined =>
    name === "accessibility" ? unmetAccessibility(value, pointer) : undefined,
};

/** Pages always have a language, labelled fields, and readable colours. */
function unmetAccessibility(value: unknown, pointer: string): readonly Unmet[] {
  return Object.entries(fieldsOf(value)).flatMap(([key, wanted]) => {
    const isMet =
      key === "page_language" ||
      (key === "form_fields_labelled" && wanted === true) ||
      (key === "contrast_ratio_min" && typeof wanted === "number" && wanted <= 4.5);
    return isMet ? [] : [{ pointer: `${pointer}/${key}`, reason: "Nobody checks this by rule." }];
  });
}
