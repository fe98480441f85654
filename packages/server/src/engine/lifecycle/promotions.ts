import type { Draft } from "./draft.ts";
import type { RunEvent } from "./events.ts";
import { noJob, type Promotion, type PromotionTarget, type RunError, type RunState } from "./state.ts";

/** What goes to a further environment and is not there yet. */
const inFlight: readonly Promotion["is"][] = ["queued", "asking", "running"];

/** The promotion to an environment, as long as it is in flight. */
export function findPromotionInFlight({ promotions }: RunState, environment: string): Promotion | undefined {
  const known = promotions?.of ?? {};
  const found = Object.hasOwn(known, environment) ? known[environment] : undefined;
  return found !== undefined && inFlight.includes(found.is) ? found : undefined;
}

/** Takes the result to a further environment; where it is on its way there already, nothing happens. */
export function promote(draft: Draft, target: PromotionTarget): void {
  if (findPromotionInFlight(draft.state, target.environment) === undefined) add(draft, target, { isAutomatic: false });
}

/** The environments that want every result by themselves come one after the other, once the first one has it. */
export function queueFollowing(draft: Draft): void {
  for (const target of draft.run.rules.following ?? []) add(draft, target, { isAutomatic: true });
}

/** Starts what may start: what a person asked for at once, the others each after the one before. */
export function advancePromotions(draft: Draft): void {
  if (draft.state.status !== "deployed" || draft.state.promotions === undefined) return;
  for (const [environment, promotion] of inOrder(draft)) {
    if (promotion.is === "queued") {
      begin(draft, environment, promotion);
      // Not further: the others wait for this one.
      if (promotion.isAutomatic) return;
    } else if (promotion.isAutomatic && inFlight.includes(promotion.is)) return;
  }
}

export function promotionDecided(draft: Draft, event: Told<"promotion_decided">): void {
  const found = find(draft, event.number);
  if (found?.[1].is !== "asking") return;
  const [environment, promotion] = found;
  if (event.isApproved) start(draft, environment, promotion);
  else fail(draft, environment, { code: "approval_denied", message: event.reason });
}

export function promotionEnded(draft: Draft, event: Told<"promoted" | "promotion_failed">): void {
  const found = find(draft, event.number);
  if (found?.[1].is !== "running" || found[1].job !== event.job) return;
  const [environment, promotion] = found;
  if (event.type === "promotion_failed") {
    fail(draft, environment, event.error);
    return;
  }
  const { deploymentId, version, url, usage } = event;
  save(draft, environment, { ...promotion, is: "live", job: noJob, url });
  draft.emit("deployment.completed", {
    ...{ deployment_id: deploymentId, environment, version, url },
    ...(usage !== "" && { usage }),
  });
}

/** Ends what is under way: the run begins again, and its result will be another. */
export function dropPromotions(draft: Draft): void {
  const { promotions } = draft.state;
  if (promotions === undefined) return;
  const all = Object.entries(promotions.of);
  if (all.some(([, { is }]) => is === "asking")) draft.effects.push({ type: "withdraw_approvals" });
  // Their numbers are not used again: a late answer must not match a new question.
  draft.state.promotions = { last: promotions.last, of: {} };
}

type Told<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function add(draft: Draft, target: PromotionTarget, { isAutomatic }: { isAutomatic: boolean }): void {
  const number = (draft.state.promotions?.last ?? 0) + 1;
  const { environment, ...about } = target;
  save(draft, environment, { ...about, isAutomatic, is: "queued", number, job: noJob, url: "", error: null });
}

function begin(draft: Draft, environment: string, promotion: Promotion): void {
  const { state } = draft;
  const isOpen = promotion.asksIfUnverified && (state.checks?.not_checked ?? 0) > promotion.linesOfDeployment;
  if (!promotion.needsApproval && !isOpen) {
    start(draft, environment, promotion);
    return;
  }
  save(draft, environment, { ...promotion, is: "asking" });
  const { number, approvers } = promotion;
  draft.effects.push({ type: "ask_promotion", number, environment, approvers });
}

function start(draft: Draft, environment: string, promotion: Promotion): void {
  const job = draft.nextJob();
  save(draft, environment, { ...promotion, is: "running", job });
  const { host } = draft.state.deployment ?? {};
  draft.effects.push({ type: "start_promotion", environment, number: promotion.number, job, ...(host && { host }) });
}

/** What comes after a failed one is not tried: nobody has seen the result work where it should have come first. */
function fail(draft: Draft, environment: string, error: RunError): void {
  const version = draft.state.deployment?.version ?? "";
  const ended = draft.state.promotions!.of[environment]!;
  save(draft, environment, { ...ended, is: "failed", job: noJob, error });
  draft.emit("deployment.failed", { environment, version, error });
  if (!ended.isAutomatic) return;
  const skipped = { code: "skipped", message: `It did not go live in '${environment}', which comes first.` };
  for (const [name, other] of inOrder(draft)) {
    if (!other.isAutomatic || other.is !== "queued") continue;
    save(draft, name, { ...other, is: "failed", error: skipped });
    draft.emit("deployment.failed", { environment: name, version, error: skipped });
  }
}

function find(draft: Draft, number: number): [environment: string, promotion: Promotion] | undefined {
  return Object.entries(draft.state.promotions?.of ?? {}).find(([, promotion]) => promotion.number === number);
}

function inOrder({ state }: Draft): [environment: string, promotion: Promotion][] {
  return Object.entries(state.promotions?.of ?? {}).toSorted(([, a], [, b]) => a.number - b.number);
}

function save(draft: Draft, environment: string, promotion: Promotion): void {
  const { last = 0, of = {} } = draft.state.promotions ?? {};
  // Without a prototype: an environment may well be called `__proto__`.
  const all = Object.assign(Object.create(null) as Record<string, Promotion>, of);
  all[environment] = promotion;
  draft.state.promotions = { last: Math.max(last, promotion.number), of: all };
}
