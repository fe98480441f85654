"""Passwords are known by their hashes only."""

import hashlib
import hmac
import os


def _derive(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1, dklen=32)


def hash_password(password):
    salt = os.urandom(16)
    return f"scrypt:{salt.hex()}:{_derive(password, salt).hex()}"


def is_password_of(hashed, password):
    _, salt, key = hashed.split(":")
    return hmac.compare_digest(bytes.fromhex(key), _derive(password, bytes.fromhex(salt)))
