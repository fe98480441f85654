//@ (text: string): string
export function snakeCase(text) {
  const words = text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [];
  return words.map((word) => word.toLowerCase()).join("_");
}
//: snakeCase("helloBig World") => "hello_big_world"
