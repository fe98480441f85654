import { expect, test } from "vitest";
import { readPlan } from "../../../src/platform/plugins/read-plan.ts";

const task = (id: string, more: object = {}) => ({ id, title: id.toUpperCase(), ...more });

test("the tasks of a plan are taken as far as they are known, and long texts are cut", () => {
  const { tasks } = readPlan({
    tasks: [
      task("a", { depends_on: ["b"], colour: "red" }),
      task("b", { estimated_hours: 2, description: "x".repeat(2_000) }),
    ],
  });
  expect(tasks).toEqual([
    { id: "a", title: "A", depends_on: ["b"] },
    { id: "b", title: "B", depends_on: [], estimated_hours: 2, description: "x".repeat(1_000) },
  ]);
});

test.for([
  ["no list", {}, "'tasks' is not a list of at most 200"],
  ["too many", Array.from({ length: 201 }, (_, index) => task(`t${index}`)), "'tasks' is not a list of at most 200"],
  ["no map", [7], "'tasks[0]' is not a map"],
  ["no title", [{ id: "a" }], "'tasks[0]' needs 'id' and 'title'"],
  ["a very long id", [task("a".repeat(201))], "'tasks[0]' needs 'id' and 'title'"],
  ["no text", [task("a", { description: 7 })], "'tasks[0].description' is not a text"],
  ["no names", [task("a", { depends_on: [7] })], "'tasks[0].depends_on' is not a list of texts"],
  [
    "no hours",
    [task("a", { estimated_hours: 0 })],
    "'tasks[0].estimated_hours' is not a number above 0 and at most 100000.",
  ],
  ["one id twice", [task("a"), task("a")], "two tasks have the id 'a'"],
  ["a built-in id", [task("deploy")], "a task has the id 'deploy', which is built in"],
  ["nobody to wait for", [task("a", { depends_on: ["b"] })], "the task 'a' depends on 'b', which does not exist"],
  [
    "a circle",
    [task("a", { depends_on: ["b"] }), task("b", { depends_on: ["a"] })],
    "tasks wait for each other in a circle: a → b → a",
  ],
] as const)("tasks that are no plan are refused: %s", ([, tasks, reason]) => {
  expect(() => readPlan({ tasks })).toThrow(`Its plan cannot be used: ${reason}`);
});
