import { code } from "../../kit/common-files.ts";
import { markdown } from "../../kit/quote.ts";
import type { WebService } from "./read-web-service.ts";

/** The README's chapter on the pages. */
export function pageChapter({ pages, site }: WebService): string {
  const rows = pages.map(
    ({ path, title, kind, access = ["anyone"] }) =>
      `| ${code(path)} | ${markdown(title)} | ${kind} | ${markdown(access.join(", ") || "nobody")} |`,
  );
  const app = site.has_service_worker
    ? "\n\nIt can be installed, and opens without a network what was seen before."
    : "";
  return `## Pages

| path | title | kind | for |
|---|---|---|---|
${rows.join("\n")}

Every page works without script, on a phone and with a keyboard. Whoever may open a page still sees and does
only what the resource behind it allows.${app}`;
}
