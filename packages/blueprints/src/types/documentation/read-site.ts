import { sixDigits } from "../../kit/colour.ts";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import type { Refuse, Site } from "./model.ts";
import { readEditions } from "./read-editions.ts";
import { readRedirects } from "./read-redirects.ts";

const allFeatures = ["table_of_contents", "previous_next", "heading_anchors", "print_stylesheet", "copy_buttons"];
const searchable = ["title", "headings", "text"];

/** Reads the site, and lists what of the document it does not honour. */
export function readSite(document: DocumentToBuild<"documentation">): {
  readonly site: Site;
  readonly unmet: readonly Unmet[];
} {
  const unmet: Unmet[] = [];
  const refuse: Refuse = (pointer, reason) => unmet.push({ pointer, reason });
  const { site: given = {} } = document;
  const { title, licence = "", address = "", theme = {}, features, external_links = true, not_found = {} } = given;
  const search = searchOf(given.search);
  const read = readEditions(document, search?.index, refuse);
  const site: Site = {
    name: title ?? titleOf(document),
    licence,
    address: address.replace(/(?<!\/)\/+$/, ""),
    theme: {
      accent: sixDigits((theme.accent ?? "#1d5a7a").toLowerCase()),
      font: theme.font ?? "Georgia",
      hasDarkMode: theme.dark_mode ?? true,
      widthCharacters: theme.width_characters ?? 70,
      minContrast: theme.min_contrast ?? 4.5,
    },
    search,
    features: features === undefined ? allFeatures : [...new Set(features)],
    externalLinks: external_links,
    notFound: {
      title: not_found.title ?? "There is no such page",
      body: not_found.body ?? "Look for it in the list of pages, or search.",
    },
    redirects: readRedirects(document.redirects, read, refuse),
    editions: read.editions,
  };
  return { site, unmet };
}

type GivenSearch = NonNullable<DocumentToBuild<"documentation">["site"]>["search"];

function searchOf(given: GivenSearch = true): Site["search"] {
  if (given === false) return null;
  const { index, fields } = given === true ? {} : given;
  return { index: index ?? "/search-index.json", fields: fields === undefined ? searchable : [...fields] };
}
