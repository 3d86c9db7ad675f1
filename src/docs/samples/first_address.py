import json, os, urllib.error, urllib.request

REGISTRY, PHONE = os.environ["REGISTRY"], os.environ["PHONE"]

def call(path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers |= {} if body is None else {"Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(REGISTRY + path, data, headers)) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        # The problem says what is wrong and how to mend it.
        raise SystemExit(error.read().decode())

found = call("/v1/public/addresses/NG-1377-48215")
print(found["locality"], found["lat"], found["lng"])

person = call("/v1/auth/register", {"phone": PHONE, "password": "correct horse battery"})
address = call("/v1/addresses", {"lat": 6.5244, "lng": 3.3792, "label": "Blue gate"},
               Authorization="Bearer " + person["access"], **{"Idempotency-Key": "my-first-address"})
print(address["display"], address["qr_url"])
