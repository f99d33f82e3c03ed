/** A runner whose reader leaves out events without a rule. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

/** Applies `Wanted` and fails at `Poison`. */
const picky = (applied: Array<string>): Projection => ({
  name: "picky",
  version: 1,
  tables: "CREATE TABLE picky_rows (id TEXT PRIMARY KEY) STRICT",
  open: () => ({
    rules: [
      { type: "Wanted", apply: ({ position }) => void applied.push(position) },
      {
        type: "Poison",
        apply: () => {
          throw new Error("poison")
        }
      }
    ]
  })
})

const append = (...types: ReadonlyArray<string>) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.forEach(types, (type, index) =>
      store.append({
        stream: DataDirectory.stream(`s${index}`),
        expected: ExpectedVersion.NoStream,
        events: [{ ...eventData(`e${index}`), type }]
      })
    )
  )

/** Runs the projection until it stops. */
const stopped = Effect.fnUntraced(function* (directory: string) {
  const applied: Array<string> = []
  const state = yield* Effect.gen(function* () {
    const projections = yield* Projections
    yield* projections.waitFor(GlobalPosition.trusted("15"), { projection: "picky" })
    return (yield* projections.states).get("picky")
  }).pipe(
    Effect.provide(
      Projections.layerInProcess({
        filename: `${directory}/projections.sqlite`,
        projections: [picky(applied)]
      })
    ),
    Effect.provide(SqliteEventReader.layer({ filename: DataDirectory.files(directory).log }), { local: true })
  )
  return { applied, state }
})

describe("A projection that stops far behind the last event it needs", () => {
  it.live("stays there at the next start, without a rebuild", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const others = ["Other", "Other", "Other", "Other", "Other"]
      yield* DataDirectory.own(
        directory,
        append(...others, "Wanted", ...others, "Poison", "Other", "Other", "Other")
      )
      const stop = GlobalPosition.trusted("6")
      const first = yield* stopped(directory)
      assert.deepInclude(first.state, { position: stop, stopped: true })
      assert.include(first.applied, stop)
      const second = yield* stopped(directory)
      assert.deepInclude(second.state, { position: stop, stopped: true })
      assert.deepStrictEqual(second.applied, [])
    })
  )
})
