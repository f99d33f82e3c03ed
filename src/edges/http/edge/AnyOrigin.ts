/** Headers that let web pages of any origin read an answer (Fetch standard, "HTTP CORS protocol"). */
export const anyOrigin = { "access-control-allow-origin": "*" }

/** On every answer of a route that is open to any origin, errors included. */
export const readable = {
  ...anyOrigin,
  "access-control-expose-headers": "etag, x-request-id, retry-after, ratelimit, ratelimit-policy"
}
