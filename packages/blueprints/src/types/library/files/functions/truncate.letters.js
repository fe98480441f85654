//@ (text: string, maxLength: number, ending?: string): string
export function truncate(text, maxLength, ending = "...") {
  if (!(maxLength >= 0)) throw new RangeError("maxLength must be at least 0");
  const letters = [...text];
  if (letters.length <= maxLength) return text;
  const mark = [...ending].slice(0, maxLength);
  return [...letters.slice(0, maxLength - mark.length), ...mark].join("");
}
//: truncate("one two three", 7, "...") => "one ..."
//: truncate("short", 5, "...") => "short"
