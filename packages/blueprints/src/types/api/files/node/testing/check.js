import assert from "node:assert/strict";
import { token } from "#testing/start-app.js";

/** Makes a request and checks that it is answered with the status, one such as 201 or a class such as "2xx". */
export async function check(call, method, path, status, { contains = [], isAuthRequired = false, ...options } = {}) {
  if (isAuthRequired)
    assert.equal((await call(method, path, options)).status, 401, `${method} ${path} without a token`);
  const answer = await call(method, path, { token, ...options });
  const isExpected = typeof status === "number" ? answer.status === status : `${answer.status}`[0] === status[0];
  assert.ok(isExpected, `${method} ${path} is answered with ${answer.status}, not ${status}: ${answer.text}`);
  for (const text of contains) assert.ok(answer.text.includes(text), `${answer.text} does not contain ${text}`);
  return answer;
}

/** Makes requests one after the other: `{id}` in a path is the id that was last answered for that collection. */
export function steps(call) {
  const ids = new Map();
  let latest;
  return async (method, path, status, options) => {
    const filled = path.split(/(\/\{[^{}/]+\}|\/:\w+)/).reduce((before, part, index) => {
      if (index % 2 === 0) return before + part;
      return `${before}/${ids.get(before) ?? latest ?? 1}`;
    }, "");
    const answer = await check(call, method, filled, status, options);
    const id = answer.json?.id;
    if (id !== undefined && method === "POST") ids.set(filled, id);
    latest = id ?? latest;
    return answer;
  };
}
