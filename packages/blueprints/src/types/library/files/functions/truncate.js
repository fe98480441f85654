//@ (text: string, maxLength: number, ending?: string): string
export function truncate(text, maxLength, ending = "…") {
  if (!(maxLength >= 1)) throw new RangeError("maxLength must be at least 1");
  const letters = [...text];
  if (letters.length <= maxLength) return text;
  const mark = [...ending].slice(0, maxLength);
  const room = maxLength - mark.length;
  const cut = letters.slice(0, room).join("");
  // Between words if the cut fell into one, and there is a word before it.
  const isInside = /\S/.test(letters[room]) && /\S$/.test(cut);
  const whole = isInside ? cut.replace(/\s+\S*$/, "") : cut.trimEnd();
  return whole + mark.join("");
}
//: truncate("one two three", 8, "…") => "one two…"
//: truncate("one two three", 6, "…") => "one…"
//: truncate("unbreakable", 5, "…") => "unbr…"
//: truncate("short", 5, "…") => "short"
//: truncate("short", 0, "…") !! RangeError
