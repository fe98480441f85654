//@ (text: string): string
export function kebabCase(text) {
  const words = text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [];
  return words.map((word) => word.toLowerCase()).join("-");
}
//: kebabCase("helloBig World") => "hello-big-world"
