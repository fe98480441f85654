import { code } from "../../kit/common-files.ts";
import { markdown } from "../../kit/quote.ts";
import type { PageModel } from "./model.ts";
import type { WebService } from "./read-web-service.ts";

/** The README's chapter on the pages. */
export function pageChapter({ pages, site, resources }: WebService): string {
  const isDead = ({ kind, access, ...page }: PageModel) =>
    access?.length === 0 ||
    (kind === "delete" &&
      resources.some(
        ({ name, access: who }) => "resource" in page && name === page.resource && who.delete.length === 0,
      ));
  // A page that nobody may open is not offered.
  const offered = pages.filter((page) => !isDead(page));
  const rows = offered.map(
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
