import { describe, expect, test } from "vitest";
import { whyNot } from "../../../src/engine/lifecycle/commands.ts";
import type { Effect, RunEvent } from "../../../src/engine/lifecycle/events.ts";
import type { Rules } from "../../../src/engine/lifecycle/plan.ts";
import { newRun, type PromotionTarget, type RunState } from "../../../src/engine/lifecycle/state.ts";
import { transition } from "../../../src/engine/lifecycle/transitions.ts";
import { planOf, runOf } from "../../support/lifecycle/plans.ts";

const plan = planOf({ implementation: {} }, { build: { phase: "implementation" } });
const to = (environment: string, more: Partial<PromotionTarget> = {}): PromotionTarget => ({
  ...{ environment, needsApproval: false, asksIfUnverified: false, linesOfDeployment: 0, approvers: [], ...more },
});
const live = { deploymentId: "dep_1", version: "v1", url: "http://127.0.0.1:5001", usage: "" };
const error = { code: "deployment_failed", message: "It does not start." };

/** A run that is about to be live, and what happens to it from then on. */
class Deployed {
  readonly effects: Effect[] = [];
  #run;
  state: RunState;

  constructor(rules: Partial<Rules> = {}) {
    this.#run = runOf(plan, rules);
    this.state = newRun;
    this.tell({ type: "begin" });
    for (const taskId of ["plan", "build", "validate", "deploy"]) {
      const deployment = taskId === "deploy" && { deployment: { version: "v1", url: "", host: "host_1" } };
      for (const [role, job] of Object.entries(this.state.vacant))
        this.tell({ type: "role_filled", role, job, agentId: "agent_1" });
      this.tell({ type: "task_succeeded", taskId, job: this.state.tasks[taskId]!.job, durationMs: 1, ...deployment });
    }
    expect(this.state.status).toBe("deployed");
  }

  tell(event: RunEvent): readonly Effect[] {
    const { state, effects, run } = transition(this.#run, this.state, event);
    this.state = state;
    this.#run = run;
    this.effects.push(...effects);
    return effects;
  }

  /** The promotion to an environment. */
  of(environment: string) {
    return this.state.promotions!.of[environment]!;
  }

  end(environment: string, how: "live" | "failed" = "live"): readonly Effect[] {
    const { number, job } = this.of(environment);
    return this.tell(
      how === "live" ? { type: "promoted", number, job, ...live } : { type: "promotion_failed", number, job, error },
    );
  }

  get started(): readonly string[] {
    return this.effects.flatMap((effect) => (effect.type === "start_promotion" ? [effect.environment] : []));
  }

  get told(): readonly (readonly [string, string])[] {
    return this.effects.flatMap((effect) =>
      effect.type === "emit" && effect.name.startsWith("deployment.")
        ? [[effect.name, (effect.data as { environment: string }).environment] as const]
        : [],
    );
  }
}

describe("environments that want every result", () => {
  test("get it one after the other, in their order, where its files are; the status stays", () => {
    // Integer-like names come first in objects, wherever they were put.
    const run = new Deployed({ following: [to("staging"), to("1"), to("__proto__")] });
    expect(run.started).toEqual(["staging"]);
    expect(run.effects.find(({ type }) => type === "start_promotion")).toMatchObject({ host: "host_1" });
    run.end("staging");
    expect(run.started).toEqual(["staging", "1"]);
    run.end("1");
    run.end("__proto__");
    expect(run.told.map(([, environment]) => environment)).toEqual(["staging", "1", "__proto__"]);
    expect([run.state.status, run.state.progress]).toEqual(["deployed", 1]);
  });

  test("do not get it after one before them failed, and say so", () => {
    const run = new Deployed({ following: [to("staging"), to("production")] });
    run.end("staging", "failed");
    expect(run.started).toEqual(["staging"]);
    expect(run.told).toEqual([
      ["deployment.failed", "staging"],
      ["deployment.failed", "production"],
    ]);
    expect(run.of("production").error).toMatchObject({ code: "skipped" });
    run.tell({ type: "promote", target: to("production") });
    expect(run.started).toEqual(["staging", "production"]);
  });
});

describe("a promotion", () => {
  test("is begun once, and its result counts once", () => {
    const run = new Deployed();
    run.tell({ type: "promote", target: to("production") });
    expect(run.tell({ type: "promote", target: to("production") })).toEqual([]);
    const { number, job } = run.of("production");
    expect(run.tell({ type: "promoted", number, job: job + 1, ...live })).toEqual([]);
    run.end("production");
    expect(run.tell({ type: "promoted", number, job, ...live })).toEqual([]);
    expect(run.tell({ type: "promotion_failed", number, job, error })).toEqual([]);
    expect(run.told).toEqual([["deployment.completed", "production"]]);
    run.tell({ type: "promote", target: to("production") });
    expect(run.of("production").number).toBe(number + 1);
  });

  test("waits for a person where the environment says so, or where lines are open", () => {
    const run = new Deployed();
    const asked = run.tell({ type: "promote", target: to("production", { needsApproval: true, approvers: ["ada"] }) });
    expect(asked).toEqual([{ type: "ask_promotion", number: 1, environment: "production", approvers: ["ada"] }]);
    expect(run.tell({ type: "promotion_decided", number: 2, isApproved: true, reason: "" })).toEqual([]);
    run.tell({ type: "promotion_decided", number: 1, isApproved: true, reason: "" });
    expect(run.started).toEqual(["production"]);
    const checks = { passed: 1, failed: 0, not_checked: 2, waived: 0 };
    run.state = { ...run.state, checks };
    const open = (linesOfDeployment: number) => to("staging", { asksIfUnverified: true, linesOfDeployment });
    run.tell({ type: "promote", target: open(1) });
    expect(run.of("staging").is).toBe("asking");
    run.tell({ type: "promotion_decided", number: 2, isApproved: false, reason: "No." });
    expect(run.of("staging")).toMatchObject({ is: "failed", error: { code: "approval_denied", message: "No." } });
    run.tell({ type: "promote", target: open(2) });
    expect(run.of("staging").is).toBe("running");
  });

  test("ends with a restart, whose result is another; a late answer finds nothing", () => {
    const run = new Deployed({ following: [to("staging", { needsApproval: true })] });
    run.tell({ type: "promote", target: to("production") });
    const { number, job } = run.of("production");
    const effects = run.tell({ type: "restart", fromPhase: "validation" });
    expect(effects.map(({ type }) => type)).toEqual(expect.arrayContaining(["drop_jobs", "withdraw_approvals"]));
    expect(run.tell({ type: "promoted", number, job, ...live })).toEqual([]);
    expect(run.tell({ type: "promotion_decided", number: 1, isApproved: true, reason: "" })).toEqual([]);
    expect(whyNot(runOf(plan).plan, run.state, { type: "promote", target: to("production") })).toContain(
      "in validation",
    );
    expect(run.state.promotions).toEqual({ last: 2, of: {} });
  });
});
