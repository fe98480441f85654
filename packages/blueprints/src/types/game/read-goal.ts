import type { Refuse, Stage, Win } from "./model.ts";
import type { GivenStage, StageContext } from "./read-stage.ts";

type GivenGoal = NonNullable<GivenStage["goal"]>;
type GivenWin = Exclude<NonNullable<GivenGoal["win_when"]>, readonly unknown[]>;
type GivenLoss = Exclude<NonNullable<GivenGoal["lose_when"]>, readonly unknown[]>;

interface Place {
  /** Where the stage stands in `gameplay`. */
  readonly at: string;
  /** The game's goal: what holds where the stage says nothing itself. */
  readonly inherited: GivenGoal | undefined;
}

/** Reads how a level is won and lost, and refuses goals that nothing in it can reach. */
export function readGoal(
  { genre, refuse: report, hasLevels }: StageContext,
  stage: Omit<Stage, "goal">,
  goal: GivenGoal | undefined,
  { at, inherited }: Place,
): Stage["goal"] {
  // What only levels are played by is judged in each of them.
  const refuse: Refuse = at === "" && hasLevels ? () => {} : report;
  const winWhen = goal?.win_when ?? inherited?.win_when;
  const path = goal?.win_when === undefined && winWhen !== undefined ? "goal" : `${at}goal`;
  const things = countsOf(stage);
  const wins = listOf<GivenWin>(winWhen).flatMap((win): Win[] => {
    const found: Win[] = [];
    const { count } = win;
    if (win.collected !== undefined) {
      const thing = things.find(({ name }) => name === win.collected);
      if (thing === undefined) refuse(`${path}/win_when`, `Nothing is called '${win.collected}' in this level.`);
      // A snake always finds more; of other things there are only so many.
      else if (genre !== "snake" && (count ?? 0) > thing.count)
        refuse(`${path}/win_when`, `There are only ${thing.count} of '${win.collected}'.`);
      else if (genre === "snake" && count === undefined)
        refuse(`${path}/win_when`, "Say by 'count' how many: a snake finds no end of them. Ten are taken.");
      if (thing !== undefined) {
        const all = genre === "snake" ? 10 : thing.count;
        found.push({
          collected: thing.name,
          count: genre === "snake" ? (count ?? all) : Math.min(count ?? all, all),
        });
      }
    } else if (count !== undefined) refuse(`${path}/win_when`, "Say by 'collected' what is counted.");
    if (win.score !== undefined) found.push({ score: win.score });
    if (win.steps !== undefined) found.push({ steps: win.steps });
    if (win.length !== undefined) {
      if (genre === "snake") found.push({ length: win.length });
      else refuse(`${path}/win_when`, "Only a snake has a length.");
    }
    return found;
  });
  const losses = listOf<GivenLoss>(goal?.lose_when ?? inherited?.lose_when);
  // The last life always loses: reading it is all there is to do.
  for (const loss of losses) void loss.lives;
  const limits = losses.flatMap(({ steps }) => (steps === undefined ? [] : [steps]));
  const all = genre === "snake" ? [] : things.filter(({ count }) => count > 0);
  return {
    wins: wins.length > 0 ? wins : all.map(({ name, count }) => ({ collected: name, count })),
    maxSteps: limits.length > 0 ? Math.min(...limits) : null,
  };
}

function countsOf({ collectibles, bricks = [], placedBricks = [] }: Omit<Stage, "goal">) {
  if (collectibles !== undefined) return collectibles.map(({ name, count }) => ({ name, count }));
  return bricks.map(({ name }, kind) => ({ name, count: placedBricks.filter((one) => one.kind === kind).length }));
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}
