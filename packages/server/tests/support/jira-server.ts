import { type Heard, type Said, startOthersServer } from "./others-server.ts";

interface Ticket {
  readonly key: string;
  readonly fields: Readonly<Record<string, unknown>> & { readonly labels: readonly string[]; readonly summary: string };
  readonly comments: string[];
  status: "new" | "done";
}

/** A Jira that speaks as the real one does, as far as tickets go; what it says may be lost on its way. */
export async function startJira({ hasSearch = true, onWay = (_heard: Heard, said: Said): Said => said } = {}) {
  const tickets: Ticket[] = [];
  const find = (path: string) => tickets.find(({ key }) => path.includes(`/issue/${key}/`));
  const serve = (heard: Heard): Said => {
    const { method, path, body } = heard;
    const url = new URL(path, "http://jira");
    if (heard.headers.authorization !== `Basic ${Buffer.from("bot@example.com:jira-test-token").toString("base64")}`)
      return { status: 401, body: { errorMessages: ["You are not authenticated."], errors: {} } };
    if (url.pathname === "/rest/api/2/search" && !hasSearch)
      return { status: 410, body: { errorMessages: ["The requested API has been removed."], errors: {} } };
    if (url.pathname === "/rest/api/2/search" || url.pathname === "/rest/api/3/search/jql") {
      const label = /^labels = "(.+)"$/.exec(url.searchParams.get("jql") ?? "")?.[1] ?? "";
      const issues = tickets.filter(({ fields }) => fields.labels.includes(label)).map(({ key }) => ({ id: "1", key }));
      return { status: 200, body: { issues } };
    }
    if (method === "POST" && url.pathname === "/rest/api/2/issue") {
      const fields = body["fields"] as Ticket["fields"];
      const ticket: Ticket = { key: `SHOP-${tickets.length + 1}`, fields, comments: [], status: "new" };
      tickets.push(ticket);
      return { status: 201, body: { id: `100${tickets.length}`, key: ticket.key, self: "" } };
    }
    const ticket = find(url.pathname);
    if (ticket === undefined) return { status: 404, body: { errorMessages: ["Issue does not exist"], errors: {} } };
    if (url.pathname.endsWith("/comment")) {
      ticket.comments.push(String(body["body"]));
      return { status: 201, body: { id: "1" } };
    }
    if (method === "POST") {
      const { id } = body["transition"] as { id: string };
      if (id === "31") ticket.status = "done";
      return { status: 204 };
    }
    const transitions = [
      { id: "21", name: "In Progress", to: { statusCategory: { key: "indeterminate" } } },
      { id: "31", name: "Done", to: { statusCategory: { key: "done" } } },
    ];
    return { status: 200, body: { transitions } };
  };
  const server = await startOthersServer((heard) => onWay(heard, serve(heard)));
  return { ...server, tickets };
}
