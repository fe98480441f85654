/** The types of the parameters in `calculate.js`, by their names there. */
const types: Readonly<Record<string, string>> = {
  list: "readonly number[]",
  xs: "readonly number[]",
  ys: "readonly number[]",
  texts: "readonly string[]",
  text: "string",
  part: "string",
  other: "string",
  between: "string",
  day: "string",
  table: "Readonly<Record<string, unknown>>",
  name: "string",
  what: "string",
};

/** Functions that take a list of anything. */
const anyLists = new Set(["count", "filled", "backwards", "distinct", "firstOf", "lastOf"]);

/** The module `calculate` with the types of its parameters; those of results follow. */
export function calculateInTypeScript(source: string): string {
  return source.replace(
    /^((?:export )?function )(\w+)\((.*)\) \{$/gm,
    (_, start: string, name: string, written: string) => {
      const isAny = anyLists.has(name);
      const parameters = written
        .split(", ")
        .filter((each) => each !== "")
        .map((each) => {
          const [parameter, fallback] = each.split(" = ") as [string, string?];
          const type = isAny && parameter === "list" ? "readonly T[]" : (types[parameter] ?? "number");
          return `${parameter}: ${type}${fallback === undefined ? "" : ` = ${fallback}`}`;
        });
      return `${start}${name}${isAny ? "<T>" : ""}(${parameters.join(", ")}) {`;
    },
  );
}
