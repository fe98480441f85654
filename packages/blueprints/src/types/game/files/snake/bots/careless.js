import { directions, neighbour, opposite } from "../engine/board.js";
import { rulesOf } from "../engine/game.js";
import { isDeadly } from "../engine/step-level.js";
import { carefulPlayer } from "./careful.js";

const longEnough = 6;
const rightOf = { up: "right", right: "down", down: "left", left: "up" };

/** A player who loses on purpose: takes the first way that kills; where nothing does, eats, and then bites itself. */
export function carelessPlayer() {
  const hungry = carefulPlayer();
  return (rules, state) => {
    const level = rulesOf(rules, state.level);
    const deadly = Object.keys(directions).find(
      (direction) => direction !== opposite[state.facing] && isDeadly(level, state, neighbour(level.board, state.body[0], direction)),
    );
    if (deadly !== undefined) return deadly;
    // Straight on ends at an edge.
    if (level.board.edges === "solid") return null;
    return state.body.length < longEnough ? hungry(rules, state) : rightOf[state.facing];
  };
}
