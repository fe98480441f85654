import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import type { Edition, Page, Texts } from "./model.ts";

/** The groups of an edition's pages. Pages that no group names come last. */
export function readNavigation(
  { navigation = [], site }: DocumentToBuild<"documentation">,
  language: string,
  pages: readonly Page[],
  texts: Texts,
): Edition["navigation"] {
  const known = new Set(pages.map(({ id }) => id));
  const isOwn = language === (site?.language ?? "en");
  const groups = navigation.map((group) => {
    if (typeof group === "string") return { title: "", pages: [group].filter((id) => known.has(id)) };
    const { title = "", titles = {}, pages: ids = [] } = group;
    const translated = Object.hasOwn(titles, language) ? titles[language] : undefined;
    return { title: isOwn ? title : (translated ?? title), pages: ids.filter((id) => known.has(id)) };
  });
  const filled = groups.filter((group) => group.pages.length > 0);
  const listed = new Set(filled.flatMap((group) => group.pages));
  const left = pages.map(({ id }) => id).filter((id) => !listed.has(id));
  return left.length === 0 ? filled : [...filled, { title: filled.length === 0 ? "" : texts.more, pages: left }];
}
