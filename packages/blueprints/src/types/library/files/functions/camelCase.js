//@ (text: string): string
export function camelCase(text) {
  const words = text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [];
  const lower = words.map((word) => word.toLowerCase());
  return lower.map((word, index) => (index === 0 ? word : word[0].toUpperCase() + word.slice(1))).join("");
}
//: camelCase("hello big-world") => "helloBigWorld"
//: camelCase("parse_HTML text") => "parseHtmlText"
//: camelCase("") => ""
