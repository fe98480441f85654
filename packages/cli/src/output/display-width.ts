/** Characters that take two columns: East Asian wide ones and emoji. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Marks on another character, vowels and ends of syllables of Korean, colours of skin, and what joins emoji. */
const attached = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]|\p{Emoji_Modifier}|\u200d/u;
/** Two of them are a flag. */
const ofFlag = /[\u{1f1e6}-\u{1f1ff}]/u;
const asEmoji = /^\p{Extended_Pictographic}\ufe0f/u;
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

/** Of each character: what belongs together by the rules of Unicode may be as long as one likes, and terminals show it all. */
function columnsOf(grapheme: string): number {
  let width = asEmoji.test(grapheme) && !wide.test(grapheme) ? 1 : 0;
  for (const character of grapheme)
    if (!attached.test(character)) width += wide.test(character) && !ofFlag.test(character) ? 2 : 1;
  return width;
}

/** Made at its first use: that takes 15 ms, and most texts are ASCII. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}
