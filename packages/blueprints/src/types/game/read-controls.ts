import type { CompleteSpec } from "@slipway/spec";
import { titleOf } from "../../kit/title.ts";
import type { Controls, Rules } from "./model.ts";
import type { Gameplay } from "./read-stage.ts";

/** The keys by action, and how touch works. A gamepad always works. */
export function readControls({ keyboard = {}, touch = "swipe" }: NonNullable<Gameplay["controls"]> = {}): Controls {
  return {
    keyboard: {
      up: [...(keyboard.up ?? ["ArrowUp", "w"])],
      down: [...(keyboard.down ?? ["ArrowDown", "s"])],
      left: [...(keyboard.left ?? ["ArrowLeft", "a"])],
      right: [...(keyboard.right ?? ["ArrowRight", "d"])],
      pause: [...(keyboard.pause ?? ["p", "Escape"])],
      start: [...(keyboard.start ?? ["Enter", " "])],
    },
    touch,
  };
}

/** The texts before, between and after games. */
export function readScreens(screens: Gameplay["screens"] = {}, document: CompleteSpec): Rules["screens"] {
  const { title = {}, paused = {}, level = {}, won = {}, lost = {} } = screens;
  const screen = (given: { readonly text?: string; readonly hint?: string }, text: string, hint: string) => ({
    text: given.text ?? text,
    hint: given.hint ?? hint,
  });
  return {
    title: screen(title, titleOf(document), "Press Enter, or the button, to start."),
    paused: screen(paused, "Paused", "Press Enter to go on."),
    level: screen(level, "Level", "Press Enter to go on."),
    won: screen(won, "You have won.", "Press Enter to play again."),
    lost: screen(lost, "You have lost.", "Press Enter to try once more."),
  };
}
