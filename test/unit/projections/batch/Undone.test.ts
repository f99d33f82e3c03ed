/**
 * A batch that was rolled back because another projection failed is applied again; nothing of the first time may
 * remain.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Story from "#test/support/domain/file/Story.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Deliveries from "#test/support/projections/deliveries/DeliveryLog.ts"
import * as Files from "#test/support/projections/files/FileLog.ts"
import * as AccountLog from "#test/support/projections/ledger/AccountLog.ts"
import { dump } from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { applyAll } from "#test/support/projections/batch/Batch.ts"

/** The last projection. Fails at the first request that ends: at the event, or when the batch is written. */
const broken = (isLate: boolean): Projection => ({
  name: "broken",
  version: 1,
  tables: "CREATE TABLE broken_rows (id TEXT) STRICT",
  open: () => {
    let hasFailed = false
    const fail = () => {
      throw new Error("not applicable")
    }
    const seen = () => {
      hasFailed = true
      if (!isLate) fail()
    }
    const buffer = { write: () => void (hasFailed && fail()), forget: () => void (hasFailed = false) }
    return { rules: [{ type: "RequestCancelled", apply: seen }], buffers: [buffer] }
  }
})

const lives = Effect.gen(function* () {
  yield* AccountLog.topUp(Log.alice, "25")
  const webhook = { url: "https://one.example", events: ["start", "completed"], filtered: true } as const
  for (const number of [1, 2, 3]) {
    yield* Log.append(number, { ...Log.submitted(Log.alice, Log.echo), webhook })
  }
  yield* Log.append(1, Log.dispatched(1), Log.started(1), Log.completed(1))
  yield* Deliveries.deliver(1, Deliveries.scheduled(1), Deliveries.started(1))
  yield* Files.perform(1, Files.initiate({ size: 100 }))
  yield* Files.perform(2, Files.keep({ stored: Files.stored(10) }))
  yield* Log.append(2, { _tag: "RequestCancelled", at: Log.t0, reason: "requested" })
  yield* AccountLog.limit(Log.alice, "1", 3)
  yield* Log.append(4, Log.submitted(Log.bob, Log.slow))
  yield* Deliveries.deliver(1, Deliveries.failed(1, Log.t0 + 5_000))
  yield* Deliveries.deliver(2, Deliveries.scheduled(2))
  yield* Files.perform(1, Files.complete(80))
  yield* Files.perform(2, Files.remove())
  yield* Files.perform(3, Files.keep({ kind: "thumbnail", stored: Files.stored(5) }))
  yield* Log.append(3, Log.dispatched(1), Log.started(1), Log.completed(1))
})

/** The rows of the projections after the batches, and which of them failed. */
const rowsOf = (
  projections: ReadonlyArray<Projection>,
  ...batches: ReadonlyArray<ReadonlyArray<RecordedEvent>>
) =>
  Effect.map(TempDirectory.make, (directory) => {
    const filename = `${directory}/projections.sqlite`
    const failures = applyAll(filename, projections, batches)
    const { checkpoints: _, broken_rows: __, ...rows } = dump(filename)
    return { rows, failed: failures.map(({ member }) => member.name) }
  }).pipe(Effect.scoped)

const logged = Effect.flatMap(EventReader, ({ readAll }) =>
  Stream.runCollect(readAll(GlobalPosition.beginning))
)

const submit = (number: number) => Log.append(number, Log.submitted(Log.alice, Log.echo))
const deliver = (number: number) => Deliveries.deliver(number, Deliveries.scheduled(number))
const upload = (number: number) => Files.write(number, Story.initiated())

describe("A batch that was rolled back", () => {
  it.effect.each([false, true])(
    "leaves the same rows as a batch that was not (detected when written: %s)",
    (isLate) =>
      Effect.gen(function* () {
        yield* lives
        const events = yield* logged
        const alone = yield* rowsOf(allProjections, events)
        assert.lengthOf(alone.rows["ledger_entries"] ?? [], 8)
        assert.lengthOf(alone.rows["duework_owed"] ?? [], 1)
        assert.lengthOf(alone.rows["deliveries_lanes"] ?? [], 1)
        assert.deepStrictEqual(alone.rows["files_bytes"], [{ account_id: Log.alice, bytes: 80 }])
        assert.deepStrictEqual(alone.rows["files_removals"], [{ file_id: Files.fileId(2) }])
        const beside = yield* rowsOf([...allProjections, broken(isLate)], events)
        assert.deepStrictEqual(beside.failed, ["broken"])
        assert.deepStrictEqual(beside.rows, alone.rows)
      }).pipe(Effect.provide(MemoryEventStore.layer))
  )

  const written: ReadonlyArray<readonly [Projection, (number: number) => ReturnType<typeof deliver>]> = [
    [LedgerProjection.projection, (number) => Effect.asVoid(submit(number))],
    [DeliveriesProjection.projection, deliver],
    [FilesProjection.projection, upload]
  ]
  for (const [projection, add] of written) {
    it.effect(
      `leaves the ${projection.name} before the event that could not be written, with everything before it once`,
      () =>
        Effect.gen(function* () {
          yield* add(1)
          yield* AccountLog.topUp(Log.alice, "25")
          yield* add(2)
          const good = yield* logged
          yield* add(1)
          yield* add(3)
          const events = yield* logged
          const until = yield* rowsOf([projection], good)
          const failing = yield* rowsOf([projection], events.slice(0, 1), events.slice(1))
          assert.deepStrictEqual(failing.failed, [projection.name])
          assert.deepStrictEqual(failing.rows, until.rows)
        }).pipe(Effect.provide(MemoryEventStore.layer))
    )
  }
})
