/** Three third-party libraries with which receivers verify. */
import { Effect } from "effect"
import { validateWebhook } from "replicate"
import { Webhook as Reference } from "standardwebhooks"
import { Webhook as Svix } from "svix"

/** A request as a receiver got it. */
export interface Signed {
  readonly id: string
  /** Seconds. */
  readonly timestamp: number
  readonly signature: string
  readonly body: string
}

const headers = ({ id, signature, timestamp }: Signed) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signature
})

/** The verifiers that accept the request. */
export const verified = Effect.fnUntraced(function* (secret: string, request: Signed) {
  const { body, timestamp } = request
  const accepts = (verify: () => unknown) =>
    Effect.map(Effect.exit(Effect.try(verify)), ({ _tag }) => _tag === "Success")
  return {
    standardwebhooks: yield* accepts(() => new Reference(secret).verify(body, headers(request))),
    svix: yield* accepts(() => new Svix(secret).verify(Buffer.from(body), headers(request))),
    replicate: yield* Effect.promise(() =>
      validateWebhook({ ...request, timestamp: String(timestamp), body, secret })
    )
  }
})

export const byAll = { standardwebhooks: true, svix: true, replicate: true }
export const byNone = { standardwebhooks: false, svix: false, replicate: false }
