//@ (text: string): boolean
export function isPalindrome(text) {
  const letters = [...text.toLowerCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  return letters.every((letter, index) => letter === letters[letters.length - 1 - index]);
}
//: isPalindrome("No lemon, no melon") => true
//: isPalindrome("lemon") => false
