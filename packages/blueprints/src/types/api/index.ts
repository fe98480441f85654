import type { CompleteSpec } from "@slipway/spec";
import { commonFiles, languageOf } from "../../kit/common-files.ts";
import { notBuilt, unmetDescription } from "../../kit/not-built.ts";
import { writeFiles } from "../../kit/write-files.ts";
import type { OutcomePlan, OutcomeType } from "../../plugin.ts";
import { nodeFoundation, nodeProject, nodeSlice } from "./generate-node.ts";
import { pythonFoundation, pythonProject, pythonSlice } from "./generate-python.ts";
import { apiSections } from "./generate-readme.ts";
import { withoutForeignPatterns } from "./python-patterns.ts";
import { readService } from "./read-service.ts";
import { unmetOf } from "./unmet.ts";

/** A JSON API over HTTP that keeps its records in files. */
export const api: OutcomeType = {
  name: "api",
  languages: ["javascript", "python"],
  plan: planApi,
  async build(task, workspace) {
    const { document } = workspace;
    const service = apiServiceOf(document).service;
    const { scripts, unmet } = planApi(document);
    const files = commonFiles(document, scripts, [...apiSections(service), ...notBuilt(unmet)], languageOf(document));
    if (languageOf(document) === "python")
      files.addAll(pythonFoundation(document, service)).addAll(pythonSlice(document, service, task));
    else files.addAll(nodeFoundation(document, service)).addAll(nodeSlice(document, service, task));
    await writeFiles(workspace, task, files);
  },
};

function apiServiceOf(document: CompleteSpec): ReturnType<typeof withoutForeignPatterns> {
  const service = readService(document);
  return languageOf(document) === "python" ? withoutForeignPatterns(service) : { service, unmet: [] };
}

function planApi(document: CompleteSpec): OutcomePlan {
  const { service, unmet: foreign } = apiServiceOf(document);
  const { scripts, unmet } = languageOf(document) === "python" ? pythonProject(document) : nodeProject(document);
  return {
    scripts: { ...scripts, ...document.scripts },
    unmet: [
      ...unmetOf(document),
      ...unmetDescription(
        service.resources.length + service.routes.length > 0,
        "Neither 'data_model' nor a line of acceptance says what it keeps: it answers for its health only.",
      ),
      ...service.unmet,
      ...foreign,
      ...unmet,
    ],
  };
}
