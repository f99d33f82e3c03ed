/** Dynamic client registration (RFC 7591), open to all within the rate limit. Most clients are never used. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import * as ClientMetadata from "./ClientMetadata.ts"
import * as ClientSecret from "./ClientSecret.ts"
import * as Lifetimes from "./Lifetimes.ts"
import { Records } from "./Records.ts"
import * as RecordLimit from "./RecordLimit.ts"
import * as AddressRateLimit from "./AddressRateLimit.ts"

export const RegistrationLimits = Context.Reference<
  AddressRateLimit.Rates & {
    /** The most clients. A further registration removes the one that expires first. */
    readonly clients: number
  }
>("inferlog/src/edges/oauth/RegistrationLimits", {
  defaultValue: () => ({
    ofAddress: { requests: 60, windowSeconds: 60 },
    ofHouse: { requests: 600, windowSeconds: 60 },
    ofAll: { requests: 3_000, windowSeconds: 60 },
    clients: 20_000
  })
})

export class TooManyRegistrations extends Schema.TaggedError<TooManyRegistrations>()("TooManyRegistrations", {
  retryAfterSeconds: Schema.Int
}) {}

/** The answer to a registration (RFC 7591, 3.2.1). */
interface Registered extends ClientMetadata.ClientMetadata {
  readonly client_id: string
  /** Unix time in seconds. */
  readonly client_id_issued_at: number
  /** Returned once only. */
  readonly client_secret?: string
  /** 0: never. */
  readonly client_secret_expires_at?: 0
}

const model = "Client"

const make = Effect.gen(function* () {
  const records = yield* Records
  const limits = yield* RegistrationLimits
  const rateLimit = yield* AddressRateLimit.make(limits)
  const turn = yield* Semaphore.make(1)

  const makeRoom = RecordLimit.make(records, { model, most: limits.clients })

  const store = Effect.fnUntraced(function* (metadata: ClientMetadata.ClientMetadata) {
    const now = yield* Clock.currentTimeMillis
    const client = {
      ...metadata,
      client_id: crypto.randomBytes(16).toString("base64url"),
      client_id_issued_at: Math.floor(now / 1_000)
    }
    const secret = metadata.token_endpoint_auth_method === "none" ? null : ClientSecret.make()
    const withSecret = (text: string) =>
      ({ ...client, client_secret: text, client_secret_expires_at: 0 }) as const
    yield* makeRoom
    yield* records.put({
      model,
      id: client.client_id,
      payload: secret === null ? client : withSecret(ClientSecret.hash(secret)),
      expiresAt: now + Lifetimes.unusedClient * 1_000,
      grantId: null,
      loginId: null
    })
    const registered: Registered = secret === null ? client : withSecret(Redacted.value(secret))
    return registered
  })

  /** @param clientAddress `""` when unknown. */
  const register = Effect.fn("Registrations.register")(function* (body: unknown, clientAddress: string) {
    const waitSeconds = rateLimit(clientAddress)
    if (waitSeconds > 0) return yield* new TooManyRegistrations({ retryAfterSeconds: waitSeconds })
    const metadata = yield* Effect.fromResult(ClientMetadata.parse(body))
    return yield* turn.withPermit(store(metadata))
  })

  return { register }
})

export class Registrations extends Context.Service<Registrations, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/Registrations"
) {
  static readonly layer = Layer.effect(Registrations, make)
}
