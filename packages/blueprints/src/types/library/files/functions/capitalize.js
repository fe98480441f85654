//@ (text: string): string
export function capitalize(text) {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("");
}
//: capitalize("élan") => "Élan"
//: capitalize("") => ""
