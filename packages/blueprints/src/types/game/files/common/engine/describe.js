import { goalTexts } from "./goal.js";
import { isActive } from "./power-ups.js";

const effectTexts = {
  slow: "everything is slow",
  double_points: "points count twice",
  shield: "nothing can hurt you",
  wide_paddle: "the paddle is wide",
};

/** What there is to know of a game in a few words, for those who do not see the board. */
export function describeProgress(rules, state) {
  const level = rules.levels.length > 1 ? [`Level ${state.level + 1} of ${rules.levels.length}`] : [];
  const lives = `${state.lives} ${state.lives === 1 ? "life" : "lives"}`;
  const effects = Object.keys(effectTexts).filter((effect) => isActive(state, effect));
  return [...level, lives, ...goalTexts(rules, state), ...effects.map((effect) => effectTexts[effect])].join(", ");
}

/** Where a tile lies as seen from another one, such as "3 right and 2 up". */
export function wayBetween(from, to) {
  const across = to.column - from.column;
  const down = to.row - from.row;
  const parts = [
    ...(across === 0 ? [] : [`${Math.abs(across)} ${across > 0 ? "right" : "left"}`]),
    ...(down === 0 ? [] : [`${Math.abs(down)} ${down > 0 ? "down" : "up"}`]),
  ];
  return parts.length === 0 ? "here" : parts.join(" and ");
}
