//@ (text: string): string
export function titleCase(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isJoining = (word, index) => index > 0 && index < words.length - 1 && joiningWords.has(word);
  return words.map((word, index) => (isJoining(word, index) ? word : capital(word))).join(" ");
}

const joiningWords = new Set("a an and as at but by for from in into nor of on or the to with".split(" "));

function capital(word) {
  const [first, ...rest] = word;
  return first.toUpperCase() + rest.join("");
}
//: titleCase("lord of the rings") => "Lord of the Rings"
//: titleCase("  ") => ""
//= (word, index) => index > 0 ==> (word: string, index: number) => index > 0
//= function capital(word) ==> function capital(word: string)
//= const [first, ...rest] ==> const [first = "", ...rest]
