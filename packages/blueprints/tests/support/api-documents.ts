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

/** No data model at all: everything is read off the requests. */
export const withoutDataModel = apiDocument({
  acceptance: {
    http_endpoints: [
      { path: "/healthz", response_contains: '"status": "UP"' },
      { path: "/teapot", status: 418, response_contains: "short and stout" },
      { path: "/version", response_contains: ["1.2.3"] },
      { path: "/old", status: 301 },
      { path: "/users", method: "POST", status: 201, body: { email: "a@example.org", password: "secret-1", age: 30 } },
      { path: "/users", method: "POST", status: 400, body: { email: "nobody" } },
      { path: "/users", method: "POST", status: 400, body: { email: "not an address", password: "x", age: 3 } },
      { path: "/users?limit=0", status: 400 },
      { path: "/users/abc", status: 400 },
      { path: "/users/12", response_contains: '"id": 12' },
      { path: "/users/999", status: 404, response_contains: "Not Found" },
      { path: "/products", response_contains: ['"data"', "Walnut table"] },
      { path: "/admin/report", auth_required: true },
      { path: "/secrets", auth_required: true },
      {
        path: "/login",
        method: "POST",
        status: 200,
        body: { username: "root", password: "toor" },
        response_contains: "token",
      },
      { path: "/login", method: "POST", status: 401, body: { username: "root", password: "wrong" } },
      { path: "/nothing", status: 404 },
      { path: "/users", method: "OPTIONS", status: 204 },
      { path: "/users", method: "HEAD" },
    ],
    integration_tests: [
      {
        name: "Settings are changed where they stand",
        steps: ['PUT /settings {"theme": "dark"} → 200', "GET /settings → 200", 'PATCH /settings {"size": 3} → 200'],
      },
      {
        name: "An order and what is done to it",
        steps: [
          'POST /shops {"name": "Corner"} → 201',
          'POST /shops/:id/orders {"sku": "oats", "count": 2} → 201',
          'POST /shops/{shop_id}/orders {"sku": "oats", "count": -1} → 422',
          "POST /shops/{shop_id}/orders/{id}/cancel → 202",
          "GET /shops/{shop_id}/orders?sku=oats → 200",
          "DELETE /shops/{shop_id}/orders/{id} → 200",
        ],
      },
      {
        name: "A name is taken once",
        steps: [
          'POST /teams {"name": "Red"} → 201',
          'POST /teams {"name": "Red"} → 409',
          'POST /teams {"name": "Blue"} → 201',
        ],
      },
      {
        name: "Who registers can log in",
        steps: [
          'POST /register {"username": "noor", "password": "open sesame"} → 201',
          'POST /login {"username": "noor", "password": "open sesame"} → 200',
          'POST /login {"username": "noor", "password": "guess"} → 401',
        ],
      },
    ],
  },
});
