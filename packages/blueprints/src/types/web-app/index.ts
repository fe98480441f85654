import type { CompleteSpec } from "@slipway/spec";
import { commonFiles } from "../../kit/common-files.ts";
import { notBuilt, unmetDescription } from "../../kit/not-built.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import { writeFiles } from "../../kit/write-files.ts";
import type { OutcomePlan, OutcomeType, Unmet } from "../../plugin.ts";
import { sliceFiles } from "../api/generate-model.ts";
import { nodeFoundation, nodeProject, nodeSlice } from "../api/generate-node.ts";
import { apiSections } from "../api/generate-readme.ts";
import { unmetOf } from "../api/unmet.ts";
import { pageFiles, siteFiles, webSources } from "./generate-node.ts";
import { pageSection } from "./generate-readme.ts";
import { readWebService } from "./read-web-service.ts";

/** Pages that people use in a browser, in front of an API that keeps its records in files. */
export const webApp: OutcomeType = {
  name: "web-app",
  languages: ["javascript"],
  plan: planWebApp,
  async build(task, workspace) {
    const { document } = workspace;
    const web = readWebService(document);
    const { scripts, unmet } = planWebApp(document);
    const resources = new Set(
      sliceFiles(web.service, task.lines).all.map(({ path }) => /^model\/resources\/(.*)\.json$/.exec(path)?.[1]),
    );
    const own = web.pages.filter(({ page }) => "resource" in page && resources.has(page.resource));
    const files = commonFiles(document, scripts, [pageSection(web), ...apiSections(web.service), ...notBuilt(unmet)])
      .addAll(nodeFoundation(document, web.service, webSources))
      .addAll(siteFiles(document, web))
      .addAll(pageFiles(own, web.pages))
      .addAll(nodeSlice(document, web.service, task));
    await writeFiles(workspace, task, files);
  },
};

const abilities = {
  stack: {
    frontend: /^(?:html5?|none|vanilla(?: ?js)?|plain html|server-?rendered)$/i,
    styling: /^(?:css3?|plain css|none)$/i,
  },
  tests: ["unit", "integration", "e2e"],
  keeps: (name: string, value: unknown, pointer: string): readonly Unmet[] | undefined =>
    name === "accessibility" ? unkept(value, pointer) : undefined,
};

/** Pages have a language, every field has its label, and colours are chosen so that text can be read. */
function unkept(value: unknown, pointer: string): readonly Unmet[] {
  return Object.entries(fieldsOf(value)).flatMap(([key, wanted]) => {
    const isKept =
      key === "page_language" ||
      (key === "form_fields_labelled" && wanted === true) ||
      (key === "contrast_ratio_min" && typeof wanted === "number" && wanted <= 4.5);
    return isKept ? [] : [{ pointer: `${pointer}/${key}`, reason: "Nobody checks this by rule." }];
  });
}

function planWebApp(document: CompleteSpec): OutcomePlan {
  const { service, pages, unmet } = readWebService(document);
  const project = nodeProject(document, webSources);
  const isSaid = service.resources.length > 0 || pages.length > 1;
  const all = [
    ...unmetOf(document, abilities),
    ...unmetDescription(
      isSaid,
      "Neither 'pages', 'data_model' nor acceptance says more: it is one page that shows it.",
    ),
    ...service.unmet,
    ...unmet,
    ...project.unmet,
  ];
  return { scripts: { ...project.scripts, ...document.scripts }, unmet: all };
}
