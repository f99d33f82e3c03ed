/** Accounts and their signing secrets on nodes that share the log of the test. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"

const masterKey = Buffer.alloc(32, 1)

export const storeLayer = MemoryEventStore.layer

const nodeLayer = (masterKey: Buffer) =>
  Layer.mergeAll(SigningSecrets.layer, Accounts.layer).pipe(
    Layer.provideMerge(AccountActors.layer),
    Layer.provide([MasterKey.layerOf(masterKey), IdGenerator.layer])
  )

/** The only node of a test, and its log. */
export const layer = nodeLayer(masterKey).pipe(Layer.provideMerge(storeLayer))

/** One of several nodes. */
export const start = Effect.fnUntraced(function* (options: { readonly masterKey: Buffer } = { masterKey }) {
  const context = yield* Layer.build(Layer.fresh(nodeLayer(options.masterKey)))
  return {
    secrets: yield* Effect.provide(SigningSecrets, context),
    on: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
  }
})

/** Opens an account and returns its id. */
export const account = Effect.map(open(key("operator", "s3cret")), ({ accountId }) => accountId)

/** Collects log lines with their annotations. */
export const logging = (lines: Array<string>) =>
  Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])

const body = Buffer.from(`{"event":"completed"}`)
export const message = { id: "msg_0123456789abcdefABCDEF", timestamp: 1_700_000_000, body }

/** The entry of `webhook-signature` that a receiver with this secret expects. */
export const signedWith = (secret: Redacted.Redacted): string => {
  const bytes = StandardWebhooks.secretBytes(Redacted.value(secret))
  return bytes._tag === "Success"
    ? StandardWebhooks.signature(bytes.success, message)
    : assert.fail("no secret")
}
