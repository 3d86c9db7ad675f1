"""Keeps a copy of all addresses in a file: from a snapshot the first time, and then by what has changed since."""
import gzip
import hashlib
import json
import os
import time
import urllib.error
import urllib.request

REGISTRY, KEY = os.environ["REGISTRY"], os.environ["KEY"]
COPY = os.environ.get("COPY", "addresses.json")


def get(url: str):
    request = urllib.request.Request(url, headers={"Authorization": f"Api-Key {KEY}"})
    while True:
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            if error.code == 410:
                raise
            # Too many calls in this minute, or a snapshot that is being made.
            if error.code not in (429, 503):
                raise SystemExit(error.read().decode())
            time.sleep(int(error.headers.get("Retry-After", "60")))


def load_snapshot() -> dict:
    manifest = json.load(get(f"{REGISTRY}/v1/snapshots/latest"))
    addresses = {}
    for part in manifest["parts"]:
        try:
            file = get(part["url"]).read()
        except urllib.error.HTTPError:
            # The part has been written anew under another name, which the list has.
            return load_snapshot()
        if hashlib.sha256(file).hexdigest() != part["sha256"]:
            raise SystemExit(f"{part['url']} is damaged. Run this again.")
        for line in gzip.decompress(file).splitlines():
            address = json.loads(line)
            addresses[address["canonical"]] = address
    return {"cursor": manifest["cursor"], "addresses": addresses}


if os.path.exists(COPY):
    with open(COPY, encoding="utf-8") as file:
        copy = json.load(file)
else:
    copy = load_snapshot()

has_more = True
while has_more:
    try:
        answer = get(f"{REGISTRY}/v1/changes?after={copy['cursor']}")
    except urllib.error.HTTPError:
        # The cursor is from before a restore, or older than the changes that are kept.
        copy = load_snapshot()
        continue
    for line in answer.read().splitlines():
        change = json.loads(line)
        print(change["kind"], change["code"])
        if change.get("address"):
            copy["addresses"][change["code"]] = change["address"]
        else:
            copy["addresses"].pop(change["code"], None)
    copy["cursor"] = answer.headers.get("Next-Cursor") or copy["cursor"]
    has_more = answer.headers.get("Link") is not None

# The cursor and what it stands for are written together.
with open(f"{COPY}.part", "w", encoding="utf-8") as file:
    json.dump(copy, file)
os.replace(f"{COPY}.part", COPY)
print(len(copy["addresses"]), "addresses")
