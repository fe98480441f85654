import { stringify } from "yaml";

/** A document for an API that has what it must, and what it is given. */
export function apiDocument(more: object): string {
  const base = {
    spec_version: "1.0.0",
    id: "sample",
    name: "Sample",
    description: "A sample.",
    outcome_type: "api",
    stack: {},
    acceptance: {},
  };
  return stringify({ ...base, ...more });
}

/** Rooms that people book: accounts with roles, rules between fields and between records, references, seed. */
export const bookingKeys = {
  base_path: "/api",
  data_model: {
    user: {
      fields: {
        email: { type: "email", required: true, unique: true },
        password: { type: "password", required: true, min_length: 8 },
      },
      seed: [{ email: "boss@example.org", password: "correct horse", role: "admin" }],
    },
    room: {
      description: "A room that can be booked.",
      fields: {
        name: { type: "string", required: true, unique: true, max_length: 40 },
        seats: { type: "integer", required: true, min: 1 },
      },
      access: { create: "admin", change: "admin", delete: "admin" },
      order: "name",
      seed: [
        { name: "Oak", seats: 8 },
        { name: "Elm", seats: 2 },
      ],
    },
    booking: {
      belongs_to: "room",
      on_delete: "restrict",
      owner: "booked_by",
      access: { read: ["owner", "admin"], create: "signed_in", change: ["owner", "admin"], delete: "admin" },
      fields: {
        starts_at: { type: "datetime", required: true },
        ends_at: { type: "datetime", required: true },
        guests: { type: "integer", min: 1, default: 1 },
        status: { type: "enum", values: ["open", "confirmed", "cancelled"], default: "open" },
      },
      rules: [
        "ends_at > starts_at",
        { check: "guests <= room.seats", message: "are more than the room has seats" },
        { no_overlap: ["starts_at", "ends_at"], within: ["room_id"], when: "status != 'cancelled'" },
        { field: "status", moves: { cancelled: [] } },
        { max_records: 2, within: ["booked_by"], when: "status == 'open'" },
      ],
      actions: { cancel: { sets: { status: "cancelled" }, when: "status != 'cancelled'", access: "owner" } },
    },
    note: { path: "/api/rooms/{id}/notes", belongs_to: "room", fields: { text: { type: "text", required: true } } },
  },
  auth: {
    accounts: "user",
    roles: ["member", "admin"],
    default_role: "member",
    sign_up: "/api/sign-up",
    protects: [{ path: "/api/export", roles: ["admin"] }],
  },
  endpoints: { export: "/api/export" },
};

/** The steps of a person who books, as acceptance would have them. */
export const bookingAcceptance = {
  http_endpoints: [
    { path: "/", response_contains: "OpenAPI" },
    { path: "/api/rooms", response_contains: "Oak" },
    { path: "/api/rooms?seats_min=5", response_contains: '"total":1' },
    { path: "/api/rooms", method: "POST", status: 401, body: { name: "Ash", seats: 1 } },
    { path: "/api/export", auth_required: true },
    { path: "/api/sign-up", method: "POST", status: 422, body: { email: "a@example.org", role: "admin" } },
  ],
};

/** Fields that no two records share, of which it is not plain what fits. */
export const unsharedKeys = {
  data_model: {
    maker: { fields: { name: { type: "string", unique: true, max_length: 1 } } },
    deal: {
      fields: {
        from: { type: "reference", to: "maker", required: true },
        till: { type: "reference", to: "maker", required: true },
      },
    },
    thing: {
      fields: {
        title: { type: "string", required: true },
        code: { type: "string", pattern: "^[A-Z]{3}-(?:\\d+|x)$", required: true, unique: true },
        size: { type: "enum", values: ["s", "m"], unique: true },
        at: { type: "time", min: "22:00", unique: true },
        rank: { type: "integer", min: 1, max: 2, unique: true },
        share: { type: "number", min: 0, max: 0.5, unique: true },
        isFirst: { type: "boolean", unique: true },
        born: { type: "date", max: "today", required: true },
        tags: { type: "list", of: { type: "string", pattern: "^#\\w+$" } },
        maker_id: { type: "reference", to: "maker", unique: true },
        odd: { type: "string", pattern: "^(?=x)x\\b$", unique: true },
        slot: { type: "enum", values: ["a"], unique: true },
      },
      seed: [{ title: "First", code: "AAA-0", size: "s", rank: 1, slot: "a", born: "2001-02-03" }],
    },
  },
};
