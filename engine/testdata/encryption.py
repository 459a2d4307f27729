"""Computes encryption.json with Python's cryptography, and protobuf by hand.

    python3 encryption.py > encryption.json
"""

import base64
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY = bytes(range(0x40, 0x60))


def field(number, value):
    size, length = len(value), b""
    while True:
        more = size >> 7
        length += bytes([size & 0x7F | (0x80 if more else 0)])
        size = more
        if not more:
            return bytes([number << 3 | 2]) + length + value


def payload(metadata, data):
    entries = b"".join(field(1, field(1, k.encode()) + field(2, v.encode())) for k, v in metadata)
    return entries + (field(2, data) if data else b"")


def vector(name, key_id, encoding, data, nonce, reverse=False):
    metadata = [("encoding", encoding), ("encoding-encrypted-key-id", key_id)]
    plain = payload(metadata[::-1] if reverse else metadata, data.encode())
    sealed = nonce + AESGCM(KEY).encrypt(nonce, plain, None)
    return {
        "name": name,
        "keyId": key_id,
        "key": base64.b64encode(KEY).decode(),
        "nonce": nonce.hex(),
        "encoding": encoding,
        "data": data,
        "encrypted": "AES-256-GCM:" + base64.b64encode(sealed).decode(),
        "canonical": not reverse,
    }


REQUEST = (
    '{"processId":"01970000-0000-7000-8000-00000000f001","requestTime":"2026-03-02T10:30:00Z",'
    '"requestTimeZone":"Europe/Madrid"}'
)

print(
    json.dumps(
        [
            vector("a workflow request", "demo-key", "json/plain", REQUEST, bytes(range(12))),
            vector("a text of one character", "demo-key.2", "json/plain", '"é"', bytes(range(100, 112))),
            vector("nothing", "demo-key", "binary/null", "", b"\xff" * 12),
            vector("more than one byte of length", "demo-key", "json/plain", '"' + "x" * 300 + '"', b"\0" * 12),
            vector("metadata in another order", "demo-key", "json/plain", REQUEST, bytes(range(12, 24)), True),
        ],
        indent=2,
        ensure_ascii=False,
    )
)
