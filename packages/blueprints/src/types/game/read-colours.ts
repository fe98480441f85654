import { pointerPart } from "../../kit/pointer.ts";
import type { Genre, Named, Refuse, Stage } from "./model.ts";

/** A colour for everything that is drawn. */
export function readColours(
  genre: Genre,
  palette: Readonly<Record<string, string>> = {},
  player: string | undefined,
  stages: readonly Stage[],
  refuse: Refuse,
): Readonly<Record<string, string>> {
  const colours = new Map([
    ["ground", "#14243a"],
    ["wall", "#5d6b7c"],
    ...({
      "collect-and-avoid": [[player ?? "player", "#e0a35f"]],
      snake: [["snake", "#7fd18b"]],
      breakout: [
        ["paddle", "#e8eef5"],
        ["ball", "#ffe27a"],
      ],
    }[genre] as [string, string][]),
  ]);
  const add = (things: readonly Named[] | undefined, colour: string) => {
    for (const { name } of things ?? []) if (!colours.has(name)) colours.set(name, colour);
  };
  for (const { obstacles, collectibles, hazards, bricks, powerUps } of stages) {
    add(obstacles, "#4a6b52");
    add(collectibles, "#ffe27a");
    add(hazards, "#d98c8c");
    add(bricks, "#d98c5f");
    add(powerUps, "#8cc7ff");
  }
  for (const [name, colour] of Object.entries(palette)) {
    const drawn = name === "player" && player !== undefined ? player : name;
    if (colours.has(drawn)) colours.set(drawn, colour.toLowerCase());
    else refuse(`palette/${pointerPart(name)}`, `Nothing in the game is called '${name}'.`);
  }
  return Object.fromEntries(colours);
}
