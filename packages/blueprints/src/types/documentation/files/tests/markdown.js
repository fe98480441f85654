import assert from "node:assert/strict";
import { test } from "node:test";
import { inlineHtml, plainText } from "#src/inline.js";
import { renderMarkdown } from "#src/markdown.js";

const html = (text) => renderMarkdown(text).html;

test("headings start at the second level, and each has a name of its own", () => {
  const { html: shown, headings } = renderMarkdown("# One *thing*\n## Crème `brûlée`\n### One thing\n## ---");
  assert.deepEqual(headings, [
    { level: 2, id: "one-thing", title: "One thing" },
    { level: 2, id: "creme-brulee", title: "Crème brûlée" },
    { level: 3, id: "one-thing-2", title: "One thing" },
    { level: 2, id: "section", title: "---" },
  ]);
  assert.match(shown, /<h2 id="one-thing">One <em>thing<\/em> <a class="anchor" href="#one-thing"/);
});

test("paragraphs, rules and line breaks", () => {
  assert.equal(html("a\nb\n\nc  \nd\r\n\r\n---"), "<p>a\nb</p>\n<p>c<br>\nd</p>\n<hr>");
});

test("lists hold lists, and count from where they start", () => {
  assert.equal(html("- a\n- b\n  more\n\n  - c"), "<ul>\n<li>a</li>\n<li>b\nmore\n<ul>\n<li>c</li>\n</ul></li>\n</ul>");
  assert.equal(html("3. a\n\n4. b\n- c"), '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n<ul>\n<li>c</li>\n</ul>');
});

test("code and quotes are kept as they are", () => {
  assert.equal(html("```js\n<b> & *x*\n```"), '<pre tabindex="0"><code class="language-js">&#60;b&#62; &#38; *x*</code></pre>');
  assert.equal(html("~~~\nopen"), '<pre tabindex="0"><code>open</code></pre>');
  assert.equal(html("> a\n> b"), "<blockquote>\n<p>a\nb</p>\n</blockquote>");
  assert.ok(html(">".repeat(500)).length < 5000);
});

test("tables have headings, and cells for each of them", () => {
  const shown = html("| a | b |\n|---|:-:|\n| `x|y` | 1 \\| 2 |\n| only |\n\nafter");
  assert.ok(shown.includes('<th scope="col">a</th><th scope="col">b</th>'));
  assert.ok(shown.includes("<tr><td><code>x|y</code></td><td>1 | 2</td></tr>"));
  assert.ok(shown.includes("<tr><td>only</td><td></td></tr>"));
  assert.ok(shown.endsWith("<p>after</p>"));
});

test("emphasis, code and links inside of a line", () => {
  assert.equal(inlineHtml("**a _b_** *c* `<d>`"), "<strong>a <em>b</em></strong> <em>c</em> <code>&#60;d&#62;</code>");
  assert.equal(inlineHtml("snake_case_name 2 * 3 * 4 \\*no\\*"), "snake_case_name 2 * 3 * 4 *no*");
  assert.equal(inlineHtml("[a **b**](/c/#d) <https://e.example>"), '<a href="/c/#d">a <strong>b</strong></a> <a href="https://e.example">https://e.example</a>');
  assert.equal(inlineHtml("![a \"b\"](c.png)"), '<img src="c.png" alt="a &#34;b&#34;">');
  assert.equal(plainText("**a** & `b` [c](/d)"), "a & b c");
});

test("nothing in a text can run", () => {
  assert.equal(inlineHtml("<script>x</script>"), "&#60;script&#62;x&#60;/script&#62;");
  assert.equal(inlineHtml("[a](javascript:x) [b](data:x) [c](//d.example)"), "a b c");
  assert.equal(inlineHtml("![a](javascript:x)"), "![a](javascript:x)");
  assert.equal(inlineHtml('[a](/"onclick="x)'), '<a href="/&#34;onclick=&#34;x">a</a>');
});
