//@ (text: string): string
export function titleCase(text) {
  return text.toLowerCase().replace(/(^|\s)(\S)/gu, (whole, space, letter) => space + letter.toUpperCase());
}
//: titleCase("lord of the rings") => "Lord Of The Rings"
//= (whole, space, letter) ==> (_whole, space: string, letter: string)
