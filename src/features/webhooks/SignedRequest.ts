/** The request of an attempt (contract, "Events"). */
import { Clock, Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { SigningSecrets } from "./SigningSecrets.ts"

/** Ready to be sent. */
export interface SignedRequest {
  readonly body: Uint8Array
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

const userAgent = "inferlog-webhooks/1"

export const make = Effect.gen(function* () {
  const secrets = yield* SigningSecrets
  const clock = yield* Clock.Clock

  /** @param at Unix time in ms of the attempt; now by default, by the wall clock. */
  return (id: string, accountId: AccountId, text: string, at = clock.currentTimeMillisUnsafe()) => {
    const body = Buffer.from(text)
    const timestamp = Math.floor(at / 1_000)
    return Effect.mapEager(secrets.sign(accountId, { id, timestamp, body }), (signature): SignedRequest => ({
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signature
      }
    }))
  }
})
