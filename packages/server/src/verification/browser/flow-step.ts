/** Something that is done in a page, or looked for in it. */
export type FlowStep =
  | { readonly is: "open"; readonly path: string }
  | { readonly is: "reload" | "back" | "accept_dialogs" }
  | { readonly is: "click" | "check" | "uncheck"; readonly name: string; readonly role?: string }
  | { readonly is: "press"; readonly key: string }
  | { readonly is: "fill" | "has_value"; readonly field: string; readonly text: string }
  | { readonly is: "select"; readonly option: string; readonly field?: string }
  | { readonly is: "see" | "not_see"; readonly text: SoughtText; readonly role?: string }
  | { readonly is: "url"; readonly path: string; readonly isWhole: boolean }
  | { readonly is: "title"; readonly text: SoughtText };

/** A text that must be in the page, or must not: in these letters exactly where it was quoted. */
export interface SoughtText {
  readonly text: string;
  readonly isExact: boolean;
}

/** A step, and how it was written. */
export interface WrittenStep {
  readonly written: string;
  readonly step: FlowStep;
}

/** Whether a step can show that the software does not do what it should, beside being impossible. */
export function isObservation({ is }: FlowStep): boolean {
  return is === "see" || is === "not_see" || is === "url" || is === "title" || is === "has_value";
}

/** The forms of a step that are understood, for messages. */
export const stepForms =
  "open PATH, click NAME, fill FIELD with TEXT, select OPTION from FIELD, check NAME, uncheck NAME, press KEY, " +
  "see TEXT, do not see TEXT, FIELD has value TEXT, url is PATH, title is TEXT, wait for TEXT, reload, go back, accept dialogs";

/** What people call things on a page, and the role by which a browser knows them. */
export const roles: Readonly<Record<string, string>> = {
  button: "button",
  link: "link",
  heading: "heading",
  title: "heading",
  tab: "tab",
  checkbox: "checkbox",
  radio: "radio",
  switch: "switch",
  image: "img",
  dialog: "dialog",
  alert: "alert",
  "menu item": "menuitem",
  row: "row",
  option: "option",
};

/** Keys of a keyboard by their names in small letters. */
export const keys: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...["Enter", "Escape", "Tab", "Space", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown"],
      ...["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
      ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
    ].map((key) => [key.toLowerCase(), key]),
  ),
  esc: "Escape",
  return: "Enter",
};

/** Keys that are held while another is pressed. */
export const heldKeys: Readonly<Record<string, string>> = {
  control: "Control",
  ctrl: "Control",
  shift: "Shift",
  alt: "Alt",
  meta: "Meta",
  cmd: "Meta",
};
