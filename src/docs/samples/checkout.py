import json
import os
import urllib.error
import urllib.parse
import urllib.request

from read_code import read_code

REGISTRY = os.environ["REGISTRY"]


def ask(path: str) -> dict:
    with urllib.request.urlopen(f"{REGISTRY}/v1/public/addresses/{path}", timeout=10) as answer:
        return json.load(answer)


def delivery_of(form: dict[str, str]) -> dict:
    """What a shop's server does with the code of an order: it trusts no page, so it reads and resolves the code itself."""
    # A private address comes with its link. It is resolved now and not stored, because a link ends.
    link = urllib.parse.urlsplit(form.get("delivery_share", ""))
    try:
        code = read_code(link.path.rpartition("/")[2] if link.path else form["delivery"])
    except ValueError as fault:
        return {"refused": str(fault)}
    share = urllib.parse.parse_qs(link.query).get("share", [])
    query = "?" + urllib.parse.urlencode({"share": share[0]}) if share else ""
    unit = form.get("delivery_unit", "")
    try:
        address = ask(code + query)
        units = [listed["unit"] for listed in ask(f"{code}/units{query}")["data"]] if unit else []
    except urllib.error.HTTPError as error:
        if error.code == 429 or error.code >= 500:
            # The registry is away or busy: take the order, and resolve the code when the parcel leaves.
            return {"unchecked": code, "unit": unit}
        problem = json.load(error)
        return {"refused": problem["code"], "successor": problem.get("successor")}
    except OSError:
        return {"unchecked": code, "unit": unit}
    # Nothing stands at the address of a test.
    if address.get("test"):
        return {"refused": "SANDBOX"}
    # A remark for whoever packs the parcel, and no refusal: the owner may not have listed every flat.
    unlisted = bool(units) and unit not in units
    where = {name: address[name] for name in ("display", "lat", "lng", "label")}
    return where | {"unit": unit, "unlisted": unlisted, "note": form.get("delivery_note")}


if __name__ == "__main__":
    print(delivery_of({"delivery": "ng 1377 48215", "delivery_unit": "3B"}))
