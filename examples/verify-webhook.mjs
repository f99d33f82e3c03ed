import { createHmac, timingSafeEqual } from "node:crypto"

/** Throws unless `body`, the bytes as they came, was signed with `secret` in the last five minutes. */
export function verify(secret, headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers
  if (!(Math.abs(Date.now() / 1000 - time) <= 300)) throw new Error("too old, or the clocks differ")
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const expected = `v1,${createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64")}`
  const isIt = (one) =>
    one.length === expected.length && timingSafeEqual(Buffer.from(one), Buffer.from(expected))
  if (!signatures.split(" ").some(isIt)) throw new Error("not signed with this secret")
}
