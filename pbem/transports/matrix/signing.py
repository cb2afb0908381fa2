"""Sign the bot's device with keys of its account (cross-signing): strict clients neither read nor write to others.

Source: the Matrix client-server API, cross-signing; canonical JSON.
"""

import json
import os
from pathlib import Path
from typing import Any

from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa
from unpaddedbase64 import decode_base64, encode_base64

from pbem.errors import TemporaryFailure
from pbem.transports.matrix.session import Refused, Session, keep

__all__ = ["cross_sign"]

KEYS = "cross_signing.json"
USES = ("master", "self_signing", "user_signing")


class _Key:
    """Hold one key; `id` is how the server knows it.

    Secret: the seed.
    """

    def __init__(self, seed: bytes) -> None:
        self._key = ECC.construct(curve="Ed25519", seed=seed)
        self.public = str(encode_base64(self._key.public_key().export_key(format="raw")))
        self.id = f"ed25519:{self.public}"

    def sign(self, thing: dict[str, Any]) -> str:
        """Sign a thing as canonical JSON."""
        bare = {name: value for name, value in thing.items() if name not in ("signatures", "unsigned")}
        text = json.dumps(bare, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return str(encode_base64(eddsa.new(self._key, "rfc8032").sign(text.encode())))


async def cross_sign(session: Session) -> None:
    """Publish the account's keys, if the server has others, and sign our device, if it is not.

    Raises: TemporaryFailure, PermanentFailure.
    """
    keys, user, device_id = _keys(session.folder / KEYS), session.user_id, session.client.device_id
    known = await session.call("POST", "keys", "query", body={"device_keys": {user: []}})
    published = known.get("master_keys", {}).get(user, {}).get("keys", {})
    if keys["master"].id not in published:
        await _publish(session, keys)
    device = known.get("device_keys", {}).get(user, {}).get(device_id)
    key = keys["self_signing"]
    if device is None:
        raise TemporaryFailure("the homeserver does not know the bot's device yet")
    if key.id not in device.get("signatures", {}).get(user, {}):
        bare = {name: value for name, value in device.items() if name != "unsigned"}
        signed = {**bare, "signatures": {user: {key.id: key.sign(bare)}}}
        done = await session.call("POST", "keys", "signatures", "upload", body={user: {device_id: signed}})
        if done.get("failures"):
            raise TemporaryFailure("the homeserver does not take the signature of the bot's device")


async def _publish(session: Session, keys: dict[str, _Key]) -> None:
    """Publish the keys; a server that has others asks for the password."""
    user, body = session.user_id, dict[str, Any]()
    for use, key in keys.items():
        body[f"{use}_key"] = {"user_id": user, "usage": [use], "keys": {key.id: key.public}}
    for use in USES[1:]:
        part = body[f"{use}_key"]
        part["signatures"] = {user: {keys["master"].id: keys["master"].sign(part)}}
    place = ("keys", "device_signing", "upload")
    try:
        await session.call("POST", *place, body=body)
    except Refused as refused:
        if not refused.session:
            raise
        proof = {
            "type": "m.login.password", "session": refused.session, "password": session.account.password,
            "identifier": {"type": "m.id.user", "user": user},
        }  # fmt: skip
        await session.call("POST", *place, body={**body, "auth": proof})


def _keys(path: Path) -> dict[str, _Key]:
    """Read the three keys, made and kept the first time.

    New ones look like a changed identity to every player: they are kept with the device.
    """
    if not path.exists():
        keep(path, {use: str(encode_base64(os.urandom(32))) for use in USES})
    seeds = json.loads(path.read_text(encoding="utf-8"))
    return {use: _Key(decode_base64(seeds[use])) for use in USES}
