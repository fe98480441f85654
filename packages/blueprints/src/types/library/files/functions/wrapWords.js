//@ (text: string, width: number): string[]
export function wrapWords(text, width) {
  if (!(width >= 1)) throw new RangeError("width must be at least 1");
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && [...joined].length <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
//: wrapWords("a bb ccc dddd", 4) => ["a bb", "ccc", "dddd"]
//: wrapWords("enormous", 3) => ["enormous"]
//: wrapWords("a", 0) !! RangeError
//= const lines = []; ==> const lines: string[] = [];
