import { builtText, isSqlSafe, type SinkDeps, type Spot } from "./built-text.ts";
import { isField, isWhole, tainted } from "./request-values.ts";
import { bare, type Node, optionOf } from "./tree.ts";

const sqlMethods =
  /^(?:query|queryRaw|execute|exec|raw|run|all|get|each|prepare|unsafe|\$queryRawUnsafe|\$executeRawUnsafe|literal|many|one|none|any|oneOrNone|manyOrNone|result|whereRaw|orderByRaw|selectRaw|havingRaw|executeSql|batch)$/;

const sqlText =
  /^[\s(]*(?:SELECT\s|INSERT\s+(?:INTO|OR)\s|UPDATE\s+\S+\s+SET\b|UPDATE\s*$|DELETE\s+FROM\s|DROP\s+(?:TABLE|DATABASE)|ALTER\s+TABLE|TRUNCATE\s|CREATE\s+(?:TABLE|USER|DATABASE)|REPLACE\s+INTO|MERGE\s+INTO|WITH\s+\w+\s+AS|EXEC(?:UTE)?\s|GRANT\s|CALL\s)/i;

export function* ofQueries(deps: SinkDeps, node: Node, callee: Node, last: string): Generator<Spot> {
  const { taint } = deps;
  const [first, second] = node["arguments"] as Node[];
  if (first === undefined || callee.type !== "MemberExpression") {
    if (
      !(callee.type === "Identifier" && /^(?:query|sql|execute|raw|runQuery|dbQuery)$/i.test(last)) ||
      first === undefined
    )
      return;
  }
  const remedy = "Write a placeholder ($1, ?) and hand over the value as a parameter.";
  const text = optionOf(first, "text") ?? optionOf(first, "sql") ?? first!;
  const built = builtText(deps, text);
  if (sqlMethods.test(last) || callee.type === "Identifier") {
    if (built !== undefined && sqlText.test(built.head)) {
      const level = Math.max(0, ...built.parts.map((one) => taint.of(one)));
      if (level > 0)
        yield tainted(node, "sql-injection", level === 2 ? "critical" : "high", "becomes part of a query", remedy);
      else if (built.parts.some((one) => !isSqlSafe(deps, one, text)))
        yield {
          node,
          ruleId: "code/sql-string",
          severity: "medium",
          message: "A query is put together from text at run time.",
          remedy,
        };
    } else if (
      /Unsafe$|^unsafe$|Raw$|^raw$|^query$|^execute$/.test(last) &&
      taint.of(text) === 2 &&
      built === undefined &&
      /^(?:Identifier|MemberExpression)$/.test(bare(text)?.type ?? "")
    )
      yield tainted(node, "sql-injection", "critical", "becomes a query", remedy);
  }
  if (
    /^(?:find|findOne|findOneAndUpdate|findOneAndDelete|updateOne|updateMany|deleteOne|deleteMany|countDocuments|count|aggregate|where|exists)$/.test(
      last,
    )
  ) {
    if (
      isWhole(deps, first!) ||
      (bare(first)?.type === "ObjectExpression" &&
        /^(?:find|update|delete|count)/.test(last) &&
        (bare(first)!["properties"] as Node[]).some(
          (one) => one.type === "Property" && isField(deps, one["value"] as Node),
        ))
    )
      yield tainted(
        node,
        "nosql-injection",
        "high",
        "may be an object with operators in a database query",
        "Require a text: String(value), or a schema.",
      );
  }
  if (/^(?:search|searchAsync)$/.test(last) && second !== undefined) {
    const filter = builtText(deps, optionOf(second, "filter") ?? second);
    if (filter !== undefined && /^\s*\([&|!(\w]/.test(filter.head) && filter.parts.some((one) => taint.of(one) === 2))
      yield tainted(node, "ldap-injection", "high", "becomes part of a directory query", "Escape it for LDAP filters.");
  }
  if (
    /^(?:evaluate|select|select1)$/.test(last) &&
    built !== undefined &&
    /^\.?\//.test(built.head) &&
    built.parts.some((one) => taint.of(one) === 2)
  )
    yield tainted(node, "xpath-injection", "high", "becomes part of an XPath query", "Hand it over as a variable.");
}
