import { printable } from "../output/printable.ts";

const maxLength = 500;

/** A file's name for people: patterns find files of strangers, whose names may be orders to a terminal or to GitHub Actions. */
export function shownFile(file: string): string {
  return printable(file, maxLength)
    .replace(/^(?=::)/, "./")
    .replaceAll("##[", "# #[");
}
