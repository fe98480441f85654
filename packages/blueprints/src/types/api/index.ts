import { languageOf } from "../../kit/common-files.ts";
import { unmetDescription } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import type { OutcomeType } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { generatePython } from "./generate-python.ts";
import { apiChapters } from "./generate-readme.ts";
import { readService } from "./read-service.ts";
import type { ServedRoute } from "./served-routes.ts";
import { unmetChecks, unmetOf } from "./unmet.ts";
import { unmetRequests } from "./unmet-requests.ts";

/** A JSON API over HTTP that stores its records in files. */
export const api: OutcomeType = outcomeType("api", ["javascript", "python"], design);

/** The page that tells visitors what this is. */
const landingPage: ServedRoute = { method: "GET", path: "/", statuses: [200] };

function design(document: DocumentToBuild<"api">): Design {
  const service = readService(document, { routes: [landingPage] });
  const language = languageOf(document);
  const generated = language === "python" ? generatePython(document, service) : generateNode(document, service);
  return {
    scripts: { ...generated.scripts, ...document.scripts },
    unmet: [
      ...unmetOf(document),
      ...unmetDescription(
        service.resources.length > 0,
        "Say in 'data_model' what it keeps: it answers for its health only.",
      ),
      ...service.unmet,
      ...generated.unmet,
    ],
    chapters: apiChapters(service),
    language,
    files: generated.files,
    unmetLines: (lines) => [...unmetChecks(document, lines), ...unmetRequests(service, lines, [landingPage])],
  };
}
