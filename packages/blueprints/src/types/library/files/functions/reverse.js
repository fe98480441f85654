//@ (text: string): string
export function reverse(text) {
  return [...text].reverse().join("");
}
//: reverse("abc") => "cba"
