const swipePx = 24;
const padButtons = { 12: "up", 13: "down", 14: "left", 15: "right" };

/**
 * Keyboard, touch and gamepad as one: `take()` is the direction wanted now, and `onButton` hears of start and pause.
 * A key that was down for less than a step still counts once.
 */
export function createControls({ rules, target, surface, buttons = [], gamepads = () => [], onButton }) {
  const held = [];
  let queued = null;
  let swiped = null;
  let touch;
  let wasPadPressed = false;

  const keyActions = new Map();
  for (const [action, keys] of Object.entries(rules.controls.keyboard)) {
    for (const key of keys) keyActions.set(key.toLowerCase(), action);
  }
  const release = (action) => {
    const index = held.indexOf(action);
    if (index !== -1) held.splice(index, 1);
  };

  target.addEventListener("keydown", (event) => {
    const action = keyActions.get(event.key.toLowerCase());
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // Keys of the game do not scroll the page, but Enter still works on a focused button.
    if (action !== "start") event.preventDefault();
    if (event.repeat) return;
    if (action === "pause" || action === "start") return onButton(action);
    swiped = null;
    queued = action;
    held.unshift(action);
  });
  target.addEventListener("keyup", (event) => release(keyActions.get(event.key.toLowerCase())));
  target.addEventListener("blur", () => held.splice(0));

  if (rules.controls.touch === "swipe") {
    surface.addEventListener("pointerdown", (event) => {
      touch = { x: event.clientX, y: event.clientY };
    });
    surface.addEventListener("pointermove", (event) => {
      if (touch === undefined) return;
      const direction = swipeDirection(event.clientX - touch.x, event.clientY - touch.y);
      if (direction === null) return;
      queued = direction;
      swiped = direction;
      touch = { x: event.clientX, y: event.clientY };
    });
    surface.addEventListener("pointerup", () => {
      touch = undefined;
      swiped = null;
    });
  }

  for (const button of buttons) {
    const action = button.dataset.move;
    button.addEventListener("pointerdown", () => {
      queued = action;
      held.unshift(action);
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) button.addEventListener(end, () => release(action));
    // A click that no pointer made comes from a keyboard or an assistive device.
    button.addEventListener("click", (event) => {
      if (event.detail === 0) queued = action;
    });
  }

  return {
    take() {
      const pad = readPad(gamepads());
      if (pad.isPressed && !wasPadPressed) onButton(pad.button);
      wasPadPressed = pad.isPressed;
      const wanted = queued ?? held[0] ?? swiped ?? pad.direction;
      queued = null;
      return wanted;
    },
  };
}

/** The direction of a swipe; nothing for one too short to mean anything. */
export function swipeDirection(x, y) {
  if (Math.max(Math.abs(x), Math.abs(y)) < swipePx) return null;
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? "right" : "left";
  return y > 0 ? "down" : "up";
}

/** What the first connected gamepad says: its cross or left stick, start and the first button. */
export function readPad(pads) {
  const pad = [...pads].find((one) => one !== null && one !== undefined);
  if (pad === undefined) return { direction: null, isPressed: false, button: "start" };
  const cross = Object.entries(padButtons).find(([index]) => pad.buttons[index]?.pressed)?.[1];
  const [x = 0, y = 0] = pad.axes;
  const isPause = pad.buttons[9]?.pressed === true;
  return {
    direction: cross ?? swipeDirection(x * swipePx * 2, y * swipePx * 2),
    isPressed: isPause || pad.buttons[0]?.pressed === true,
    button: isPause ? "pause" : "start",
  };
}
