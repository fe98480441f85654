import { createRequire } from "node:module";
import type { SiteSource } from "./generate-node.ts";

/** What the site serves for a path, and which of its links are broken. */
export interface Rendered {
  answer(method: string, path: string): { readonly status: number; readonly body: string };
  readonly links: Readonly<
    Record<"broken" | "anchors" | "others", readonly { readonly page: string; readonly target: string }[]>
  >;
}

const require = createRequire(import.meta.url);

export function renderSite(site: SiteSource): Rendered {
  const { buildSite, checkLinks, answerTo } = loadProgram();
  const files = buildSite(site);
  return {
    answer(method, path) {
      const { status, content } = answerTo(files, method, path, site.settings.redirects);
      return { status, body: method === "HEAD" ? "" : content };
    },
    links: checkLinks(files, site.settings.address),
  };
}

/**
 * The result's own modules are pure JavaScript, so they can tell beforehand what it will answer. Only documents of this type
 * load them: they import a server, and with it a tenth of what a start of the service takes.
 */
function loadProgram() {
  const { buildSite } = require("./files/site/src/build-site.js");
  const { checkLinks } = require("./files/site/src/check-links.js");
  const { answerTo } = require("./files/site/src/server.js");
  return { buildSite, checkLinks, answerTo };
}
