import { code } from "../../kit/common-files.ts";
import { markdown } from "../../kit/quote.ts";
import type { WebService } from "./read-web-service.ts";

/** The README's chapter on the pages. */
export function pageChapter({ pages, site }: WebService): string {
  const rows = pages.map((page) => `| ${code(page.path)} | ${markdown(page.title)} | ${page.kind} |`);
  const app = site.has_service_worker
    ? "\n\nIt can be installed, and opens without a network what was seen before."
    : "";
  return `## Pages

| path | title | kind |
|---|---|---|
${rows.join("\n")}

Every page works without script, on a phone and with a keyboard.${app}`;
}
