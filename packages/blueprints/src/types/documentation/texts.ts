import type { Texts } from "./model.ts";

/** The words of the site itself. */
export const defaultTexts: Texts = {
  search: "Search",
  nothing_found: "Nothing was found.",
  skip: "Skip to the text",
  pages: "Pages",
  more: "More",
  on_this_page: "On this page",
  previous: "Previous",
  next: "Next",
  versions: "Versions",
  languages: "Languages",
  old_version: "This is not the current version.",
  current_version: "Go to the current version",
  copy: "Copy",
  copied: "Copied",
  licence: "Licence",
  api: "API reference",
};
