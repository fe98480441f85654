import { describe, expect, test } from "vitest";
import { followFlows, noBrowser, serve } from "../../support/verification/follow-flows.ts";

/** A list of things to buy; the broken one forgets what is added. */
const listPage = (isBroken: boolean) => `<!doctype html><title>Shopping</title>
<h1>Items</h1><a href="/away">Add</a>
<form>
  <label>Title <input name="title"></label>
  <label>Color <select><option>Red</option><option>Blue</option></select></label>
  <label><input type="checkbox"> Urgent</label>
  <button>Add</button> <button type="button" disabled>Archive</button>
</form>
<p hidden>Nothing to see</p><ul></ul>
<script>
  const [form, list] = [document.querySelector("form"), document.querySelector("ul")];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [title, color, urgent] = form.elements;
    const item = document.createElement("li");
    item.append(title.value + " (" + color.value + (urgent.checked ? ", urgent)" : ")"));
    ${isBroken ? "" : "setTimeout(() => list.append(item), 50);"}
    history.pushState({}, "", "/items/7");
    title.value = "";
  });
</script>`;

const pages: Readonly<Record<string, string>> = {
  "/": listPage(false),
  "/broken": listPage(true),
  "/agent": "<script>document.write(navigator.userAgent + ' webdriver:' + navigator.webdriver)</script>",
  "/dead": "<ul><li><h2>Hammer</h2>Shelf A</li></ul>",
  "/listens": `<h2>Saw</h2><script type="module">
setTimeout(() => document.addEventListener("click", ({ target }) => target.append(" is sharp")), 300);
</script>`,
  "/secret": "<p>The key is open-sesame-1234</p>",
  "/inner": "<p>open-sesame-1234</p>",
  "/separators": "<p>One\u2028two\u2029three</p><p>The end</p>",
};

/** Places of a page whose texts are not those of its body, but which a picture shows. */
const elsewhere: Readonly<Record<string, string>> = {
  "a frame": '<iframe src="/inner"></iframe>',
  "a frame in a process of its own": '<iframe sandbox srcdoc="<p>open-sesame-1234</p>"></iframe>',
  "a component": '<div><template shadowrootmode="closed"><p>open-sesame-1234</p></template></div>',
  "a style": '<style>p::after { content: "open-sesame-1234" }</style>',
  "an empty field": '<input placeholder="open-sesame-1234">',
  "the last of many fields": `${"<input hidden>".repeat(50)}<input value="open-sesame-1234">`,
  "a lost picture": '<img alt="open-sesame-1234" src="/none">',
};

describe.skipIf(noBrowser !== undefined)("in a browser", async () => {
  const url = await serve((request, response) => {
    const path = request.url ?? "";
    const place = Object.values(elsewhere)[Number(/^\/place-(\d)$/.exec(path)?.[1])];
    const page = place === undefined ? pages[path] : `<p>The key</p>${place}`;
    const status = request.url === "/error" ? 500 : page === undefined ? 404 : 200;
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page ?? "Not found");
  });
  const add = ["fill Title with Milk", { select: { Color: "Blue" } }, "check Urgent", "click Add"];
  const flows = {
    passing: [
      ...[
        "open /",
        ...add,
        "see Milk (Blue, urgent)",
        "do not see Nothing to see",
        "do not see Item",
        "url is /items/{id}",
        "title is Shopping",
      ],
      ...['see the heading "Items"', "reload", "see Not found", "open /", "do not see Milk"],
    ],
    broken: ["open /broken", ...add, "see Milk", "url is /"],
    missing: ["click Remove", "see Milk"],
    disabled: ["click Archive", "see Milk"],
    dead: ["open /dead", "click Hammer", "see Shelf A"],
    listens: ["open /listens", "click Saw", "see Saw is sharp"],
    error: ["open /error", "see Not found"],
    away: ["open /", "click Add", "url is /items"],
    secret: ["open /secret", "see key"],
    separators: ["open /separators", "see The end"],
    agent: ["open /agent", "do not see HeadlessChrome", "see webdriver:false"],
  };
  const names = Object.keys(flows);
  const { verdicts, evidence } = await followFlows(url, Object.values(flows), {
    stepMs: 6_000,
    secrets: ["open-sesame-1234"],
  });
  const of = (name: keyof typeof flows) => verdicts.find(({ pointer }) => pointer.endsWith(`/${names.indexOf(name)}`));

  // Neither what is hidden, nor a part of a word, is seen.
  test("a flow passes when every step was done and everything was seen", () => {
    expect(of("passing")).toMatchObject({ verdict: "passed", reason: "All 15 steps were done in a browser." });
  });

  test("an app that does not do what it should fails, with the step and what is on the page instead", () => {
    expect(of("broken")).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(
        /^Step 6, 'see Milk': this text is not on the page\. On the page \/items\/7: heading "Items".*button "Add"/,
      ),
    });
  });

  test.for([
    ["missing", "Step 2, 'click Remove': no button, link or text 'Remove' is on the page."],
    ["disabled", "Step 2, 'click Archive': it is on the page, but disabled."],
    ["dead", "Step 2, 'click Hammer': it is on the page, but no link or button, and no script listens"],
    ["error", "Step 1, 'open /error': the software answered 500."],
    ["away", "Step 3, 'url is /items': the page is at '/away'."],
  ] as const)("%s: %s", ([name, reason]) => {
    expect(of(name)).toMatchObject({ verdict: "failed", reason: expect.stringContaining(reason) });
  });

  test("a text is clicked where a script listens, even if it does so late", () => {
    expect(of("listens")).toMatchObject({ verdict: "passed" });
  });

  test("a picture and a trace of each flow are kept", () => {
    expect(of("passing")?.evidence).toHaveLength(2);
    expect(of("broken")?.evidence).toHaveLength(2);
    const [picture, trace] = evidence;
    expect(picture).toMatchObject({ path: "verification/flows/1-acceptance-ux_flows-0.png", mediaType: "image/png" });
    expect(Buffer.from(picture!.bytes).subarray(1, 4).toString()).toBe("PNG");
    expect(trace).toMatchObject({ mediaType: "application/zip" });
    expect(Buffer.from(trace!.bytes).subarray(0, 2).toString()).toBe("PK");
  });

  test("the page does not learn needlessly that a program uses it", () => {
    expect(of("agent")).toMatchObject({ verdict: "passed" });
  });

  test("what shows a secret is not kept", () => {
    expect(of("secret")).toMatchObject({ verdict: "passed", evidence: [] });
  });

  test("nor is what shows it elsewhere than in the text of the page", { tags: "long" }, async () => {
    const asked = Object.keys(elsewhere).map((_, index) => [`open /place-${index}`, "see The key"]);
    const found = await followFlows(url, asked, { stepMs: 6_000, secrets: ["open-sesame-1234"] });
    const kept = Object.keys(elsewhere).filter((_, index) => found.verdicts[index]?.evidence?.length !== 0);
    expect(kept).toEqual([]);
    expect(found.verdicts.every(({ verdict }) => verdict === "passed")).toBe(true);
  });

  test("a page with line separators of Unicode is read like others", () => {
    expect(of("separators")).toMatchObject({ verdict: "passed" });
  });
});

test("without a browser no flow is checked, and the reason says how to get one", async () => {
  const { verdicts } = await followFlows("http://127.0.0.1:9", [["see Milk"]], { findBrowser: async () => undefined });
  expect(verdicts).toMatchObject([{ verdict: "not_checked", reason: expect.stringMatching(/apt install chromium/) }]);
});
