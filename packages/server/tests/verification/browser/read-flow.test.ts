import { expect, test } from "vitest";
import { readFlow } from "../../../src/verification/browser/read-flow.ts";

/** The steps that a flow is read as, after what it is opened with. */
function stepsOf(...written: readonly unknown[]) {
  const read = readFlow(["open /", ...written, "see Anything"]);
  return "problem" in read ? read.problem : read.slice(1, -1).map(({ step }) => step);
}

test.for([
  ["Then the user visits the page /items?page=2", { is: "open", path: "/items?page=2" }],
  ["go to http://localhost:3000/items", { is: "open", path: "/items" }],
  ["The user clicks on the Add button", { is: "click", name: "Add", role: "button" }],
  ['click "Save and close"', { is: "click", name: "Save and close" }],
  ["press Delete", { is: "press", key: "Delete" }],
  ['press "Delete"', { is: "click", name: "Delete" }],
  ["press the Delete button", { is: "click", name: "Delete", role: "button" }],
  ["press Save", { is: "click", name: "Save" }],
  ["press ctrl+s", { is: "press", key: "Control+s" }],
  ["press F2", { is: "press", key: "F2" }],
  ["press +", { is: "press", key: "+" }],
  ["press the Delete key", { is: "press", key: "Delete" }],
  ["press Enter", { is: "press", key: "Enter" }],
  ["press Space", { is: "press", key: "Space" }],
  ["press p", { is: "press", key: "p" }],
  ["press the p key", { is: "press", key: "p" }],
  ["fill in the Title field with Milk", { is: "fill", field: "Title", text: "Milk" }],
  ['enters "Milk and honey" into Title', { is: "fill", field: "Title", text: "Milk and honey" }],
  ["select Blue from Color", { is: "select", option: "Blue", field: "Color" }],
  ["choose Blue", { is: "select", option: "Blue" }],
  ["check Urgent", { is: "check", name: "Urgent" }],
  ["unchecks the Urgent checkbox", { is: "uncheck", name: "Urgent" }],
  ["should see Milk", { is: "see", text: { text: "Milk", isExact: false } }],
  ["the page shows 3 items", { is: "see", text: { text: "3 items", isExact: false } }],
  ['sees the text "Milk"', { is: "see", text: { text: "Milk", isExact: true } }],
  ['sees the heading "Items"', { is: "see", text: { text: "Items", isExact: false }, role: "heading" }],
  ['"Milk" is visible', { is: "see", text: { text: "Milk", isExact: true } }],
  ["wait for Saved", { is: "see", text: { text: "Saved", isExact: false } }],
  ["doesn't see Milk", { is: "not_see", text: { text: "Milk", isExact: false } }],
  ["I should not see 'Milk'", { is: "not_see", text: { text: "Milk", isExact: true } }],
  ["Title has value Milk", { is: "has_value", field: "Title", text: "Milk" }],
  ["is redirected to /login", { is: "url", path: "/login", isWhole: true }],
  ["url contains page=2", { is: "url", path: "page=2", isWhole: false }],
  ["title is Todo", { is: "title", text: { text: "Todo", isExact: false } }],
  ["reload the page", { is: "reload" }],
  ["go back", { is: "back" }],
  ["accept the dialog", { is: "accept_dialogs" }],
] as const)("%s", ([written, step]) => {
  expect(stepsOf(written)).toEqual([step]);
});

test("a step may be a map, and a map of fields is several steps", () => {
  expect(
    stepsOf({ fill: { Title: "Milk", Amount: 2 } }, { click: "Add" }, { select: { Color: "Blue" } }, { reload: null }),
  ).toEqual([
    { is: "fill", field: "Title", text: "Milk" },
    { is: "fill", field: "Amount", text: "2" },
    { is: "click", name: "Add" },
    { is: "select", option: "Blue", field: "Color" },
    { is: "reload" },
  ]);
  expect(stepsOf({ action: "fill", target: "Title", value: "Milk" })).toEqual([
    { is: "fill", field: "Title", text: "Milk" },
  ]);
});

test("a flow is a list of steps, a text with arrows, or a map with a name, a start and an end", () => {
  const steps = (flow: unknown) => {
    const read = readFlow(flow);
    return "problem" in read ? read.problem : read.map(({ step }) => step.is);
  };
  expect(steps("open /new → fill Title with Milk; click Add, then see Milk")).toEqual(["open", "fill", "click", "see"]);
  expect(steps(["click Add", "see Milk"])).toEqual(["open", "click", "see"]);
  expect(steps({ name: "Add", start: "/new", steps: ["click Add"], expected: ["see Milk", "url is /"] })).toEqual([
    "open",
    "click",
    "see",
    "url",
  ]);
});

test.for([
  "user logs in",
  "goes to checkout",
  "open https://elsewhere.example/",
  "see a confirmation message",
  "sees that it was saved",
  "check that it works",
  "type Milk in Title and click Add",
  "fill Title with Milk and Amount with 2",
  "fill in the form",
  "wait 2 seconds",
  "x".repeat(10_000),
  { click: { Add: 1 } },
  { open: "/", click: "Add" },
  { frobnicate: "Add" },
  { see: [] },
  { see: "" },
  7,
  null,
])("%j is not understood, and the problem names it", (written) => {
  const problem = stepsOf(written);
  expect(problem).toMatch(/^Step 2, .*is not understood\. These forms are: open PATH, click NAME/);
  expect((problem as string).length).toBeLessThan(600);
});

test("a step with a colon is what was written, although YAML reads a map", () => {
  expect(stepsOf({ 'see "Streak': '44"' })).toEqual([{ is: "see", text: { text: "Streak: 44", isExact: true } }]);
  expect(stepsOf({ "see Total": 5 })).toEqual([{ is: "see", text: { text: "Total: 5", isExact: false } }]);
});

test("it is shown as it was written, too", () => {
  expect(readFlow([{ "see Total": 5 }])).toMatchObject([{}, { written: "'see Total: 5'" }]);
});

test("a flow without steps, with unknown keys, or too many steps is not checked", () => {
  for (const flow of [{ name: "empty" }, [], "", 3, null])
    expect(readFlow(flow)).toMatchObject({ problem: expect.stringMatching(/^The flow has no steps/) });
  expect(readFlow({ steps: ["see Milk"], device: "phone" })).toMatchObject({
    problem: expect.stringMatching(/'device'/),
  });
  expect(readFlow(Array(101).fill("see Milk"))).toMatchObject({ problem: expect.stringMatching(/101 steps/) });
});

test("a flow in which nothing is looked for cannot fail, and is not checked", () => {
  expect(readFlow(["open /", "click Add"])).toMatchObject({
    problem: expect.stringMatching(/^Nothing in it can fail/),
  });
});
