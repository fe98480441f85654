//@ (text: string): number
export function countWords(text) {
  return (text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []).length;
}
//: countWords("It's a well-known fact.") => 4
//: countWords(" ") => 0
