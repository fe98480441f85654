/** A shop as its owner would write it: goods with pictures, a basket, orders, and pages to manage them. */
export const shop = `
spec_version: "1.0.0"
id: corner-shop
name: Corner Shop
description: Tea, cups and biscuits from the shop on the corner, ordered online.
outcome_type: web-app
stack: { language: javascript, frontend: html, styling: css, storage: sqlite }

data_model:
  category:
    access: { create: admin, change: admin, delete: admin }
    fields:
      name: { type: string, required: true, unique: true, max_length: 40 }
    seed:
      - { name: Tea }
      - { name: Cups }
  product:
    access: { create: admin, change: admin, delete: admin }
    fields:
      name: { type: string, required: true, max_length: 80 }
      category_id: { type: reference, to: category, label: Category, required: true }
      price: { type: number, min: 0, required: true, label: Price (EUR) }
      stock: { type: integer, min: 0, default: 0 }
      photo: url
      about: { type: text, max_length: 2000 }
      is_published: { type: boolean, default: true, label: Published }
    seed:
      - { name: Assam, category_id: 1, price: 6.5, stock: 10, is_published: true }
      - { name: Blue cup, category_id: 2, price: 12, stock: 1, is_published: true }
      - { name: Secret blend, category_id: 1, price: 99, stock: 5, is_published: false }
  customer:
    access: { read: [owner, admin], create: nobody, change: owner, delete: admin }
    fields:
      email: { type: email, required: true, unique: true }
      name: { type: string, required: true, max_length: 80 }
      password: { type: password, required: true, min_length: 8 }
    seed:
      - { email: owner@shop.example, name: Olga, password: open the shop, role: admin }
  order:
    access: { read: [owner, admin], create: signed_in, change: admin, delete: admin }
    fields:
      address: { type: text, required: true, max_length: 300 }
      gift_note: { type: string, max_length: 100 }
      status: { type: enum, values: [placed, sent, cancelled], default: placed }
      total: { type: number, min: 0 }
    actions:
      send: { sets: { status: sent }, when: "status == 'placed'", access: admin }
      cancel: { sets: { status: cancelled }, when: "status == 'placed'", access: [owner, admin] }
  order_item:
    belongs_to: order
    access: { read: [owner, admin], create: admin, change: admin, delete: admin }
    fields:
      product_id: { type: reference, to: product, label: Product, required: true }
      quantity: { type: integer, min: 1, required: true }
      price: { type: number, min: 0 }

auth:
  accounts: customer
  name_field: email
  roles: [customer, admin]
  default_role: customer
  sign_up: /sign-up

basket: { of: product, price: price, stock: stock, order: order, total: total, items: order_item }

pages:
  - path: /
    kind: list
    of: product
    title: Corner Shop
    layout: cards
    intro: Fresh from the corner.
    image: photo
    columns: [name, price, category_id]
    search: [name, about]
    filters: [category_id]
    where: { is_published: true }
    sort: name
    page_size: 12
    actions: [{ label: Add to basket, does: add_to_basket }]
  - path: /products/{id}
    of: product
    image: photo
    fields: [name, category_id, price, about]
    actions: [{ label: Add to basket, does: add_to_basket }]
  - { path: /checkout, kind: checkout, title: Your order, fields: [address, gift_note], submit: Order now }
  - { path: /orders, of: order, title: My orders, columns: [id, total, status, created_at], access: signed_in }
  - path: /orders/{id}
    of: order
    access: signed_in
    related: [order_item]
    actions: [{ label: Cancel this order, does: cancel, confirm: true }]
  - { path: /about, title: About us, text: [We are the shop on the corner., Open from nine to six.] }

admin: { access: admin, of: [product, category, order, customer] }
theme: { accent: "#7a3b1e", dark_mode: true }

acceptance:
  http_endpoints:
    - { path: /, method: GET, status: 200, response_contains: [Corner Shop, Assam] }
    - { path: /products/1, method: GET, status: 200, response_contains: Add to basket }
    - { path: /about, method: GET, status: 200, response_contains: Open from nine to six. }
    - { path: /api/products, method: POST, status: 401, body: { name: Free tea } }
    - { path: /api/orders, method: GET, status: 401 }
`;

/** A booking site as a club would write it: courts, members who book them, rules, and staff who confirm. */
export const booking = `
spec_version: "1.0.0"
id: court-booking
name: Plätze
description: Buche einen Platz im Tennisverein.
outcome_type: web-app
stack: { language: javascript }
language: de
texts:
  log_in: Anmelden
  log_out: Abmelden
  sign_up: Registrieren
  log_in_first: Bitte zuerst anmelden.
  save: Speichern
  add: "{name} anlegen"
  not_allowed: Das ist nicht erlaubt

data_model:
  court:
    access: { create: staff, change: staff, delete: staff }
    fields:
      name: { type: string, required: true, unique: true, label: Platz }
      surface: { type: enum, values: [Sand, Halle], default: Sand, label: Belag }
    seed: [{ name: Platz 1 }, { name: Halle A, surface: Halle }]
  booking:
    access: { read: [owner, staff], create: signed_in, change: staff, delete: [owner, staff] }
    owner: member_id
    fields:
      member_id: { type: reference, to: member, label: Mitglied }
      court_id: { type: reference, to: court, label: Platz, required: true, on_delete: restrict }
      starts_at: { type: datetime, label: Beginn, required: true }
      ends_at: { type: datetime, label: Ende, required: true }
      status: { type: enum, values: [requested, confirmed, cancelled], default: requested }
    rules:
      - ends_at > starts_at
      - { no_overlap: [starts_at, ends_at], within: [court_id], when: "status != 'cancelled'", message: Der Platz ist schon vergeben. }
    actions:
      confirm: { sets: { status: confirmed }, when: "status == 'requested'", access: staff }
      cancel: { sets: { status: cancelled }, access: [owner, staff] }
  member:
    access: { read: [owner, staff], create: staff, change: owner, delete: staff }
    fields:
      email: { type: email, required: true, unique: true }
      name: { type: string, required: true }
      password: { type: password, required: true, min_length: 8 }
    seed: [{ email: chef@club.example, name: Cora, password: sandplatz 7, role: staff }]

auth:
  accounts: member
  roles: [member, staff]
  default_role: member
  sign_up: /registrieren
  login: /anmelden

pages:
  - { path: /, of: court, title: Plätze, columns: [name, surface], filters: [surface] }
  - path: /plaetze/{id}
    of: court
    related: [booking]
    actions: [{ label: Diesen Platz buchen, to: "/buchen?court_id={id}" }]
  - { path: /buchen, kind: form, of: booking, title: Platz buchen, access: signed_in, fields: [court_id, starts_at, ends_at], submit: Buchen, layout: columns }
  - { path: /buchungen, of: booking, title: Meine Buchungen, access: signed_in, columns: [starts_at, ends_at, court_id, status], sort: -starts_at, where: { member_id: me } }
  - path: /buchungen/{id}
    of: booking
    access: signed_in
    actions:
      - { label: Stornieren, does: cancel, confirm: true }
      - { label: Bestätigen, does: confirm, access: staff }
  - { path: /leitung, of: booking, title: Alle Buchungen, access: staff, filters: [status, court_id] }
navigation:
  - { label: Plätze, to: / }
  - { label: Platz buchen, to: /buchen, access: signed_in }
  - { label: Meine Buchungen, to: /buchungen, access: signed_in }
  - { label: Alle Buchungen, to: /leitung, access: staff }
acceptance:
  http_endpoints:
    - { path: /, method: GET, status: 200, response_contains: [Plätze, Halle A] }
    - { path: /leitung, method: GET, status: 200, auth_required: true }
    - { path: /api/bookings, method: GET, status: 401 }
`;

/** Resources below each other and one that there is one of, without any page: those that everybody expects are made. */
export const tracker = `
spec_version: "1.0.0"
id: tracker
name: Tracker
description: Issues, and what people say about them.
outcome_type: web-app
stack: {}
data_model:
  issue:
    fields:
      title: { type: string, required: true }
      state: { type: enum, values: [open, closed], default: open }
    rules: [{ field: state, moves: { closed: [] } }]
  comment:
    path: /api/issues/{id}/comments
    belongs_to: issue
    fields: { text: { type: text, required: true }, stars: { type: integer, min: 1, max: 5 } }
  settings:
    single: true
    fields: { greeting: { type: string, required: true } }
pages: []
acceptance: {}
`;
