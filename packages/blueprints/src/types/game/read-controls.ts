import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { type Fields, fieldsOf, textOf, textsOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";

const defaultKeys = {
  up: ["ArrowUp", "w"],
  down: ["ArrowDown", "s"],
  left: ["ArrowLeft", "a"],
  right: ["ArrowRight", "d"],
  pause: ["p", "Escape"],
  start: ["Enter", " "],
};

/** The keys by action, and how touch works. A gamepad always works. */
export function readControls(controls: Fields): { readonly controls: Fields; readonly unmet: readonly Unmet[] } {
  const keyboard = fieldsOf(controls["keyboard"]);
  const keys = Object.entries(defaultKeys).map(([action, defaults]) => {
    const given = textsOf(keyboard[action]);
    return [action, given.length > 0 ? given : defaults];
  });
  const touch = controls["touch"] ?? "swipe";
  const unmet = [
    ...unknownKeys(controls, ["keyboard", "touch", "gamepad"], "/gameplay/controls", "a game's controls"),
    ...unknownKeys(keyboard, Object.keys(defaultKeys), "/gameplay/controls/keyboard", "a game's keys"),
  ];
  if (touch !== "swipe" && touch !== "none" && touch !== false)
    unmet.push({ pointer: "/gameplay/controls/touch", reason: "Fingers play by swiping." });
  return {
    controls: { keyboard: Object.fromEntries(keys), touch: touch === "none" || touch === false ? "none" : "swipe" },
    unmet,
  };
}

/** The texts before, between and after games. */
export function readScreens(screens: Fields, document: CompleteSpec): Fields {
  const screen = (key: string, text: string, hint: string) => {
    const given = fieldsOf(screens[key]);
    return { text: textOf(given["text"], text), hint: textOf(given["hint"], hint) };
  };
  return {
    title: screen("title", titleOf(document), "Press Enter, or the button, to start."),
    paused: screen("paused", "Paused", "Press Enter to go on."),
    won: screen("won", "You have won.", "Press Enter to play again."),
    lost: screen("lost", "You have lost.", "Press Enter to try once more."),
  };
}
