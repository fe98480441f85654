import { describe, expect, test } from "vitest";
import { decide, submit, untilAsked, untilEnded } from "../../support/engine/follow.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

const engine = { agents: [scriptedAgent(() => undefined)], retryDelayMs: () => 0 };
const always = await createTestApp({ engine, approvalsAllowSelf: true });
const never = await createTestApp({ engine, approvalsAllowSelf: false });

const gated = documentOf({ guardrails: { deployment: { human_approval_required: true } } });
const approve = { decision: "approve" };

async function askedOwn(app: TestApp): Promise<{ id: string; approval: Awaited<ReturnType<typeof untilAsked>> }> {
  const id = await submit(app, gated);
  return { id, approval: await untilAsked(app, id) };
}

describe("whether who submitted a project may approve it is the operator's to say", () => {
  test("always, also with several users", async () => {
    await always.userToken("svc:user");
    const { id, approval } = await askedOwn(always);
    expect((await decide(always, approval, approve)).statusCode).toBe(200);
    expect((await untilEnded(always, id)).status).toBe("deployed");
  });

  test("never, not even who is alone", { tags: "long" }, async () => {
    const { approval } = await askedOwn(never);
    expect((await decide(never, approval, approve)).statusCode).toBe(403);
  });
});
