import { anything, boolean, either, integer, list, map, object, oneOf, string, withDefault } from "../schema/shape.ts";
import { pathFromRoot, words } from "./fields.ts";

const fieldNames = (description: string, examples: readonly (readonly string[])[]) =>
  list(description, string("Name of a field.", { examples: ["name"] }), { examples });

/** Who may open a page or see a link. */
const access = words(
  "Who may see it: `anyone`, `signed_in`, or roles of `auth`. Others are asked to log in, or refused.",
  "Who may see it.",
  ["admin", "staff"],
);

const action = object(
  "A button: it leads to a path, or does something.",
  {
    label: string("What the button says.", { examples: ["Lend a tool"] }),
    to: string("The path that it leads to; `?tool_id={id}` fills in a field of a form there.", {
      pattern: "^/[^\\s#]*$",
      patternErrorMessage: "a path that starts with '/' and has no spaces or '#'",
      examples: ["/tools/new", "/loans/new?tool_id={id}"],
    }),
    does: string("What it does instead: `delete`, `add_to_basket`, or the name of an action of the resource.", {
      minLength: 1,
      examples: ["delete", "cancel"],
    }),
    confirm: boolean("Asks before it does so; a deletion always asks.", { examples: [true] }),
    access,
  },
  ["label"],
);

/** The pages of a site. */
export const pages = list(
  "The pages. Without any, each resource of `data_model` gets a list, a page for each record, and forms.",
  object(
    "A page.",
    {
      path: pathFromRoot("Where it is. `{id}` stands for the id of a record.", "/tools/{id}"),
      kind: oneOf(
        "What kind of page it is. Without: `text` without `of`, `detail` with an id in the path, otherwise `list`.",
        {
          list: "The records of a resource, with search, filters, sorting and pages.",
          detail: "One record, and what can be done with it.",
          form: "A form for a new record, or for an existing one where the path has its id.",
          text: "Texts and links.",
          login: "Where people log in; `/login` unless a page says otherwise.",
          sign_up: "Where people make an account; `/sign-up` unless a page says otherwise.",
          basket: "What is in the basket; `/basket` unless a page says otherwise.",
          checkout: "The form that makes an order of the basket; `/checkout` unless a page says otherwise.",
        },
        { examples: ["list"] },
      ),
      of: string("The resource of `data_model` that it is about.", { examples: ["tool"] }),
      layout: oneOf(
        "How it is laid out: lists as `table` or `cards`, records and forms as `stacked` or `columns`.",
        {
          table: "A row for each record; on a phone each row is a card.",
          cards: "A card for each record.",
          stacked: "One field under the other.",
          columns: "Fields beside each other where there is room.",
        },
        { examples: ["cards"] },
      ),
      title: string("Its heading, and its name in the navigation.", { examples: ["Lend a tool"] }),
      intro: string("The paragraph under the heading.", { examples: ["What the street has to lend."] }),
      text: either(
        "The text of the page: one paragraph, or several.",
        [
          string("One paragraph.", { examples: ["We are open from Monday to Friday."] }),
          list("Several paragraphs.", string("A paragraph.", { examples: ["We are open from Monday to Friday."] })),
        ],
        { examples: ["We are open from Monday to Friday."] },
      ),
      columns: fieldNames("The fields that a list shows; the first is the link to the record.", [["name", "status"]]),
      image: string("The field of the type `url` whose picture a list of cards or a record shows.", {
        examples: ["photo"],
      }),
      search: fieldNames("The fields in which a list is searched.", [["name", "notes"]]),
      filters: fieldNames("The fields by which a list can be filtered.", [["category", "status"]]),
      where: map(
        "Shows only records with these values, by field; `me` is the account of whoever is logged in. Who may see a record at all is said by its `access`.",
        anything("The value.", { examples: ["published"] }),
        { examples: [{ status: "published" }] },
      ),
      sort: string("The field by which a list is sorted at first; with `-` from high to low.", {
        pattern: "^-?[^-\\s].*$",
        patternErrorMessage: "the name of a field, with '-' before it for the other direction",
        examples: ["-created_at"],
      }),
      page_size: integer("How many records a list shows at once.", { minimum: 1, maximum: 500, examples: [20] }),
      empty: string("What a list says where there is nothing.", { examples: ["The shelf is bare."] }),
      fields: fieldNames("The fields of a form or of a record.", [["name", "category", "notes"]]),
      related: list(
        "The resources whose records refer to this one: a record lists them.",
        string("Name of a resource.", { examples: ["booking"] }),
        { examples: [["booking"]] },
      ),
      submit: string("What the button of a form says.", { examples: ["Save"] }),
      next: pathFromRoot("Where a form leads when it was sent; otherwise to the record, or to its list.", "/thanks"),
      actions: list("Buttons.", action),
      access,
      in_navigation: boolean("Whether the navigation names it; otherwise lists, forms and texts are named.", {
        examples: [false],
      }),
    },
    ["path"],
  ),
);

/** The links at the top of every page. */
export const navigation = list(
  "The links at the top of every page, in this order; otherwise those of the pages.",
  object(
    "A link.",
    {
      label: string("What it says.", { examples: ["Our rooms"] }),
      to: pathFromRoot("The path that it leads to.", "/rooms"),
      access,
    },
    ["label", "to"],
  ),
);

/** Pages that manage records, for the few who may. */
export const admin = object("Pages to manage records: for each resource a list, each record, and forms.", {
  path: withDefault(pathFromRoot("Where they are.", "/admin"), "/admin"),
  of: list("The resources that they manage; otherwise all.", string("Name of a resource.", { examples: ["product"] }), {
    examples: [["product", "order"]],
  }),
  access,
});
