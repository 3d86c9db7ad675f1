import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

from read_entry import read_entry

REGISTRY = os.environ["REGISTRY"]


def ask(path: str) -> dict:
    with urllib.request.urlopen(f"{REGISTRY}/v1/public/addresses/{path}", timeout=10) as answer:
        return json.load(answer)


def delivery_of(form: dict[str, str]) -> dict:
    """What a shop's server does with the code of an order: it trusts no page, so it reads and resolves the code itself."""
    # A private address comes with its link. It is resolved now and not stored, because a link ends.
    try:
        code, unit, share = read_entry(form.get("delivery_share") or form.get("delivery", ""))
    except ValueError as fault:
        return {"refused": str(fault)}
    query = "?" + urllib.parse.urlencode({"share": share}) if share else ""
    # Without a script, the unit may stand behind the code, or in the link.
    unit = form.get("delivery_unit") or unit
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
    delivery = delivery_of({"delivery": sys.argv[1] if len(sys.argv) > 1 else "ng 1377 48215 / 3B"})
    print(json.dumps(delivery))
    sys.exit(1 if "refused" in delivery else 0)
