//@ (count: number, singular: string, plural?: string): string
export function pluralize(count, singular, plural = `${singular}s`) {
  return `${count} ${count === 1 ? singular : plural}`;
}
//: pluralize(1, "day", "days") => "1 day"
//: pluralize(2, "child", "children") => "2 children"
