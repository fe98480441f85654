import { sendRequest } from "./send-request.js";

const entities = /&#(\d+);/g;
const decoded = (text) => text.replace(entities, (_, code) => String.fromCharCode(Number(code)));
const attribute = (tag, name) => decoded(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** Somebody with a browser that runs no script: it keeps cookies, follows redirects and sends forms. */
export class Visitor {
  #url;
  #token;
  #cookies = new Map();

  constructor(url, { token } = {}) {
    this.#url = url;
    this.#token = token;
  }

  /** Opens a page, and where it leads to. */
  async open(path, { method = "GET", form } = {}) {
    const { status, headers, text } = await sendRequest(new URL(path, this.#url), {
      method,
      headers: {
        accept: "text/html",
        ...(this.#cookies.size > 0 && { cookie: [...this.#cookies].map((pair) => pair.join("=")).join("; ") }),
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...(method === "POST" && { origin: this.#url, "sec-fetch-site": "same-origin" }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form && { body: form.toString() }),
    });
    for (const cookie of headers.getSetCookie()) this.#keep(cookie);
    if (status === 303) return this.open(headers.get("location"));
    return { status, path, text, headers };
  }

  /** Fills in and sends the form of a page that has the button. */
  async submit(page, button, values = {}) {
    const found = formsOf(page.text).find(({ text }) => decoded(text).includes(`>${button}<`));
    if (found === undefined) throw new Error(`${page.path} has no form with the button ${button}: ${page.text}`);
    const fields = controlsOf(found.text).filter(([name]) => !Object.hasOwn(values, name));
    for (const [name, value] of Object.entries(values))
      for (const one of [value].flat()) if (one !== undefined) fields.push([name, String(one)]);
    const form = new URLSearchParams(fields);
    return this.open(attribute(found.tag, "action") || page.path, { method: "POST", form });
  }

  #keep(cookie) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
    if (/Max-Age=0\b/.test(cookie)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }

  get cookies() {
    return this.#cookies;
  }
}

function formsOf(page) {
  return [...page.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gs)]
    .filter(([, tag]) => tag.includes('method="post"'))
    .map(([, tag, text]) => ({ tag, text }));
}

/** The values that a form has before anybody changes them, as a browser sends them. */
function controlsOf(form) {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => attribute(tag, "type") !== "checkbox" || tag.includes(" checked"))
    .map((tag) => [attribute(tag, "name"), attribute(tag, "value")]);
  const areas = [...form.matchAll(/(<textarea\b[^>]*>)(.*?)<\/textarea>/gs)].map(([, tag, text]) => [
    attribute(tag, "name"),
    decoded(text),
  ]);
  const selects = [...form.matchAll(/(<select\b[^>]*>)(.*?)<\/select>/gs)].map(([, tag, text]) => {
    const options = [...text.matchAll(/<option\b[^>]*>/g)].map(([option]) => option);
    const chosen = options.find((option) => option.includes(" selected")) ?? options[0] ?? "";
    return [attribute(tag, "name"), attribute(chosen, "value")];
  });
  return [...inputs, ...areas, ...selects];
}
