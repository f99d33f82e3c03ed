/** Accounts with passwords on nodes that share the log of the test. Hashes are cheap unless a test changes that. */
import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { Effect, Layer, Redacted } from "effect"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { key, open } from "./AccountFacts.ts"

export const cheap = { ln: 4, r: 8, p: 1 }

export const nodeLayer = (masterKey: Buffer = Buffer.alloc(32, 1), cost = cheap) =>
  Layer.mergeAll(Passwords.layer, Accounts.layer).pipe(
    Layer.provideMerge(AccountActors.layer),
    Layer.provide([MasterKey.layerOf(masterKey), IdGenerator.layer, Layer.succeed(ScryptCost, cost)])
  )

/** The only node of a test, and its log. */
export const layer = nodeLayer().pipe(Layer.provideMerge(MemoryEventStore.layer))

/** One of several nodes. */
export const start = Effect.fnUntraced(function* (masterKey?: Buffer) {
  const context = yield* Layer.build(Layer.fresh(nodeLayer(masterKey)))
  return {
    passwords: yield* Effect.provide(Passwords, context),
    on: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
  }
})

/** Opens an account and returns its id. */
export const account = Effect.map(open(key("operator", "s3cret")), ({ accountId }) => accountId)

export const right = Redacted.make("correct horse battery")
export const wrong = Redacted.make("correct horse batterx")

/** The calls of scrypt until the scope ends, and the most at once. */
export const watchScrypt = Effect.acquireRelease(
  Effect.sync(() => {
    const { scrypt } = crypto
    const seen = { costs: new Array<unknown>(), atOnce: 0, most: 0, restore: () => replace(scrypt) }
    replace(((password, salt, length, options, callback) => {
      seen.costs.push(options)
      seen.most = Math.max(seen.most, ++seen.atOnce)
      scrypt(password, salt, length, options, (error, hash) => {
        seen.atOnce--
        callback(error, hash)
      })
    }) as typeof scrypt)
    return seen
  }),
  ({ restore }) => Effect.sync(restore)
)

const replace = (scrypt: typeof crypto.scrypt) => {
  crypto.scrypt = scrypt
  syncBuiltinESMExports()
}
