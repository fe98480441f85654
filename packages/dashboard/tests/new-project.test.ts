import { describe, expect, test } from "vitest";
import { proposeAt } from "../src/new-project/check-document.ts";
import { keyPathAt, siblingKeys } from "../src/new-project/key-path.ts";

/** A text and the place that `|` marks in it. */
function marked(text: string): [string, number] {
  return [text.replace("|", ""), text.indexOf("|")];
}

const words = (text: string) => proposeAt(...marked(text)).map(({ word }) => word);

describe("the place of a caret", () => {
  test.each([
    ["acceptance:\n  http_endpoints:\n    - path: /\n      me|", "acceptance.http_endpoints", ["path"]],
    ["acceptance:\n  http_endpoints:\n    - pa|", "acceptance.http_endpoints", []],
    ["acceptance:\n  http_endpoints:\n  - pa|", "acceptance.http_endpoints", []],
    ["acceptance:\n  |\n  tests: x\nname: y", "acceptance", ["tests"]],
    ["name: x\n|", "", ["name"]],
    ["list:\n  - a: 1\n    b: 2\n  - c: 3\n    |", "list", ["c"]],
    ["list:\n  - a: 1\n    |\n  - c: 3", "list", ["a"]],
  ])("%j stands in %j beside %j", (text, parent, siblings) => {
    expect(keyPathAt(...marked(text)).parent).toBe(parent);
    expect([...siblingKeys(...marked(text))]).toEqual(siblings);
  });
});

describe("what is offered", () => {
  test("at the top: keys of every document and of its outcome type, without those that are there", () => {
    const offered = words("name: x\noutcome_type: api\n|");
    expect(offered).toContain("acceptance");
    expect(offered).toContain("data_model");
    expect(offered).not.toContain("name");
    expect(words("outcome_type: game\n|")).not.toContain("data_model");
  });

  test("below a key: the keys that it may have", () => {
    expect(words("guardrails:\n  un|")).toContain("unverified");
    expect(words("acceptance:\n  http_endpoints:\n    - path: /\n      |")).toContain("method");
  });

  test("after a key: the words that it may be", () => {
    expect(words("acceptance:\n  http_endpoints:\n    - method: |")).toContain("DELETE");
    expect(words("outcome_type: |")).toContain("desktop-app");
    expect(words("name: |")).toEqual([]);
  });
});
