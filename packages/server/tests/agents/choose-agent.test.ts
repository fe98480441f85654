import { expect, test } from "vitest";
import { chooseAgent, effectiveCapabilities } from "../../src/agents/index.ts";

const builder = {
  id: "agent_1",
  name: "builder",
  capabilities: ["api"],
  offersEveryRole: true,
  freeSlots: 0,
  slots: 4,
};
const coder = {
  id: "agent_2",
  name: "coder",
  capabilities: ["api", "typescript"],
  offersEveryRole: false,
  freeSlots: 4,
  slots: 4,
};
const thinker = {
  id: "agent_3",
  name: "thinker",
  capabilities: ["planner"],
  offersEveryRole: false,
  freeSlots: 1,
  slots: 4,
};
const wanted = (role: string, capabilities: string[] = []) => ({
  ...{ role, capabilities, preferred: [], besides: [], mayBeBusy: false },
});

test.each(["planner", "reviewer", "deployer", "designer"])(
  "a %s is waited for rather than replaced by a free agent that does not offer the role",
  (role) => {
    expect(chooseAgent([builder, coder], wanted(role))).toEqual({ is: "busy" });
    expect(chooseAgent([coder], wanted(role))).toEqual({ is: "unknown" });
    expect(chooseAgent([{ ...builder, freeSlots: 1 }, coder], wanted(role))).toMatchObject({ agentId: builder.id });
  },
);

test("an agent offers the roles that it lists", () => {
  expect(chooseAgent([builder, coder, thinker], wanted("planner"))).toEqual({ is: "found", agentId: thinker.id });
});

test("where the document says what a role takes, that decides", () => {
  expect(chooseAgent([builder, coder], wanted("reviewer", ["typescript"]))).toMatchObject({ agentId: coder.id });
  expect(chooseAgent([builder, coder, thinker], wanted("reviewer", ["cobol"]))).toEqual({ is: "unknown" });
});

test("rules come first: who builds by rule implements, even if busy, unless another matches more", () => {
  const implementer = wanted("implementer", ["api"]);
  expect(chooseAgent([coder, builder], implementer)).toEqual({ is: "found", agentId: builder.id });
  expect(chooseAgent([coder, builder], { ...implementer, preferred: ["typescript"] })).toMatchObject({
    agentId: coder.id,
  });
  expect(chooseAgent([coder, builder], { ...implementer, preferred: ["coder"] })).toMatchObject({ agentId: coder.id });
  expect(chooseAgent([coder, { ...builder, slots: 0 }], implementer)).toMatchObject({ agentId: coder.id });
  expect(chooseAgent([coder, builder], { ...implementer, besides: [builder.id] })).toMatchObject({ agentId: coder.id });
  expect(chooseAgent([builder], implementer), "nobody else is there").toEqual({ is: "busy" });
});

test("where judgement is wanted, a busy agent that built nothing is chosen before free ones that did or cannot judge", () => {
  const judge = { ...thinker, id: "agent_4", capabilities: ["reviewer"], freeSlots: -1 };
  const author = { ...judge, id: "agent_5", freeSlots: 3 };
  const free = { ...builder, freeSlots: 4 };
  const judging = { ...wanted("reviewer"), builders: ["agent_5"] };
  expect(chooseAgent([free, author, judge], judging)).toEqual({ is: "found", agentId: "agent_4", isJudge: true });
  expect(chooseAgent([free, author, { ...judge, slots: 0 }], judging)).toEqual({ is: "found", agentId: "agent_1" });
  expect(chooseAgent([author], judging)).toEqual({ is: "found", agentId: "agent_5" });
});

test("whoever does not build by rule can finish what was built so, and whoever does never can", () => {
  expect(effectiveCapabilities("command", ["api"])).toEqual(["api", "finisher"]);
  expect(effectiveCapabilities("llm", ["finisher", "api"])).toEqual(["api", "finisher"]);
  expect(effectiveCapabilities("blueprint", ["api", "finisher"])).toEqual(["api"]);
});
