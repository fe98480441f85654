/** How many tiles far the player sees; nothing if there is no darkness in this game. */
export function lightRadius({ light }, { tick, collected }) {
  if (light === null) return undefined;
  const count = Object.values(collected).reduce((sum, number) => sum + number, 0);
  const left = light.startsTiles - Math.floor(tick / light.shrinksEveryTicks);
  return Math.max(light.minTiles, left) + light.growsPerCollectible * count;
}

/** The points so far; whoever has won gets more for lives and time that are left. */
export function scoreOf({ scoring, goal }, { status, points, player, tick }) {
  if (status !== "won") return points;
  const ticksLeft = goal.maxTicks === null ? 0 : goal.maxTicks - tick;
  return points + scoring.perLifeLeft * player.lives + scoring.perTickLeft * ticksLeft;
}
