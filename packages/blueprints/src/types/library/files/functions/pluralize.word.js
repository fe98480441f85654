//@ (singular: string, count: number, plural?: string): string
export function pluralize(singular, count, plural = `${singular}s`) {
  return count === 1 ? singular : plural;
}
//: pluralize("day", 1, "days") => "day"
//: pluralize("child", 2, "children") => "children"
