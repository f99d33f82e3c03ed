/** The rows agree with the domain, in whatever order the log is read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Order, Stream } from "effect"
import * as fc from "fast-check"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { allProjections } from "#projections/AllProjections.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { type Life, play, someLives } from "#test/support/domain/webhook-delivery/Lives.ts"
import { replay } from "#test/support/Replay.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"
import { dump, runOnce } from "#test/support/projections/ReadSide.ts"
import { alice, bob, requestId } from "#test/support/projections/RequestLog.ts"
import * as Log from "#test/support/projections/deliveries/DeliveryLog.ts"
import * as DomainRows from "#test/support/projections/deliveries/DomainRows.ts"

interface Lived {
  readonly life: Life
  readonly by: Pick<ReturnType<typeof Log.scheduled>, "accountId" | "event" | "url">
  /** The delay of all events, ms. */
  readonly later: number
}

const lives = someLives()

/** A few deliveries, of few accounts to few receivers. */
const deliveries: fc.Arbitrary<ReadonlyArray<Lived>> = fc.array(
  fc.record({
    life: fc.constantFrom(...lives),
    by: fc.record({
      accountId: fc.constantFrom(alice, bob),
      event: fc.constantFrom("start" as const, "completed" as const),
      url: fc.constantFrom(
        "https://one.example/hooks",
        "https://one.example:8443/hooks?token=t",
        "https://ONE.example:443/other"
      )
    }),
    later: fc.integer({ min: 0, max: 120_000 })
  }),
  { maxLength: 12 }
)

interface Told {
  readonly number: number
  readonly event: Event
}

/** The events of delivery `number`, as decided by its aggregate. */
const tell = ({ by, later, life }: Lived, number: number): ReadonlyArray<Told> =>
  play(life).log.map((told) => {
    const event: Event = { ...told, at: told.at + later }
    const isScheduled = event._tag === "DeliveryScheduled"
    return { number, event: isScheduled ? { ...event, ...by, requestId: requestId(number) } : event }
  })

const byTime = Order.mapInput(Order.Number, ({ event }: Told) => event.at)

/** Writes the lives to the log, each event at its time. Returns the final states. */
const write = Effect.fnUntraced(function* (lived: ReadonlyArray<Lived>, first = 0) {
  const told = lived.map((each, index) => tell(each, first + index))
  for (const { number, event } of told.flat().toSorted(byTime)) yield* Log.deliver(number, event)
  return told.flatMap((events, index): ReadonlyArray<DomainRows.Known> => {
    const state = replay(
      aggregate.decider,
      events.map(({ event }) => event)
    )
    return state._tag === "Delivery" ? [{ deliveryId: Log.deliveryId(first + index), state }] : []
  })
})

const rowsOf = (filename: string) => {
  const { checkpoints: _, deliveries_recoveries: recoveries, ...rows } = dump(filename)
  assert.deepStrictEqual(recoveries, [])
  return rows
}

const logged = Effect.flatMap(EventReader, ({ readAll }) =>
  Stream.runCollect(readAll(GlobalPosition.beginning))
)

const inFile = <A, E>(
  body: (filename: string) => Effect.Effect<A, E, Layer.Success<typeof MemoryEventStore.layer>>
) =>
  Effect.flatMap(TempDirectory.make, (directory) => body(`${directory}/projections.sqlite`)).pipe(
    Effect.scoped,
    Effect.provide(Layer.fresh(MemoryEventStore.layer))
  )

describe("The rows of deliveries", () => {
  it("equal the states of the domain after any lives, wherever the log is divided", async () => {
    const projections = [DeliveriesProjection.projection]
    const property = fc.asyncProperty(deliveries, fc.integer({ min: 2, max: 40 }), (lived, size) =>
      inFile((filename) =>
        Effect.gen(function* () {
          const expected = DomainRows.of(yield* write(lived))
          const events = yield* logged
          for (const batch of [1, size, events.length + 1]) {
            assert.deepStrictEqual(applyAll(filename, projections, cut(events, batch)), [])
            assert.deepStrictEqual(rowsOf(filename), expected, `${batch} at a time`)
          }
        })
      ).pipe(Effect.runPromise)
    )
    await fc.assert(property, { numRuns: 20 })
  })

  it.live("are the same when built as the log grows and when built all at once", () =>
    inFile((filename) =>
      Effect.gen(function* () {
        const lived = lives.slice(0, 30).map((life, index): Lived => {
          const accountId = index % 2 === 0 ? alice : bob
          return { life, later: index * 1_000, by: { accountId, event: "start", url: "https://a.example" } }
        })
        const known: Array<DomainRows.Known> = []
        for (const from of [0, 10, 20]) {
          known.push(...(yield* write(lived.slice(from, from + 10), from)))
          yield* runOnce(filename, allProjections)
        }
        const grown = dump(filename)
        assert.deepInclude(grown, DomainRows.of(known))
        const anew = `${filename}-anew`
        yield* runOnce(anew, allProjections)
        assert.deepStrictEqual(dump(anew), grown)
      })
    )
  )
})
