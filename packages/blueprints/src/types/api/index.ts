import type { CompleteSpec } from "@slipway/spec";
import { languageOf } from "../../kit/common-files.ts";
import { unmetDescription } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import type { OutcomeType } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { generatePython } from "./generate-python.ts";
import { apiChapters } from "./generate-readme.ts";
import { readService } from "./read-service.ts";
import { unmetOf } from "./unmet.ts";

/** A JSON API over HTTP that stores its records in files. */
export const api: OutcomeType = outcomeTypeFromLines("api", ["javascript", "python"], design);

function design(document: CompleteSpec): Design {
  const service = readService(document);
  const language = languageOf(document);
  const generated = language === "python" ? generatePython(document, service) : generateNode(document, service);
  return {
    scripts: { ...generated.scripts, ...document.scripts },
    unmet: [
      ...unmetOf(document),
      ...unmetDescription(
        service.resources.length + service.routes.length > 0,
        "Neither 'data_model' nor a line of acceptance says what it keeps: it answers for its health only.",
      ),
      ...service.unmet,
      ...generated.unmet,
    ],
    chapters: apiChapters(service),
    language,
    files: (task) => generated.foundation().addAll(generated.slice(task)),
  };
}
