//@ (text: string, separator?: string): string
export function slugify(text, separator = "-") {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).join(separator);
}
//: slugify("Ünder  the Sea!", "-") => "under-the-sea"
//: slugify("***", "-") => ""
