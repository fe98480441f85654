import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(scrypt);
const keyBytes = 32;

export async function hashPassword(password) {
  const salt = randomBytes(16);
  return `scrypt:${salt.toString("hex")}:${(await derive(password, salt, keyBytes)).toString("hex")}`;
}

export async function isPasswordOf(hash, password) {
  const [, salt, key] = hash.split(":");
  return timingSafeEqual(Buffer.from(key, "hex"), await derive(password, Buffer.from(salt, "hex"), keyBytes));
}
