//@ (text: string): string
export function capitalize(text) {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("").toLowerCase();
}
//: capitalize("hELLO") => "Hello"
