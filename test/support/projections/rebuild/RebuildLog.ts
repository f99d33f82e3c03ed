/** Read sides to rebuild, over a log in memory or in SQLite. */
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer, type Scope } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { History } from "#projections/history/History.ts"
import type { Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as Copy from "#projections/rebuild/Copy.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import type { EventReader } from "#streams/EventReader.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

export const allNames = allProjections.map(({ name }) => name)

/** Runs the body over an empty log in memory. `base` is the path of its read models. */
export const inMemory = <A, E>(
  body: (base: string) => Effect.Effect<A, E, Layer.Success<typeof MemoryEventStore.layer> | Scope.Scope>
): Effect.Effect<A, E> =>
  Effect.flatMap(TempDirectory.make, (directory) => body(Generations.baseIn(directory))).pipe(
    Effect.scoped,
    Effect.provide(MemoryEventStore.layer)
  )

export const readSide = (base: string, projections: ReadonlyArray<Projection> = allProjections) =>
  History.layer.pipe(
    Layer.provideMerge(ReadModels.layer),
    Layer.provideMerge(Projections.layerInProcess({ filename: base, projections }))
  )

/** Builds a complete copy without letting it take over. */
export const build = Effect.fnUntraced(function* (
  base: string,
  names: ReadonlyArray<string> = allNames,
  projections: ReadonlyArray<Projection> = allProjections
): Effect.fn.Return<
  void,
  Effect.Error<ReturnType<typeof Copy.open>> | Copy.CopyError,
  EventReader | Scope.Scope
> {
  const copy = yield* Copy.open({ base, projections, names })
  yield* copy.catchUp()
  yield* copy.finish
})

/** Builds a copy and lets it take over. */
export const rebuild = (
  base: string,
  names?: ReadonlyArray<string>,
  projections?: ReadonlyArray<Projection>
) =>
  Effect.scoped(
    Effect.andThen(
      build(base, names, projections),
      Effect.flatMap(Projections, ({ adopt }) => adopt)
    )
  )

/** Requests in every state, of three accounts. */
export const append = Effect.fnUntraced(function* (from: number, to: number) {
  for (let number = from; number < to; number++) {
    const account = [Log.alice, Log.bob, Log.carol][number % 3] ?? Log.alice
    yield* Log.append(number, Log.submitted(account, Log.echo, Log.t0 + number, { run: String(number % 7) }))
    if (number % 4 > 0) yield* Log.append(number, Log.dispatched(1), Log.started(1))
    if (number % 4 === 2) yield* Log.append(number, Log.requeued(1, Log.t0 + 500))
    if (number % 4 === 3) yield* Log.append(number, Log.completed(1, Log.t0 + 900))
  }
})

/** The rows that the projections write for the whole log, in a separate file. */
export const replayed = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection> = allProjections
): Effect.fn.Return<
  ReturnType<typeof ReadSide.dump>,
  Effect.Error<ReturnType<typeof ReadSide.runOnce>>,
  EventReader | Scope.Scope
> {
  const filename = `${yield* TempDirectory.make}/projections.sqlite`
  yield* ReadSide.runOnce(filename, projections)
  return ReadSide.dump(filename)
})

/** Changes rows without their projection. */
export const damage = (base: string, sql: string): void => {
  using db = new DatabaseSync(Generations.current(base))
  db.exec(sql)
}

/** The read model files in the directory of `base`. */
export const files = (base: string): ReadonlyArray<string> =>
  fs
    .readdirSync(base.slice(0, base.lastIndexOf("/")))
    .filter((name) => /^projections.*sqlite$/.test(name))
    .sort()

/** The account's requests, as lists show them. */
export const total = (accountId: AccountId = Log.alice) =>
  Effect.flatMap(History, (history) =>
    Effect.map(history.list({ accountId, page: 1, after: null, limit: 1 }), (page) => page.total)
  )
