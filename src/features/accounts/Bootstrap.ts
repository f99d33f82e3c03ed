/**
 * The first start: if the log has no account, opens the first one, with the operator's key (`BOOTSTRAP_API_KEY`) or a
 * new one that is printed once. Nodes that start at the same time open the same account, because the key's id is the
 * same, and one of them succeeds.
 */
import { Config, Console, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { AccountOpened } from "#domain/account/Event.ts"
import { RequestSubmitted } from "#domain/inference-request/Event.ts"
import * as Money from "#domain/Money.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { PublicUrls, type Urls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import { Accounts } from "./Accounts.ts"
import * as ApiKey from "./ApiKey.ts"

const apiKeyText = Schema.String.check(
  Schema.makeFilter((text: string) => Option.isSome(ApiKey.parse(text)), { expected: "<keyId>:<secret>" })
)

const balanceText = Schema.String.check(
  Schema.makeFilter((text: string) => Option.exists(Money.parse(text), (amount) => amount >= 0n), {
    expected: "an amount in USD such as 25 or 0.50"
  })
)

export const bootstrapApiKey = Setting.optional({
  name: "BOOTSTRAP_API_KEY",
  config: (name) => Config.schema(Schema.Redacted(apiKeyText), name),
  defaultText: "made and printed once",
  description: "the API key of the first account; used when there is no account yet",
  accepts: "`<keyId>:<secret>`",
  example: "ops:9f8a2c51d0",
  isSecret: true
})

export const bootstrapBalance = Setting.make({
  name: "BOOTSTRAP_BALANCE",
  config: (name) => Config.schema(balanceText, name),
  default: "25",
  description: "the first account's balance in USD; used when there is no account yet",
  accepts: "an amount of at least 0 with at most 9 decimals",
  example: "100.50"
})

const chosenKey = Config.map(
  bootstrapApiKey.config,
  Option.flatMap((text) => ApiKey.parse(Redacted.value(text)))
)

const balance = Config.map(bootstrapBalance.config, (text) =>
  Option.getOrElse(Money.parse(text), () => Money.zero)
)

/** Event types that imply an account, the most common first. */
const ofAccounts: ReadonlySet<string> = new Set(
  [AccountOpened, RequestSubmitted].map(({ fields }) => fields._tag.schema.literal)
)

/** Before its first account a log only has the operator's models and worker keys, so a page or two suffice. */
const hasAccount = Effect.gen(function* () {
  const reader = yield* EventReader
  const first = reader.readAll(GlobalPosition.beginning).pipe(
    Stream.filter(({ type }) => ofAccounts.has(type)),
    Stream.runHead
  )
  return Option.isSome(yield* first)
})

/** Printed once; the secret cannot be read again. */
const welcome = (key: ApiKey.ApiKey, balance: Money.NanoUsd, { baseUrl, queueUrl }: Urls) => `
The first account is open, with a balance of ${Money.format(balance)} USD. Its API key, shown this once:

  ${ApiKey.format(key)}

Sign in with it at ${baseUrl}/console, or try it from another terminal in this folder:

  curl -s '${queueUrl}/vision/ocr' \\
    -H 'Authorization: Key ${ApiKey.format(key)}' -H 'Prefer: wait=30' \\
    -H 'Content-Type: application/json' -d @examples/ocr.json
`

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const urls = yield* PublicUrls
    const masterKey = yield* MasterKey
    const chosen = yield* chosenKey
    const opening = yield* balance
    if (yield* hasAccount) return
    const digits = masterKey.keyFor("first account").toString("hex")
    const key = Option.getOrElse(chosen, () => ApiKey.makeOf(digits))
    const { opened } = yield* accounts.open({ name: "default", key, balance: opening })
    if (Option.isNone(chosen) && opened) yield* Console.log(welcome(key, opening, urls))
  })
)
