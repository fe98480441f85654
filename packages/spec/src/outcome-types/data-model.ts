import { boolean, either, integer, list, map, object, oneOf, openObject, type Shape } from "../schema/shape.ts";
import { fieldType, onDelete, pathFromRoot, storedFieldKeys, word, words } from "./fields.ts";

const expression =
  "Expressions compare fields, numbers, 'texts', `today` and `now` with `==`, `!=`, `<`, `<=`, `>`, `>=` and `is empty`; calculate with `+`, `-`, `*`, `/`, `%`; join with `and`, `or`, `not`; `room.seats` is a field of what `room_id` leads to. What is empty makes what is calculated from it unknown, and breaks no rule. docs/reference/expressions.md has all of it.";

const condition = (description: string, example: string) => word(`${description} ${expression}`, example);

const rule = object("A rule that every record keeps to.", {
  check: condition("What must be true.", "ends_at > starts_at"),
  when: condition("The rule counts only for records for which this is true.", "status != 'cancelled'"),
  required: list("Fields that must be given.", word("A field.", "borrower"), { examples: [["borrower"]] }),
  unique: list("No two records have the same values in all these fields.", word("A field.", "day"), {
    examples: [["room_id", "day"]],
  }),
  no_overlap: list(
    "Two fields, the start and the end of a span: no two records' spans overlap. One may begin where another ends.",
    word("A field.", "starts_at"),
    { examples: [["starts_at", "ends_at"]] },
  ),
  max_records: integer("How many records there may be.", { minimum: 0, examples: [3] }),
  within: list(
    "`no_overlap` and `max_records` look at records with the same values in these fields.",
    word("A field.", "room_id"),
    { examples: [["room_id"]] },
  ),
  field: word("The field that `moves` is about.", "status"),
  moves: map(
    "From each value of `field`, the values that it may become.",
    list("The values that it may become.", word("A value.", "closed")),
    { examples: [{ open: ["closed"], closed: [] }] },
  ),
  message: word("What whoever breaks the rule is told.", "The room is taken at that time."),
  status: integer(
    "The status of the refusal: 422 unless said; 409 for `unique`, `no_overlap`, `max_records` and `moves`.",
    { minimum: 400, maximum: 499, examples: [409] },
  ),
});

const access = (description: string, example: readonly [string, ...string[]]) =>
  words(
    `${description} \`anyone\`, \`signed_in\`, \`owner\`, \`nobody\`, or a role of \`auth\`.`,
    "Who may do it.",
    example,
  );

const accessMap = object(
  "Who may do what with its records; `anyone` where nothing is said. The service's own token may do everything.",
  {
    read: access("Who lists and reads them; with `owner` everyone finds only their own.", ["signed_in"]),
    create: access("Who adds one.", ["signed_in"]),
    change: access("Who changes one.", ["owner", "admin"]),
    delete: access("Who deletes one.", ["admin"]),
  },
);

const action = object("Something done to a record: `POST` to its path and the action's name.", {
  sets: openObject(
    "The fields that it sets, each to a value, or to `now`, `today` or `me`. Whoever may not do it cannot choose these fields in another way; and who may cannot give one a value of `sets` where `when` is not true.",
    {
      examples: [{ status: "cancelled", cancelled_at: "now" }],
    },
  ),
  when: condition("Where this is not true of the record, the answer is 409.", "status == 'open'"),
  access: access("Who may do it; whoever may change the record unless said.", ["owner"]),
  description: word("What it does.", "Gives the room back."),
});

/** What any resource can say. */
export const resourceKeys = {
  description: word("What it is, for the pages that describe the result.", "A room that can be booked."),
  filters: list(
    "Fields that lists are filtered by; all but texts of several lines unless said.",
    word("A field.", "status"),
    {
      examples: [["status"]],
    },
  ),
  search: list("Fields that `?q=` looks into; all texts unless said.", word("A field.", "title"), {
    examples: [["title"]],
  }),
  seed: list(
    "Records that are there from the first start, with the ids 1, 2, 3, … unless they say theirs.",
    openObject("A record.", { examples: [{ name: "Oak", seats: 8 }] }),
    { examples: [[{ name: "Oak", seats: 8 }]] },
  ),
  was: word("The name that it had in an earlier version: its stored records stay.", "ticket"),
};

/** What a resource of a service can say besides. */
export const servedResourceKeys = {
  ...resourceKeys,
  path: pathFromRoot(
    "Where it is served; `/` and the plural of its name unless said. With `{id}` it is below what it belongs to.",
    "/api/issues/{id}/comments",
  ),
  belongs_to: words(
    "The resource that each record belongs to. It gets a required field `<name>_id`, and is deleted with it unless `on_delete` says otherwise.",
    "A resource.",
    ["issue"],
  ),
  on_delete: onDelete("What happens when what it belongs to is deleted; `cascade` unless said."),
  sort: list("Fields that `?sort=` may name; all unless said.", word("A field.", "created_at"), {
    examples: [["created_at", "priority"]],
  }),
  order: word("The order of a list that asks for none: a field, with `-` in front for descending.", "-created_at"),
  page_size: integer("How many records a page of a list has, unless the request says; 100 unless said.", {
    minimum: 1,
    maximum: 1000,
    examples: [20],
  }),
  list_key: word("The key under which an answer has its list; `items` unless said.", "data"),
  single: boolean("There is one record at the path, and no list.", { examples: [true] }),
  methods: list(
    "The methods that it answers; all unless said.",
    oneOf(
      "A method.",
      { GET: "Lists and reads.", POST: "Adds.", PUT: "Replaces.", PATCH: "Changes.", DELETE: "Deletes." },
      { examples: ["GET"] },
    ),
    { examples: [["GET", "POST"]] },
  ),
  rules: list(
    "What must be true of its records, as expressions or with more to say.",
    either("A rule.", [condition("What must be true.", "ends_at > starts_at"), rule]),
    { examples: [["ends_at > starts_at", { no_overlap: ["starts_at", "ends_at"], within: ["room_id"] }]] },
  ),
  access: accessMap,
  owner: word(
    "The field with the id of the account that made the record; `owner_id` where `access` says `owner`.",
    "booked_by",
  ),
  actions: map("What can be done to a record, by name.", action, {
    examples: [{ cancel: { sets: { status: "cancelled" }, when: "status == 'open'" } }],
  }),
};

/** A field of a resource. */
export const storedField = either("A field: its type, or more.", [fieldType, object("A field.", storedFieldKeys)], {
  examples: [{ type: "string", required: true, max_length: 120 }],
});

/** The resources of a type, by name: what each of them, and each field, can say. */
export function resourcesOf<T, C, S, D>(
  resource: (fields: Shape<Readonly<Record<string, T>>, Readonly<Record<string, C>>>) => Shape<S, D>,
  ofField: Shape<T, C>,
) {
  const fields = map("Its fields, by name. `id`, `created_at` and `updated_at` are always there.", ofField, {
    examples: [{ title: { type: "string", required: true }, due: "date" }],
  });
  return map("What is kept: resources, by name.", resource(fields), {
    examples: [{ issue: { path: "/api/issues", fields: { title: { type: "string", required: true } } } }],
  });
}

/** The resources of a service. */
export const dataModel = resourcesOf(
  (fields) => object("A resource: a kind of records.", { ...servedResourceKeys, fields }),
  storedField,
);
