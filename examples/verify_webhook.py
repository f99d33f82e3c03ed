import base64, hashlib, hmac, time

def verify(secret, headers, body):
    """Raises ValueError unless body, the bytes as they came, was signed with secret in the last five minutes."""
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(at)) > 300:
        raise ValueError("too old, or the clocks differ")
    key, message = base64.b64decode(secret.removeprefix("whsec_")), f"{id}.{at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest())
    if not any(hmac.compare_digest(expected, one.encode()) for one in headers.get("webhook-signature", "").split(" ")):
        raise ValueError("not signed with this secret")
