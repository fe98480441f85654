import { isClosed } from "./openapi.js";
import { operationsOf } from "./operations.js";
import { withArticle } from "./with-article.js";

/** The first page: what this is, and where to read more. */
export function landingPage(model) {
  const { docs, openapi } = model.system;
  const lists = model.resources.map(
    ({ title, path, description }) => `<li><code>${text(path)}</code> — ${text(description ?? `each ${title}`)}</li>`,
  );
  return page(
    model,
    model.title,
    `<p>${text(model.description)}</p>
<p>This is an API: programs use it. <a href="${text(docs)}">Read what it offers</a>, or give your tools its
<a href="${text(openapi)}">OpenAPI description</a>.</p>
${lists.length > 0 ? `<h2>What it keeps</h2>\n<ul>\n${lists.join("\n")}\n</ul>` : ""}`,
  );
}

/** Every operation, for people. */
export function docsPage(model) {
  const groups = Map.groupBy(operationsOf(model), ({ resource }) => resource?.title ?? "service");
  const chapters = [...groups].map(
    ([title, operations]) => `<h2>${text(title)}</h2>\n${operations.map((one) => chapter(model, one)).join("\n")}`,
  );
  return page(model, `${model.title}: what it offers`, `<p>${text(model.description)}</p>\n${chapters.join("\n")}`);
}

function chapter(model, operation) {
  const { method, path, summary, body, query = [], answers, who } = operation;
  const words = isClosed(model, operation) ? `<p>For ${text(sayWho(who))}.</p>` : "";
  const fields =
    body &&
    table(
      ["field", "value", "says"],
      Object.entries(body.fields)
        .filter(([, { is_owner: isOwner, computed }]) => !isOwner && computed === undefined)
        .map(rowOf),
    );
  const asks =
    query.length > 0 ? `<p>The query may say ${query.map((name) => `<code>${text(name)}</code>`).join(", ")}.</p>` : "";
  const statuses = table(["status", "when"], Object.entries(answers));
  return `<section>
<h3><code>${text(method)} ${text(path)}</code></h3>
<p>${text(summary)}.</p>
${words}${asks}${fields ?? ""}${statuses}
</section>`;
}

function rowOf([name, field]) {
  const { type, values, to, required, unique, label, description, default: fallback, is_reserved: isReserved } = field;
  const kind = values ? `one of ${values.join(", ")}` : to ? `the id of ${withArticle(to)}` : type;
  const says = [
    description ?? label,
    required && "required",
    unique && "unique",
    isReserved && "chosen only by those who may change every record",
    fallback !== undefined && `otherwise ${JSON.stringify(fallback)}`,
  ];
  return [name, kind, says.filter(Boolean).join("; ")];
}

function table(heads, rows) {
  const cells = (tag, row) =>
    row.map((cell) => `<${tag}${tag === "th" ? ' scope="col"' : ""}>${text(cell)}</${tag}>`).join("");
  return `<div class="table"><table><thead><tr>${cells("th", heads)}</tr></thead>
<tbody>${rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("\n")}</tbody></table></div>`;
}

function sayWho(who) {
  const words = { anyone: "whoever brings a token", signed_in: "whoever is logged in", owner: "whom it belongs to" };
  return who.map((word) => words[word] ?? word).join(" or ") || "nobody";
}

const style = `:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
padding: 0 1rem } section { border-top: 1px solid; padding-bottom: 1rem } .table { overflow-x: auto }
table { border-collapse: collapse } th, td { text-align: start; padding: .2rem 1rem .2rem 0; vertical-align: top }`;

function page(model, title, content) {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
${content}
</main>
<footer><p>Version ${text(model.version)}</p></footer>
</body>
</html>
`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return { text: html, type: "text/html; charset=utf-8", headers: { "content-security-policy": policy } };
}

function text(value) {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
