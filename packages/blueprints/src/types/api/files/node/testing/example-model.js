const list = { filters: [], search: [], sort: [], page_size: 100, list_key: "items" };
const open = { read: ["anyone"], create: ["anyone"], change: ["anyone"], delete: ["anyone"] };
const base = { ...list, rules: [], access: open, actions: {}, seed: [] };
const reference = (to, more = {}) => ({ type: "reference", to, on_delete: "restrict", ...more });

/** A small service that has everything once: what the tests of the program are made with. */
export const exampleModel = {
  title: "Library",
  version: "1.0.0",
  description: "Shelves and what stands on them.",
  auth: {
    scheme: "session",
    token_variable: "API_TOKEN",
    session_hours: 1,
    accounts: {
      resource: "member",
      name_field: "email",
      password_field: "password",
      role_field: "role",
      roles: ["reader", "admin"],
      default_role: "reader",
      sign_up: "/sign-up",
      login: "/login",
      logout: "/logout",
      me: "/me",
    },
  },
  protects: [{ rule: "GET /export" }, { rule: "/metrics", roles: ["admin"] }],
  system: { health: ["/health"], metrics: "/metrics", openapi: "/openapi.json", docs: "/docs", export: "/export" },
  resources: [
    {
      ...base,
      name: "shelf",
      title: "shelf",
      path: "/shelves",
      fields: {
        name: { type: "string", required: true, max_length: 20 },
        room: { type: "integer", default: 1, min: 1 },
      },
      filters: ["name", "room"],
      search: ["name"],
      sort: ["name"],
      order: "-id",
    },
    {
      ...base,
      name: "book",
      title: "book",
      path: "/shelves/{shelf_id}/books",
      parent: { resource: "shelf", field: "shelf_id", on_delete: "cascade" },
      fields: {
        title: { type: "string", required: true },
        isbn: { type: "string", unique: true },
        pages: { type: "integer", min: 1, max: 5000 },
        state: { type: "enum", values: ["new", "worn", "lost"], default: "new" },
        tags: { type: "list", of: { type: "string", max_length: 10 }, max_length: 3 },
        follows: reference("book", { on_delete: "set_null" }),
      },
      filters: ["state", "tags", "pages"],
      search: ["title"],
      sort: ["title", "state", "pages"],
      rules: [
        { kind: "moves", fields: ["state"], moves: { lost: [] }, message: "cannot become this", status: 409 },
        {
          kind: "required",
          fields: ["pages"],
          when: { op: "==", left: { field: "state" }, right: { value: "worn" } },
          message: "is required where it is worn",
          status: 422,
        },
        { kind: "max_records", fields: ["shelf_id"], within: ["shelf_id"], max: 3, message: "is full", status: 409 },
      ],
      actions: {
        lose: {
          sets: { state: "lost" },
          when: { op: "!=", left: { field: "state" }, right: { value: "lost" } },
          access: ["anyone"],
        },
      },
    },
    {
      ...base,
      name: "loan",
      title: "loan",
      path: "/loans",
      owner: "lent_to",
      access: { read: ["owner", "admin"], create: ["signed_in"], change: ["owner", "admin"], delete: ["admin"] },
      fields: {
        book_id: reference("book", { required: true }),
        from: { type: "date", required: true },
        until: { type: "date", required: true },
        lent_to: { type: "reference", to: "member", on_delete: "cascade", is_owner: true },
        state: { type: "enum", values: ["asked", "granted", "back"], default: "asked" },
      },
      actions: {
        grant: {
          sets: { state: "granted" },
          when: { op: "==", left: { field: "state" }, right: { value: "asked" } },
          access: ["admin"],
        },
      },
      rules: [
        {
          kind: "check",
          fields: ["until", "from"],
          check: { op: ">", left: { field: "until" }, right: { field: "from" } },
          message: "must be after from",
          status: 422,
        },
        {
          kind: "no_overlap",
          fields: ["from", "until"],
          within: ["book_id"],
          message: "overlaps another",
          status: 409,
        },
        {
          kind: "check",
          fields: ["book_id"],
          check: { op: "!=", left: { field: "state", via: "book_id" }, right: { value: "lost" } },
          when: { op: "!=", left: { field: "state" }, right: { value: "back" } },
          message: "is lost.",
          status: 422,
        },
      ],
    },
    {
      ...base,
      name: "member",
      title: "member",
      path: "/members",
      owner: "id",
      access: { read: ["owner", "admin"], create: ["admin"], change: ["owner", "admin"], delete: ["admin"] },
      fields: {
        email: { type: "email", required: true, unique: true },
        password: { type: "password", required: true, min_length: 8 },
        role: { type: "enum", values: ["reader", "admin"], is_role: true },
      },
      seed: [{ id: 7, email: "first@example.org", role: "admin" }],
    },
    {
      ...base,
      name: "settings",
      title: "settings",
      path: "/settings",
      fields: { theme: { type: "string", required: true }, size: { type: "integer", default: 12 } },
      is_single: true,
    },
  ],
};
