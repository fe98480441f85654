/** How many tiles far the player sees; nothing if there is no darkness in this game. */
export function lightRadius({ light }, { tick, count }) {
  if (light === null) return undefined;
  const left = light.startsTiles - Math.floor(tick / light.shrinksEverySteps);
  return Math.max(light.minTiles, left) + light.growsPerCollectible * count;
}
