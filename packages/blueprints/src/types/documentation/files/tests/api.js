import assert from "node:assert/strict";
import { test } from "node:test";
import { apiHtml, titleOf } from "#src/api-table.js";
import { buildSite } from "#src/build-site.js";
import { escapeHtml } from "#src/inline.js";
import { loadSite } from "#src/load-site.js";
import { renderMarkdown } from "#src/markdown.js";

const site = await loadSite();
const files = buildSite(site);

/** The HTML of entries, and the headings that it adds. */
function rendered(entries) {
  const { headings, addHeading } = renderMarkdown("");
  return { html: apiHtml(entries, addHeading), headings };
}

test("every entry of the reference is on its page, in the table and in a section", () => {
  for (const { prefix, api, sources } of site.settings.editions) {
    if (api === null) continue;
    const name = sources.find((one) => site.sources[one].includes('\nid: "api"\n') || site.sources[one].startsWith('---\nid: "api"\n'));
    const html = files.get(prefix + JSON.parse(/^path: (.*)$/m.exec(site.sources[name])[1]));
    for (const entry of JSON.parse(site.sources[api])) {
      const title = escapeHtml(titleOf(entry));
      assert.ok(html.includes(`<code>${title}</code></a>`), title);
      assert.match(html, new RegExp(`<h2 id="[^"]+">${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}[ <]`));
    }
  }
});

test("an entry shows how it is called, what it takes, what it answers and how it fails", () => {
  const { html, headings } = rendered([
    {
      name: "__init__",
      signature: "__init__(url)",
      description: "Opens **it**.\n\nMore.",
      parameters: [
        { name: "url", type: "string", required: true, description: "Where." },
        { name: "tries", default: "3" },
      ],
      returns: "A `Connection`.",
      errors: [{ code: "Refused", description: "Nobody is there." }],
      example: "connect('<a>')\n",
      example_language: "js",
      since: "1.2",
      deprecated: "Use `open`.",
    },
  ]);
  assert.deepEqual(headings, [{ level: 2, id: "init", title: "__init__" }]);
  for (const part of [
    '<a href="#init"><code>__init__</code></a> <em>deprecated</em>',
    "<td>Opens <strong>it</strong>.</td><td>1.2</td>",
    '<code class="language-js">__init__(url)</code>',
    "<p>More.</p>",
    "<td><code>url</code></td><td><code>string</code></td><td>yes</td><td>Where.</td>",
    "<td><code>tries</code></td><td></td><td>no, <code>3</code></td>",
    "<strong>Returns</strong> A <code>Connection</code>.",
    "<td><code>Refused</code></td><td>Nobody is there.</td>",
    "connect(&#39;&#60;a&#62;&#39;)</code>",
    "<strong>Deprecated.</strong> Use <code>open</code>.",
  ])
    assert.ok(html.includes(part), part);
});

test("endpoints are called by method and path, and equal names get anchors of their own", () => {
  const { html, headings } = rendered([{ method: "GET", path: "/items" }, { method: "GET", path: "/items" }, { name: "List", path: "/items" }]);
  assert.deepEqual(headings.map(({ id }) => id), ["get-items", "get-items-2", "list"]);
  assert.ok(html.includes('<pre tabindex="0"><code class="language-http">/items</code></pre>'));
  assert.equal(titleOf({ signature: "f()" }), "f()");
});
