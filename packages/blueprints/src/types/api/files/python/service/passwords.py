"""Passwords are known by their hashes only. A hash tells the work that it took."""

import hashlib
import hmac
import os


def _derive(password, salt, cost):
    return hashlib.scrypt(password.encode(), salt=salt, n=cost, r=8, p=1, dklen=32)


def hash_password(password):
    cost = int(os.environ.get("PASSWORD_COST", "16384"))
    salt = os.urandom(16)
    return f"scrypt:{cost}:{salt.hex()}:{_derive(password, salt, cost).hex()}"


def is_password_of(hashed, password):
    _, cost, salt, key = hashed.split(":")
    return hmac.compare_digest(bytes.fromhex(key), _derive(password, bytes.fromhex(salt), int(cost)))
