/** Headers that let web pages of any origin read an answer (Fetch standard, "HTTP CORS protocol"). */
export const anyOrigin = { "access-control-allow-origin": "*" }

/** Of every answer of a route that is open to them, errors too. */
export const readable = {
  ...anyOrigin,
  "access-control-expose-headers": "etag, x-request-id, retry-after, ratelimit, ratelimit-policy"
}
