//@ (text: string): string
export function pascalCase(text) {
  const words = text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [];
  return words.map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase()).join("");
}
//: pascalCase("hello big-world") => "HelloBigWorld"
