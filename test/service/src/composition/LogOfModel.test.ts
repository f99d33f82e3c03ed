/** The audit of a log on disk, as by the command, for a crowd of the model test. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { inWorld, toRest } from "#test/support/src/composition/model/Play.ts"
import { crowd } from "#test/support/src/composition/model/Script.ts"

interface Written {
  readonly event: RecordedEvent
  /** The ones that were not erased later. */
  readonly payloads: ReadonlyArray<SealedPayload>
}

const payloadsOf = Effect.fnUntraced(function* ({ data, stream }: RecordedEvent) {
  const reader = yield* EventReader
  const names = Object.keys(data["payloads"] ?? {})
  const found = yield* Effect.forEach(names, (name) => reader.payload(stream, name))
  return found.filter((payload) => payload !== null)
})

/** All events on the log of a crowd at rest. */
const written = (seed: number): Promise<ReadonlyArray<Written>> => {
  const [one] = fc.sample(crowd(160), { seed, numRuns: 1 })
  if (one === undefined) throw new Error("expected a crowd")
  return inWorld(
    Effect.gen(function* () {
      yield* toRest(one)
      const reader = yield* EventReader
      const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
      return yield* Effect.forEach(events, (event) =>
        Effect.map(payloadsOf(event), (payloads) => ({ event, payloads }))
      )
    })
  )
}

const write = Effect.fnUntraced(function* (log: ReadonlyArray<Written>) {
  const store = yield* EventStore
  for (const { event, payloads } of log) {
    const { data, id, stream, time, type } = event
    const events = [{ id, type, time, data }] as const
    yield* store.append({
      stream,
      expected: ExpectedVersion.Any,
      events,
      payloads,
      erases: Tombstone.erasedBy(event)
    })
  }
})

describe("The log of a model test", () => {
  it.live(
    "passes the audit, with its read model",
    () =>
      Effect.gen(function* () {
        const log = yield* Effect.promise(() => written(7))
        const directory = yield* TempDirectory.make
        yield* DataDirectory.own(directory, write(log))
        yield* AuditedLog.project(directory)
        const { events, openRequests, overdrafts, readModel } = yield* AuditedLog.audit(directory)
        assert.isAbove(events, 500)
        assert.deepStrictEqual(
          { events, openRequests, overdrafts, readModel },
          {
            events: log.length,
            openRequests: 0,
            overdrafts: [],
            readModel: { _tag: "Agrees", position: String(events), behind: 0 }
          }
        )
      }).pipe(Effect.scoped),
    60_000
  )
})
