import { anyUser, open } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { type Static, Type } from "./schema.ts";
import { IssuedTokens } from "./users.ts";

const StartedDeviceLogin = Type.Object(
  {
    device_code: Type.String({ description: "By which the device asks for its tokens. It is shown only once." }),
    user_code: Type.String({ description: "What somebody compares in their browser.", examples: ["WDJB-MJHT"] }),
    verification_uri: Type.String({ description: "The page on which somebody types the code." }),
    verification_uri_complete: Type.String({ description: "The same page, with the code." }),
    expires_in: Type.Integer({ description: "How many seconds the codes work." }),
    interval: Type.Integer({ description: "How many seconds to wait between two questions." }),
  },
  { description: "A login that somebody must approve (RFC 8628)." },
);

export type StartedDeviceLogin = Static<typeof StartedDeviceLogin>;

const DeviceLogin = Type.Object(
  {
    user_code: Type.String({ examples: ["WDJB-MJHT"] }),
    device: Type.String({ description: "What the device says it is." }),
    address: Type.String({ description: "The device's network address." }),
    created_at: Timestamp("When the device asked."),
    expires_at: Timestamp("When it gives up."),
  },
  { description: "A device that waits to be let in." },
);

export type DeviceLogin = Static<typeof DeviceLogin>;

const params = Type.Object({
  user_code: Type.String({
    maxLength: 40,
    description: "The code that the device shows; case and dashes do not matter.",
    examples: ["WDJB-MJHT"],
  }),
});

/** Login of a command line: somebody with a session lets it in (RFC 8628). */
export const deviceLoginEndpoints = {
  beginDeviceLogin: endpoint({
    method: "POST",
    path: "/api/v1/auth/device",
    tag: "Access",
    summary: "Ask to be let in as somebody who is signed in elsewhere",
    access: open,
    body: Type.Object(
      {
        device: Type.Optional(
          Type.String({
            maxLength: 100,
            pattern: "^\\P{Cc}+$",
            description: "What the device is, for the person who lets it in.",
            examples: ["slipway on build-7"],
          }),
        ),
      },
      { additionalProperties: false, description: "Who asks." },
    ),
    success: [{ status: 201, description: "The codes.", schema: StartedDeviceLogin }],
    problems: ["rate_limited", "invalid_body"],
    answersSecret: true,
  }),
  exchangeDeviceCode: endpoint({
    method: "POST",
    path: "/api/v1/auth/device/token",
    tag: "Access",
    summary: "Ask for the tokens of a device that was let in",
    access: open,
    body: Type.Object(
      {
        device_code: Type.String({
          minLength: 1,
          maxLength: 200,
          description: "The code that only the device has.",
          examples: ["spec_dc_…"],
        }),
      },
      { additionalProperties: false, description: "The device's code." },
    ),
    success: [{ status: 200, description: "The tokens, once.", schema: IssuedTokens }],
    problems: ["authorization_pending", "slow_down", "access_denied", "expired_token", "rate_limited", "invalid_body"],
    answersSecret: true,
  }),
  readDeviceLogin: endpoint({
    method: "GET",
    path: "/api/v1/auth/device/{user_code}",
    tag: "Access",
    summary: "Read which device waits to be let in",
    access: anyUser,
    params,
    success: [{ status: 200, description: "The device.", schema: DeviceLogin }],
    problems: ["not_found"],
  }),
  decideDeviceLogin: endpoint({
    method: "POST",
    path: "/api/v1/auth/device/{user_code}",
    tag: "Access",
    summary: "Let a device in as you, or refuse it",
    access: anyUser,
    params,
    body: Type.Object(
      { decision: Type.Enum(["approve", "deny"], { description: "Whether to let it in." }) },
      { additionalProperties: false, description: "The decision." },
    ),
    success: [{ status: 204, description: "The device learns of it when it asks next." }],
    problems: ["not_found", "invalid_body"],
  }),
} as const;
