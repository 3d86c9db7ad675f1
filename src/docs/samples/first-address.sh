# Resolve a code: no account, no key.
curl --fail --silent --show-error "$REGISTRY/v1/public/addresses/NG-1377-48215"

# Register a person. The answer holds an access token for 30 minutes.
ACCESS=$(curl --fail --silent --show-error "$REGISTRY/v1/auth/register" \
  -H 'Content-Type: application/json' -d "{\"phone\": \"$PHONE\", \"password\": \"correct horse battery\"}" \
  | sed 's/.*"access":"\([^"]*\)".*/\1/')

# Create an address. The key makes it safe to send this again.
curl --fail --silent --show-error "$REGISTRY/v1/addresses" \
  -H "Authorization: Bearer $ACCESS" -H 'Idempotency-Key: my-first-address' \
  -H 'Content-Type: application/json' -d '{"lat": 6.5244, "lng": 3.3792, "label": "Blue gate"}'
