import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import type { Command } from "#domain/file/Command.ts"
import type { Stored, UploadMethod } from "#domain/file/Event.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, FileId, KeyId } from "#domain/Ids.ts"
import { zero } from "#domain/Money.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { Files } from "#projections/files/Files.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { putWindow } from "#src/features/media/storage/FileLimits.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import { requestId, t0 } from "#test/support/projections/RequestLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const alice = AccountId.make("acc_00000000000000a1")
const bob = AccountId.make("acc_00000000000000b0")
const fileId = (number: number) => FileId.make(String(number).padStart(24, "0"))

/** With `STORAGE_QUOTA`, or without it. */
const layer = (quota: string, projections: ReadonlyArray<Projection> = allProjections) =>
  StorageQuota.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(AccountActors.layer, FileActors.layer)),
    Layer.provideMerge(Files.layer.pipe(Layer.provide(ReadModels.layer))),
    Layer.provideMerge(
      TempDirectory.provide((directory) =>
        Projections.layerInProcess({ filename: `${directory}/projections.sqlite`, projections })
      )
    ),
    Layer.provideMerge(Layer.mergeAll(MemoryEventStore.layer, IdGenerator.layer)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ STORAGE_QUOTA: quota }))),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )

const open = (accountId: AccountId, maxStoredBytes: number | null) =>
  Effect.gen(function* () {
    const { execute } = yield* AccountActors
    const key = { keyId: KeyId.make(`key of ${accountId}`), name: "first key", secretHash: "none" }
    yield* execute(accountId, { _tag: "Open", at: t0, accountId, name: "acme", key, balance: zero })
    yield* limit(accountId, maxStoredBytes)
  })

const limit = (accountId: AccountId, maxStoredBytes: number | null) =>
  Effect.flatMap(AccountActors, ({ execute }) =>
    execute(accountId, { _tag: "ChangeLimits", at: t0, limits: { ...noLimits, maxStoredBytes } })
  )

const file = (number: number, command: Command) =>
  Effect.flatMap(FileActors, ({ execute }) => execute(fileId(number), command))

const initiate = (
  number: number,
  accountId: AccountId,
  size: number | null,
  method: UploadMethod = { _tag: "Single" }
) =>
  file(number, {
    _tag: "InitiateUpload",
    upload: {
      at: t0,
      accountId,
      keyId: KeyId.make("key"),
      contentType: "image/png",
      size,
      method,
      expiresAt: t0 + 1,
      payloads: { name: { hash: "hash", size: 2 } }
    }
  })

const stored = (size: number): Stored => ({ size, etag: "etag", sha256: null })

const complete = (number: number, size: number) =>
  file(number, { _tag: "CompleteUpload", at: t0, stored: stored(size), expiresAt: t0 + 1 })

const output = (number: number, accountId: AccountId, size: number) =>
  file(number, {
    _tag: "StoreOutput",
    output: {
      at: t0,
      accountId,
      requestId: requestId(1),
      kind: "output",
      fileName: "out.png",
      contentType: "image/png",
      stored: stored(size),
      expiresAt: t0 + 1
    }
  })

const require = (accountId: AccountId, bytes: number) =>
  Effect.flatMap(StorageQuota, (quota) => quota.require(accountId, bytes))

/** The error for `bytes` more. */
const errorAnswer = (accountId: AccountId, bytes: number) =>
  Effect.map(Effect.flip(require(accountId, bytes)), (error) =>
    error._tag === "QuotaExceeded" ? { limit: error.limit, used: error.used } : error._tag
  )

describe("The storage quota", () => {
  it.live("admits uploads up to its last byte, and no byte more", () =>
    Effect.gen(function* () {
      yield* open(alice, 1_000)
      yield* require(alice, 1_000)
      assert.deepStrictEqual(yield* errorAnswer(alice, 1_001), { limit: 1_000, used: 0 })
      yield* initiate(1, alice, null)
      yield* complete(1, 600)
      yield* require(alice, 400)
      assert.deepStrictEqual(yield* errorAnswer(alice, 401), { limit: 1_000, used: 600 })
    }).pipe(Effect.provide(layer("")))
  )

  it.effect("counts announced files and outputs, of the account only", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(t0)
      yield* open(alice, 1_000)
      yield* open(bob, 1_000)
      yield* initiate(1, alice, 100)
      yield* output(2, alice, 20)
      yield* output(3, bob, 999)
      assert.deepStrictEqual(yield* errorAnswer(alice, 881), { limit: 1_000, used: 120 })
      yield* require(alice, 880)
      yield* require(bob, 1)
      yield* file(2, { _tag: "Delete", at: t0, reason: "requested" })
      yield* require(alice, 900)
    }).pipe(Effect.provide(layer("")))
  )

  it.effect("counts a file announced in one PUT until its URL expires, and in parts beyond that", () =>
    Effect.gen(function* () {
      yield* open(alice, 1_000)
      yield* initiate(1, alice, 100)
      yield* initiate(2, alice, 20, { _tag: "Multipart", uploadId: "upload" })
      yield* TestClock.setTime(t0 + Duration.toMillis(putWindow) - 1)
      assert.deepStrictEqual(yield* errorAnswer(alice, 881), { limit: 1_000, used: 120 })
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* errorAnswer(alice, 981), { limit: 1_000, used: 20 })
      yield* require(alice, 980)
      // An upload begun in time counts with its size.
      yield* complete(1, 90)
      assert.deepStrictEqual(yield* errorAnswer(alice, 891), { limit: 1_000, used: 110 })
    }).pipe(Effect.provide(layer("")))
  )

  it.live("counts files stored a moment before", () =>
    Effect.gen(function* () {
      yield* open(alice, 50)
      for (let number = 1; number <= 50; number++) {
        yield* output(number, alice, 1)
        assert.deepStrictEqual(yield* errorAnswer(alice, 50), { limit: 50, used: number })
      }
    }).pipe(Effect.provide(layer("")))
  )

  it.live("applies as soon as it is changed, and rejects uploads while the usage exceeds it", () =>
    Effect.gen(function* () {
      yield* open(alice, null)
      yield* output(1, alice, 600)
      yield* require(alice, 1_000)
      yield* limit(alice, 500)
      assert.deepStrictEqual(yield* errorAnswer(alice, 0), { limit: 500, used: 600 })
      yield* limit(alice, 0)
      assert.deepStrictEqual(yield* errorAnswer(alice, 1), { limit: 0, used: 600 })
      yield* limit(alice, null)
      yield* require(alice, Number.MAX_SAFE_INTEGER)
    }).pipe(Effect.provide(layer("")))
  )

  it.live("is STORAGE_QUOTA for an account without its own, even if larger or smaller", () =>
    Effect.gen(function* () {
      yield* open(alice, null)
      assert.deepStrictEqual(yield* errorAnswer(alice, 2_049), { limit: 2_048, used: 0 })
      yield* require(alice, 2_048)
      assert.deepStrictEqual(yield* errorAnswer(bob, 2_049), { limit: 2_048, used: 0 })
      yield* limit(alice, 4_000)
      yield* require(alice, 4_000)
      yield* limit(alice, 0)
      assert.deepStrictEqual(yield* errorAnswer(alice, 1), { limit: 0, used: 0 })
      yield* require(alice, 0)
    }).pipe(Effect.provide(layer("2KiB")))
  )

  it.live("counts nothing when it is not set", () =>
    Effect.gen(function* () {
      yield* open(alice, null)
      yield* require(alice, Number.MAX_SAFE_INTEGER)
      yield* require(bob, Number.MAX_SAFE_INTEGER)
      // No tables exist to count in.
      yield* limit(alice, 1)
      assert.strictEqual(yield* errorAnswer(alice, 1), "SqlError")
    }).pipe(Effect.provide(layer("", [])))
  )

  it.live("uses the last count when counting has stopped", () =>
    Effect.gen(function* () {
      yield* open(alice, 1_000)
      yield* output(1, alice, 600)
      assert.deepStrictEqual(yield* errorAnswer(alice, 401), { limit: 1_000, used: 600 })
      yield* (yield* EventStore).append({
        stream: StreamName.make("File", fileId(2)),
        expected: ExpectedVersion.Any,
        events: [{ id: "broken", type: "OutputStored", time: t0, data: { broken: true } }]
      })
      yield* output(3, alice, 400)
      yield* require(alice, 400)
    }).pipe(Effect.provide(layer("")))
  )
})
