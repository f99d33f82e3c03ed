/** The quota of an account's files. */
import { Clock, Config, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId } from "#domain/Ids.ts"
import { Files } from "#projections/files/Files.ts"
import { Projections } from "#projections/Projections.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"
import { QuotaExceeded } from "./FileErrors.ts"
import { putWindow } from "./FileLimits.ts"

const SizeText = Schema.String.check(
  Schema.makeFilter((text: string) => Option.isSome(ByteSize.parse(text)), {
    expected: "a size such as 100GiB, 1.5TB or 0B"
  })
)

export const storageQuota = Setting.optional({
  name: "STORAGE_QUOTA",
  config: (name) =>
    Config.map(Config.schema(SizeText, name), (text) => Option.getOrElse(ByteSize.parse(text), () => 0)),
  defaultText: "none: any amount",
  description: "the quota for files of accounts that have no quota of their own",
  accepts: "a number with `B`, `KB`, `MB`, `GB`, `TB`, `KiB`, `MiB`, `GiB` or `TiB`",
  example: "100GiB"
})

export class StorageQuota extends Context.Service<
  StorageQuota,
  {
    /**
     * Fails if `bytes` more would exceed the quota. Concurrent uploads do not see each other, so an account may exceed
     * it by these. Announced files count as declared, multipart ones until they expire, others as long as their PUT may
     * arrive. Outputs count and are never refused.
     */
    require(
      accountId: AccountId,
      bytes: number
    ): Effect.Effect<void, QuotaExceeded | EventStoreError | SqlError>
    /** The bytes that count, and the most; `null` without a quota. */
    standing(
      accountId: AccountId
    ): Effect.Effect<{ readonly used: number; readonly limit: number | null }, EventStoreError | SqlError>
    /** Room of the account in bytes; `null` without a quota. */
    room(accountId: AccountId): Effect.Effect<number | null, EventStoreError | SqlError>
  }
>()("inferlog/src/features/media/storage/StorageQuota") {
  /** The account's own quota, or else `STORAGE_QUOTA`. Without one nothing is counted. */
  static readonly layer = Layer.effect(
    StorageQuota,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const files = yield* Files
      const projections = yield* Projections
      const reader = yield* EventReader
      const fallback = Option.getOrNull(yield* storageQuota.config)

      const limitOf = (accountId: AccountId) =>
        Effect.map(actors.current(accountId), ({ state }) =>
          state._tag === "Account" ? (state.limits.maxStoredBytes ?? fallback) : fallback
        )

      /** Waits at most 2 s for the log's state when this began. */
      const usedBy = Effect.fnUntraced(function* (accountId: AccountId) {
        yield* projections.waitFor(yield* reader.head, { projection: "files" })
        const now = yield* Clock.currentTimeMillis
        return yield* files.bytesOf(accountId, { singlesSince: now - Duration.toMillis(putWindow) })
      })

      const standing = Effect.fn("StorageQuota.standing")(function* (accountId: AccountId) {
        const limit = yield* limitOf(accountId)
        return { used: yield* usedBy(accountId), limit }
      })

      const require = Effect.fn("StorageQuota.require")(function* (accountId: AccountId, bytes: number) {
        const limit = yield* limitOf(accountId)
        if (limit === null) return
        const used = yield* usedBy(accountId)
        if (used + bytes > limit) return yield* new QuotaExceeded({ limit, used })
      })

      const room = Effect.fn("StorageQuota.room")(function* (accountId: AccountId) {
        const limit = yield* limitOf(accountId)
        return limit === null ? null : Math.max(0, limit - (yield* usedBy(accountId)))
      })

      return StorageQuota.of({ standing, require, room })
    })
  )
}
