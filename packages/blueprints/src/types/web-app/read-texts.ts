import type { TypeKeys } from "@slipway/spec";

type Texts = NonNullable<TypeKeys<"web-app">["texts"]>;

/** The words of the interface in English, which a document may give in its own language. */
const englishTexts: Required<Texts> = {
  skip: "Skip to the content",
  navigation: "Main",
  search: "Search",
  show: "Show",
  all: "all",
  sort: "Sort by",
  descending: "{name}, descending",
  count: "{count} in all",
  pages: "Pages",
  previous: "Previous",
  next: "Next",
  empty: "There is nothing here yet.",
  none: "none",
  yes: "yes",
  no: "no",
  optional: "optional",
  choose: "Please choose",
  look_again: "Please look again:",
  save: "Save",
  add: "Add {name}",
  edit: "Edit",
  edit_title: "Edit {name}",
  delete: "Delete",
  sure: "Are you sure?",
  cannot_undo: "This cannot be taken back.",
  confirm: "Yes, do it",
  cancel: "No, keep it",
  back_to_list: "Back to the list",
  back_to_start: "Back to the start",
  not_found: "Not found",
  not_allowed: "You may not do this",
  failed: "That did not work",
  log_in: "Log in",
  log_out: "Log out",
  sign_up: "Sign up",
  log_in_first: "Please log in first.",
  wrong_login: "There is no such account, or the password is wrong.",
  manage: "Manage",
  basket: "Basket",
  basket_empty: "Your basket is empty.",
  add_to_basket: "Add to basket",
  quantity: "Quantity",
  price: "Price",
  sum: "Total",
  change: "Change",
  remove: "Remove",
  checkout: "Check out",
  order: "Order",
  ordered: "Thank you for your order",
  order_number: "Your order has the number {id}.",
  not_enough: "Only {count} left of {name}.",
  sold_out: "Sold out",
};

/** All words of the interface: those of the document, and the English ones where it has none. */
export function readTexts({ texts = {} }: TypeKeys<"web-app">): Required<Texts> {
  const keys = Object.keys(englishTexts) as (keyof Texts)[];
  return Object.fromEntries(keys.map((key) => [key, texts[key] ?? englishTexts[key]])) as Required<Texts>;
}
