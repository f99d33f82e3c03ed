/** The complete read side over a log in memory, in the test's thread with a file of its own. */
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Files } from "#projections/files/Files.ts"
import { History } from "#projections/history/History.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

export const layer = TempDirectory.provide((directory) =>
  Layer.mergeAll(
    Deliveries.layer,
    DueDeliveries.layer,
    DueWork.layer,
    Files.layer,
    History.layer,
    Keys.layer,
    Ledger.layer
  ).pipe(
    Layer.provideMerge(ReadModels.layer),
    Layer.provideMerge(Projections.layerInProcess({ filename: `${directory}/projections.sqlite` })),
    Layer.provideMerge(MemoryEventStore.layer)
  )
)

export type Services = Layer.Success<typeof layer>

/** Some logs are long. */
const patience = { limitMs: 20_000 }

/** Waits until the projection has reached the end of the log. Dies if it does not. */
export const settle = Effect.fnUntraced(function* (projection: string) {
  const projections = yield* Projections
  const head = yield* (yield* EventReader).head
  const reached = yield* Until.within(
    `${projection} at ${head}`,
    projections.waitFor(head, { projection, timeout: Infinity }),
    () => "an earlier position",
    patience
  )
  if (!reached) return yield* Effect.die(`${projection} has not reached ${head}`)
})

/** Runs the read side on `filename` until `projection` has reached the head of the log, then ends it. */
export const runOnce = (filename: string, projections: ReadonlyArray<Projection>) =>
  Effect.forEach(projections, ({ name }) => settle(name), { discard: true }).pipe(
    Effect.provide(Projections.layerInProcess({ filename, projections }))
  )

/** All rows of all tables of the file, in a fixed order. */
export const dump = (filename: string): Record<string, ReadonlyArray<unknown>> => {
  using db = new DatabaseSync(filename, { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  return Object.fromEntries(
    tables.map(({ name }) => {
      const rows = db.prepare(`SELECT * FROM "${String(name)}"`).all()
      const byText = rows.map((row) => JSON.stringify(row)).sort()
      return [String(name), byText.map((row): unknown => JSON.parse(row))]
    })
  )
}
