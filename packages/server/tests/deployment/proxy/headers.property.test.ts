import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CookieFilter } from "../../../src/deployment/proxy/cookie-filter.ts";
import { answeredHeaders, type ForwardedHead, forwardedHead } from "../../../src/deployment/proxy/forwarded-head.ts";

const hopByHop = [
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
];
const saidByProxies = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];
const cookies = new CookieFilter(["ours", "__Host-ours"]);
const client = { address: "192.0.2.7", isTrusted: false };

const anyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((flags) => [...name].map((letter, index) => (flags[index] ? letter.toUpperCase() : letter)).join(""));
const value = fc.stringMatching(/^[!-~][ -~]{0,20}$/);
const own = fc.tuple(fc.stringMatching(/^x-own-[a-z]{1,4}$/), value);
const hop = fc.tuple(
  fc.constantFrom(...hopByHop).chain(anyCase),
  fc.constantFrom("keep-alive", "x-own-a", "a, X-Own-B ,"),
);
const posing = fc.tuple(
  fc.constantFrom(...saidByProxies, "x_forwarded_for", "X-Forwarded_Proto", "x_real_ip").chain(anyCase),
  value,
);
const pairs = fc.array(fc.oneof(own, hop, posing), { maxLength: 12 });

describe("of a request", () => {
  test("headers of the connection go no further, and nobody can pose as someone else", () => {
    fc.assert(
      fc.property(pairs, (sent) => {
        const { headers } = forwardedHead([...sent.flat(), "Host", "app.test"], client, cookies) as ForwardedHead;
        const names = namesOf(headers);
        expect(names.filter((name) => hopByHop.includes(name))).toEqual([]);
        const said = entriesOf(headers).filter(([name]) =>
          saidByProxies.includes(name.toLowerCase().replaceAll("_", "-")),
        );
        expect(said).toEqual([
          ["x-forwarded-for", "192.0.2.7"],
          ["x-forwarded-proto", "http"],
          ["x-forwarded-host", "app.test"],
        ]);
      }),
    );
  });

  test("all others pass, in their order, unless Connection names them", () => {
    fc.assert(
      fc.property(pairs, (sent) => {
        const { headers } = forwardedHead(sent.flat(), client, cookies) as ForwardedHead;
        const nominated = sent
          .filter(([name]) => name.toLowerCase() === "connection")
          .flatMap(([, text]) =>
            text
              .toLowerCase()
              .split(",")
              .map((name) => name.trim()),
          );
        const wanted = sent.filter(([name]) => name.startsWith("x-own-") && !nominated.includes(name));
        expect(entriesOf(headers).filter(([name]) => name.startsWith("x-own-"))).toEqual(wanted);
      }),
    );
  });

  test("a proxy of the operator is believed, and the client's address is appended", () => {
    const raw = ["X-Forwarded-For", "203.0.113.9", "x-forwarded-proto", "https", "x-forwarded-host", "public.test"];
    const { headers } = forwardedHead(raw, { address: "127.0.0.1", isTrusted: true }, cookies) as ForwardedHead;
    expect(entriesOf(headers)).toEqual([
      ["x-forwarded-for", "203.0.113.9, 127.0.0.1"],
      ["x-forwarded-proto", "https"],
      ["x-forwarded-host", "public.test"],
    ]);
  });

  test("Connection takes neither host, length nor cookies away", () => {
    const raw = ["connection", "host, content-length, cookie", "host", "a", "content-length", "2", "cookie", "b=1"];
    const head = forwardedHead(raw, client, cookies) as ForwardedHead;
    expect(namesOf(head.headers)).toEqual(expect.arrayContaining(["host", "content-length", "cookie"]));
    expect(head.hasBody).toBe(true);
  });

  test("it has a body if it says so", () => {
    const hasBody = (...raw: string[]) => (forwardedHead(raw, client, cookies) as ForwardedHead).hasBody;
    expect([hasBody(), hasBody("content-length", "0"), hasBody("content-length", "00")]).toEqual([false, false, false]);
    expect([hasBody("Content-Length", "1"), hasBody("Transfer-Encoding", "CHUNKED")]).toEqual([true, true]);
  });
});

describe("of an answer", () => {
  test("headers of the connection go no further, and all others pass", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^x-own-[a-c]$/), value), fc.subarray(hopByHop), (own, hops) => {
        const answer = { ...own, ...Object.fromEntries(hops.map((name) => [name, "X-Own-A"])) };
        const kept = Object.fromEntries(entriesOf(answeredHeaders(answer, cookies, false) as string[]));
        const { "x-own-a": nominated, ...others } = own;
        expect(kept).toEqual(hops.includes("connection") || nominated === undefined ? others : own);
      }),
    );
  });
});

describe("cookies of ours", () => {
  const theirs = fc
    .tuple(fc.stringMatching(/^[a-nA-N_-]{1,8}$/), fc.stringMatching(/^[\w=.-]{0,8}$/))
    .map((pair) => pair.join("="));
  const ours = fc
    .tuple(
      fc.constantFrom("ours", "__Host-ours").chain(anyCase),
      fc.constantFrom("", " ", "\t"),
      fc.constantFrom("=", "=x", "=a=b", ""),
    )
    .map((parts) => parts.join(""));

  test("never reach the program, and the program's own always do", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(theirs, ours)), fc.constantFrom(";", "; ", " ;  "), (sent, separator) => {
        const left = cookies.ofRequest(sent.join(separator));
        const kept = (left ?? "").split(";").map((one) => one.trim());
        const wanted = sent.filter((one) => !/^(?:__host-)?ours\s*(?:=|$)/i.test(one));
        expect(kept.filter((one) => one !== "")).toEqual(wanted);
      }),
    );
  });

  test("are never set by the program, not even without a name", () => {
    fc.assert(
      fc.property(fc.constantFrom("", " ", "=", " = ", "=="), ours, (before, cookie) => {
        const answer = { "set-cookie": [`${before}${cookie}; Path=/`, "theirs=1; Path=/"] };
        expect(answeredHeaders(answer, cookies, false)).toEqual(["set-cookie", ["theirs=1; Path=/"]]);
      }),
    );
  });

  test.each([
    ['"cookies"', undefined],
    ['"*"', '"cache", "storage"'],
    [['"storage"', '"COOKIES" , "cache"'], '"storage", "cache"'],
  ])("are not cleared by the program's Clear-Site-Data: %s", (asked, left) => {
    const kept = answeredHeaders({ "clear-site-data": asked }, cookies, false);
    expect(kept).toEqual(left === undefined ? [] : ["clear-site-data", left]);
  });

  test("are all cookies that go where none are ours", () => {
    const none = new CookieFilter([]);
    expect([none.ofRequest("ours=1"), none.mayBeSet("ours=1")]).toEqual(["ours=1", true]);
  });
});

function entriesOf(headers: readonly string[]): [string, string][] {
  return Array.from({ length: headers.length / 2 }, (_, index) => [headers[2 * index]!, headers[2 * index + 1]!]);
}

function namesOf(headers: readonly string[]): string[] {
  return entriesOf(headers).map(([name]) => name.toLowerCase());
}
