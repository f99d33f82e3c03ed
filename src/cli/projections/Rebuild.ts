import * as os from "node:os"
import { Array, Clock, Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
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
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import type { Call } from "#src/edges/admin/log/LogClient.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteProof from "#src/cli/remote/RemoteProof.ts"
import * as Verify from "./Verify.ts"

const allNames = allProjections.map(({ name }) => name)

const name = Argument.Literals("name", allNames).pipe(
  Argument.withDescription("Projections to rebuild (default: all)"),
  Argument.variadic()
)

const verify = Flags.toggle(
  "verify",
  "Change nothing: compare every row in use with a fresh copy, and exit with 1 if they differ"
)

const nextStart = Flags.toggle(
  "next-start",
  "Build for the next start, without changing the running server. By default, build the projections whose version differs " +
    "in this release. Run it with a new release before the upgrade, so that no list waits for its rows"
)

/** The projections that the next server of this release would rebuild. */
const outdated = (base: string) => {
  const stored = StoredCheckpoints.read(Generations.current(base))
  return allProjections
    .filter(({ name, version }) => stored.get(name)?.version !== version)
    .map(({ name }) => name)
}

/** Lowers the priority of this process, so that a server on the same machine is not slowed down. */
const lowerPriority = Effect.sync(() => os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL))

/** Returns the number of events read. */
const build = Effect.fnUntraced(function* (copy: Copy.Copy) {
  const head = yield* (yield* EventReader).head
  const progress = yield* ProgressLine.make(GlobalPosition.sequence(head))
  return yield* copy.catchUp(progress.report).pipe(Effect.ensuring(progress.clear))
})

/** Replaces the read models in use by the copy, through the running server or directly. */
const handOver = Effect.fnUntraced(function* (copy: Copy.Copy, base: string, isForNextStart: boolean) {
  const server = yield* OperatorAccess.runningServer
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

const replace = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  { isForNextStart, json }: { readonly json: boolean; readonly isForNextStart: boolean }
) {
  if (names.length === 0) {
    return yield* json
      ? Output.printJson({ projections: [], events: 0, elapsedMs: 0 })
      : Console.log("The rows in use belong to this release: nothing to build.")
  }
  const base = Generations.baseIn(yield* DataDirectory)
  // Fails early when the server cannot be reached at the end.
  yield* Effect.scoped(OperatorAccess.runningServer)
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

interface Given {
  readonly name: ReadonlyArray<string>
  readonly verify: boolean
  readonly nextStart: boolean
  readonly json: boolean
}

const callOf = ({ json, name, verify }: Given): Call => ({
  method: verify ? "GET" : "POST",
  path: verify ? "/projections/verify" : "/projections/rebuild",
  params: { name, format: RemoteProof.formatOf(json) }
})

const here = Effect.fnUntraced(function* ({ name, verify, nextStart: isForNextStart, json }: Given) {
  yield* lowerPriority
  const base = Generations.baseIn(yield* DataDirectory)
  const unnamed = isForNextStart && !verify ? yield* Effect.sync(() => outdated(base)) : allNames
  const names = Array.isReadonlyArrayNonEmpty(name) ? Array.dedupe(name) : unnamed
  return yield* verify ? Verify.run(names, json) : replace(names, { isForNextStart, json })
}, Effect.provide(ReadOnlyLog.layerOfNode))

export const rebuild = Command.make(
  "rebuild",
  { name, verify, nextStart, json: Output.json },
  Effect.fnUntraced(function* (given) {
    if (given.nextStart) yield* Remote.refuse("--next-start")
    return yield* RemoteProof.orElsewhere(callOf(given), here(given))
  })
).pipe(
  Command.withDescription(
    "Rebuild read models from the log, next to those in use, and replace those when the copy has caught up. A running " +
      "server keeps serving, and its readers see either all old rows or all new ones. Needs as much free disk space as " +
      "projections.sqlite uses. If the rebuild fails or is stopped, nothing has changed. --verify changes nothing: it compares " +
      "the rows in use with fresh ones at the same position, also while a server runs"
  ),
  Command.withShortDescription("Rebuild read models from the log"),
  Command.withExamples([
    { command: "inferlog projections rebuild", description: "Rebuild all" },
    {
      command: "inferlog projections rebuild history --json",
      description: "{ projections, events, elapsedMs }"
    },
    {
      command: "inferlog projections rebuild --next-start",
      description: "Before an upgrade, with the new release while the old one runs"
    },
    {
      command: "inferlog projections rebuild --verify",
      description: "Prove that the rows in use match the log"
    }
  ])
)
