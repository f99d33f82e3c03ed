import { Array, Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { allProjections } from "#projections/AllProjections.ts"
import * as Copy from "#projections/rebuild/Copy.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as StoredCheckpoints from "#projections/runner/StoredCheckpoints.ts"
import * as TakeOver from "#projections/rebuild/TakeOver.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as ReadOnlyLog from "#src/cli/log/ReadOnlyLog.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as Access from "./Access.ts"
import { giveWay } from "./GiveWay.ts"
import * as Verify from "./Verify.ts"

const allNames = allProjections.map(({ name }) => name)

const name = Argument.Literals("name", allNames).pipe(
  Argument.withDescription("Projections to build anew; all when none is named"),
  Argument.variadic()
)

const verify = Flag.Boolean("verify").pipe(
  Flag.withDescription(
    "Change nothing: compare every row in use with that of a fresh copy, and end with exit code 1 where they differ"
  ),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

const nextStart = Flag.Boolean("next-start").pipe(
  Flag.withDescription(
    "Leave the running server as it is, and build for the next start: without names, what this release keeps in another version " +
      "than the rows in use. Called with a new release before it takes over, no list waits for its rows"
  ),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

/** What the next server of this release would build anew. */
const outdated = (base: string) => {
  const stored = StoredCheckpoints.read(Generations.current(base))
  return allProjections
    .filter(({ name, version }) => stored.get(name)?.version !== version)
    .map(({ name }) => name)
}

/** Returns the number of events read. */
const build = Effect.fnUntraced(function* (copy: Copy.Copy) {
  const head = yield* (yield* EventReader).head
  const progress = yield* ProgressLine.make(GlobalPosition.sequence(head))
  return yield* copy.catchUp(progress.report).pipe(Effect.ensuring(progress.clear))
})

/** A server lets the copy take over; without one the next server of this directory goes on with it. */
const handOver = Effect.fnUntraced(function* (copy: Copy.Copy, base: string, isForNextStart: boolean) {
  const server = yield* Access.open
  if (Option.isSome(server)) {
    yield* copy.finish
    if (isForNextStart) return yield* TakeOver.promote(base, allProjections)
    const adopt = Effect.flatMap(Administration, ({ adoptProjections }) => adoptProjections())
    return yield* Effect.provide(adopt, server.value)
  }
  yield* copy.catchUp()
  yield* copy.finish
  yield* TakeOver.replace(base, allProjections)
}, Effect.scoped)

interface RebuildOptions {
  readonly json: boolean
  readonly isForNextStart: boolean
}

const replace = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  { isForNextStart, json }: RebuildOptions
) {
  if (names.length === 0) {
    return yield* json
      ? Output.printJson({ projections: [], events: 0, elapsedMs: 0 })
      : Console.log("The rows in use are of this release: there is nothing to build.")
  }
  const base = Generations.baseIn(yield* DataDirectory)
  // What would only show at the end is better known now.
  yield* Effect.scoped(Access.open)
  yield* giveWay
  const start = yield* Clock.currentTimeMillis
  const copy = yield* Copy.open({ base, projections: allProjections, names })
  const events = yield* build(copy)
  yield* handOver(copy, base, isForNextStart)
  const elapsedMs = (yield* Clock.currentTimeMillis) - start
  if (json) return yield* Output.printJson({ projections: names, events, elapsedMs })
  yield* Console.log(
    `Rebuilt ${names.join(", ")} from ${Output.count(events)} events in ${Output.duration(elapsedMs)}.`
  )
}, Effect.scoped)

export const rebuild = Command.make(
  "rebuild",
  { name, verify, nextStart, json: Output.json },
  Effect.fnUntraced(function* ({ name, verify, nextStart: isForNextStart, json }) {
    const base = Generations.baseIn(yield* DataDirectory)
    const unnamed = isForNextStart && !verify ? yield* Effect.sync(() => outdated(base)) : allNames
    const names = Array.isReadonlyArrayNonEmpty(name) ? Array.dedupe(name) : unnamed
    return yield* verify ? Verify.run(names, json) : replace(names, { isForNextStart, json })
  })
).pipe(
  Command.provide(ReadOnlyLog.layerOfNode),
  Command.withDescription(
    "Build read models anew from the log, beside those in use, and put them in their place when they are level. A running " +
      "server goes on, and its readers see all old rows or all new ones. Needs as much free disk again as " +
      "projections.sqlite has. When it fails or is stopped, nothing has changed. With --verify nothing changes at all: the rows " +
      "in use are compared with the fresh ones, as of where they stand, beside a running server too"
  ),
  Command.withShortDescription("Build read models anew from the log"),
  Command.withExamples([
    { command: "inferlog projections rebuild", description: "All of them" },
    {
      command: "inferlog projections rebuild history --json",
      description: "{ projections, events, elapsedMs }"
    },
    {
      command: "inferlog projections rebuild --next-start",
      description: "Before an upgrade, with the new release beside the old one"
    },
    {
      command: "inferlog projections rebuild --verify",
      description: "Prove that the rows in use are what the log leads to"
    }
  ])
)
