/** Characters that take two columns: East Asian wide ones and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^[\u{1b000}-\u{1b2ff}\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]/u;
const isAscii = /^[ -~]*$/;

/** How many columns of a terminal a printable text takes. */
export function displayWidth(text: string): number {
  if (isAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += columnsOf(segment);
  return width;
}

/** A text cut to a number of columns, with `…` where something is missing. */
export function cutTo(text: string, columns: number): string {
  if (columns <= 0) return "";
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  let kept = "";
  for (const { segment } of graphemesOf(text)) {
    width += columnsOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function columnsOf(grapheme: string): number {
  // A combining mark without anything before it.
  if (/^\p{Mn}+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Made at its first use: that takes 15 ms, and most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}
