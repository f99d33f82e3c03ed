/** The settings of the webhook that announces the demand of models. */
import { Config, Duration, Option, Redacted, Result, Schema } from "effect"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as OutboundUrl from "#src/kernel/outbound/OutboundUrl.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"

const Url = Schema.String.check(
  Schema.makeFilter((text) => Result.isSuccess(OutboundUrl.parse(text, { allowPrivate: true })), {
    expected: "an http(s) URL without credentials"
  })
)

export const demandWebhookUrl = Setting.optional({
  name: "DEMAND_WEBHOOK_URL",
  config: (name) => Config.schema(Url, name),
  defaultText: "none: nothing is announced",
  description:
    "where the server announces that a model's queue is no longer empty, or empty again ([scale to zero](../operators/scale-to-zero.md)); it may be a private address",
  accepts: "an `http` or `https` URL without credentials",
  example: "https://scaler.internal/inferlog"
})

/** The least bytes of a secret (Standard Webhooks). */
const fewestBytes = 24

/** The most secrets that sign at once. */
const mostSecrets = 4

/** The keys of the secrets; `null` if one is malformed. */
const keysOf = (text: string): ReadonlyArray<Buffer> | null => {
  const keys = text.trim().split(/\s+/).map(StandardWebhooks.secretBytes)
  const good = keys.flatMap((key) =>
    Result.isSuccess(key) && key.success.length >= fewestBytes ? [key.success] : []
  )
  return good.length === keys.length && keys.length <= mostSecrets ? good : null
}

const Secrets = Schema.String.check(
  Schema.makeFilter((text: string) => keysOf(text) !== null, {
    expected: "whsec_ and the base64 of at least 24 bytes"
  })
)

export const demandWebhookSecret = Setting.optional({
  name: "DEMAND_WEBHOOK_SECRET",
  config: (name) => Config.schema(Schema.Redacted(Secrets), name),
  defaultText: "required with `DEMAND_WEBHOOK_URL`",
  description:
    "signs the calls to `DEMAND_WEBHOOK_URL` by Standard Webhooks; during a rotation, the new and the old secret",
  accepts:
    "`whsec_` and the base64 of at least 24 bytes (`openssl rand -base64 32`), or up to four of these separated by spaces",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr",
  isSecret: true
})

const bounds = { minimum: Duration.seconds(1), maximum: Duration.days(1) }

const IdleAfter = Schema.DurationFromString.check(
  Schema.makeFilter((duration) => Duration.between(duration, bounds), {
    expected: "a duration from 1 second to 1 day"
  })
)

export const demandIdleAfter = Setting.make({
  name: "DEMAND_IDLE_AFTER",
  config: (name) => Config.schema(IdleAfter, name),
  default: Duration.minutes(1),
  defaultText: "`1 minute`",
  description: "how long a model must have no requests before `DEMAND_WEBHOOK_URL` is told that it is idle",
  accepts: "a duration from `1 second` to `1 day`",
  example: "5 minutes"
})

/** `DEMAND_WEBHOOK_URL` is set without its secret. */
export class DemandSecretMissing extends Schema.TaggedError<DemandSecretMissing>()(
  "DemandSecretMissing",
  {}
) {
  override readonly message =
    "DEMAND_WEBHOOK_SECRET: DEMAND_WEBHOOK_URL needs it: whsec_ and the base64 of at least 24 bytes (`openssl rand -base64 32`)"
}

export interface Receiver {
  readonly url: string
  /** Each signs. */
  readonly keys: ReadonlyArray<Buffer>
  readonly idleAfterMs: number
}

/** None without a URL. */
export const receiver = Config.all({
  url: demandWebhookUrl.config,
  secret: demandWebhookSecret.config,
  idleAfter: demandIdleAfter.config
}).pipe(
  Config.map(({ idleAfter, secret, url }) =>
    Option.map(url, (url): Receiver => ({
      url,
      keys: Option.match(secret, { onNone: () => [], onSome: (text) => keysOf(Redacted.value(text)) ?? [] }),
      idleAfterMs: Duration.toMillis(idleAfter)
    }))
  )
)
