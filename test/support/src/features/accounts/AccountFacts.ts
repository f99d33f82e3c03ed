/** Helpers for tests of accounts. */
import { Effect, Redacted, Stream } from "effect"
import { KeyId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import type * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

export const key = (keyId: string, secret: string): ApiKey.ApiKey => ({
  keyId: KeyId.make(keyId),
  secret: Redacted.make(secret)
})

export const open = Effect.fnUntraced(function* (first: ApiKey.ApiKey, name = "acme") {
  const accounts = yield* Accounts
  return yield* accounts.open({ name, key: first, balance: Money.NanoUsd.make(25_000_000_000n) })
})

/** All text on the log. */
export const logText = Effect.gen(function* () {
  const reader = yield* EventReader
  const all = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  return all.map(({ stream, type, text }) => `${stream} ${type} ${text}`).join("\n")
})
