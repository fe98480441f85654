import { alsoWritten, either, integer, list, object, oneOf, string } from "../schema/shape.ts";
import { pathFromRoot, word } from "./fields.ts";

const path = string("A path and what is below it, with a method in front if it is for that alone; `*` is everything.", {
  pattern: "^(?:\\*|(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE|\\*) +)?/\\S*)$",
  patternErrorMessage: "a path from the root, such as '/api/export' or 'GET /api/export', or '*'",
  examples: ["GET /api/export"],
});

const schemeWords = oneOf(
  "How a request says who sends it.",
  {
    bearer: "A token in a header: `Authorization: Bearer …`.",
    session: "A cookie that a login sets; a token in a header counts as well.",
  },
  { examples: ["bearer"] },
);

/** Who may use a service, and how they say who they are. */
export const auth = object(
  "Who may do what. With `accounts`, `roles`, `login` or `sign_up` people have accounts; without, there is one token.",
  {
    scheme: alsoWritten<"bearer" | "session">(schemeWords, [
      ["token", "bearer"],
      ["api_key", "bearer"],
      ["cookie", "session"],
    ]),
    token_variable: string(
      "The environment variable with the service's own token, which may do everything; `API_TOKEN` unless said.",
      { pattern: "^[A-Za-z_]\\w*$", patternErrorMessage: "a name of letters, digits and '_'", examples: ["API_TOKEN"] },
    ),
    header: string("The header that carries the token; `Authorization` unless said.", {
      pattern: "^[\\w-]+$",
      patternErrorMessage: "a name of letters, digits and '-'",
      examples: ["X-API-Key"],
    }),
    protects: list(
      "Which requests need a token or an account, in addition to what each resource says under `access`.",
      either("A path, or a path and who may ask for it.", [
        path,
        object(
          "A path and who may ask for it.",
          {
            path,
            roles: list("The roles that may ask for it.", word("A role.", "admin"), { examples: [["admin"]] }),
          },
          ["path"],
        ),
      ]),
      { examples: [["GET /api/export", { path: "/metrics", roles: ["admin"] }]] },
    ),
    accounts: word(
      "The resource whose records are accounts: it has a field of the type `password`. Without one, accounts have an `email` and a `password`.",
      "user",
    ),
    name_field: word("The field that an account logs in with: the first that is `unique` unless said.", "email"),
    roles: list("The roles that accounts have; kept in the field `role`.", word("A role.", "admin"), {
      examples: [["member", "admin"]],
    }),
    default_role: word("The role of an account that was given none. Nobody can choose a role at sign-up.", "member"),
    sign_up: pathFromRoot("Where people make an account; nobody can unless said.", "/api/sign-up"),
    login: pathFromRoot("Where a name and a password give a token, or a session; `/login` unless said.", "/api/login"),
    logout: pathFromRoot("Where all tokens and sessions of an account end; `/logout` unless said.", "/api/logout"),
    me: pathFromRoot("Where an account reads itself; `/me` unless said.", "/api/me"),
    session_hours: integer("How long a token or a session is good for; 12 unless said.", {
      minimum: 1,
      maximum: 8760,
      examples: [12],
    }),
  },
);
