import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(scrypt);
const keyBytes = 32;

/** A hash tells the work that it took, so that a later version may ask for more. */
export async function hashPassword(password) {
  const cost = Number(process.env.PASSWORD_COST ?? 16_384);
  const salt = randomBytes(16);
  const key = await derive(password, salt, keyBytes, { cost });
  return ["scrypt", cost, salt.toString("hex"), key.toString("hex")].join(":");
}

export async function isPasswordOf(hash, password) {
  const [, cost, salt, key] = hash.split(":");
  const derived = await derive(password, Buffer.from(salt, "hex"), keyBytes, { cost: Number(cost) });
  return timingSafeEqual(Buffer.from(key, "hex"), derived);
}
