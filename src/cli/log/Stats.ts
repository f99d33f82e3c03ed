import { Console, Effect, Option, Stream, Struct } from "effect"
import { Command } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as LogStats from "#src/platform/log/LogStats.ts"
import { toggle } from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteProof from "#src/cli/remote/RemoteProof.ts"
import * as Output from "#src/cli/Output.ts"
import * as ReadOnlyLog from "./ReadOnlyLog.ts"

/** Counts that require a pass over the whole log. */
const countTypes = Effect.gen(function* () {
  const reader = yield* EventReader
  const countsCommits = yield* ChosenLog.countsCommits
  const types = new Map<string, number>()
  let streams = 0
  let events = 0
  let position = GlobalPosition.beginning
  let digest = EventChain.origin
  yield* Stream.runForEachArray(reader.readAll(GlobalPosition.beginning), (page) =>
    Effect.sync(() => {
      for (const { hash, ordinal, type } of page) {
        types.set(type, (types.get(type) ?? 0) + 1)
        if (ordinal === 0) streams++
        if (countsCommits) digest = EventChain.digest(digest, hash)
      }
      events += page.length
      position = page.at(-1)?.position ?? position
    })
  )
  return {
    counts: { streams, types: Object.fromEntries([...types].sort(([, a], [, b]) => b - a)) },
    /** On NATS, only this pass knows these values. */
    end: countsCommits ? { events, position, digest } : undefined
  }
})

type Size = Effect.Success<typeof LogStats.measure>

const shownOf = (size: Size) => ({
  ...Struct.omit(size, ["head"]),
  firstEventAt: Output.timeOrNull(size.firstEventAt),
  lastEventAt: Output.timeOrNull(size.lastEventAt)
})

type Measured = ReturnType<typeof shownOf>

const rows = ({ bytes, digest, firstEventAt, lastEventAt, position }: Measured) => [
  ["first event", firstEventAt ?? "-"],
  ["last event", lastEventAt ?? "-"],
  ...(bytes === null
    ? []
    : [
        ["log.sqlite", `${Output.count(bytes.log)} bytes`],
        ["log.sqlite-wal", `${Output.count(bytes.wal)} bytes`]
      ]),
  ["anchor", position === null || digest === "" ? "-" : `${position}:${digest}`]
]

const total = ({ commits, events }: Measured): readonly [string, string] =>
  events === null ? ["commits", Output.count(commits ?? 0)] : ["events", Output.count(events)]

interface Flags {
  readonly types: boolean
  readonly json: boolean
}

const print = Effect.fnUntraced(function* (
  size: Size,
  json: boolean,
  counted?: Effect.Success<typeof countTypes>
) {
  const measured = { ...shownOf(size), ...counted?.end }
  if (json) return yield* Output.printJson({ ...measured, ...counted?.counts })
  yield* Console.log(Output.table(total(measured), rows(measured)))
  if (counted === undefined) return
  const { streams, types: found } = counted.counts
  const lines = Object.entries(found).map(([type, count]) => [type, Output.count(count)])
  yield* Console.log(`\n${Output.table(["streams", Output.count(streams)], lines)}`)
})

const here = Effect.fnUntraced(function* ({ json, types }: Flags) {
  const counted = types ? yield* countTypes : undefined
  yield* print(yield* LogStats.measure, json, counted)
}, Effect.provide(ReadOnlyLog.layerEvents))

const measuredElsewhere = Effect.flatMap(Administration, ({ measureLog }) => measureLog())

export const stats = Command.make(
  "stats",
  {
    types: toggle("types", "Also count streams and event types, which reads the whole log"),
    json: Output.json
  },
  Effect.fnUntraced(function* (flags) {
    const { json, types } = flags
    if (types || Option.isNone(yield* Remote.target)) {
      const call = { path: "/log/stats", params: { format: RemoteProof.formatOf(json) } }
      return yield* RemoteProof.orElsewhere(call, here(flags))
    }
    yield* print(yield* Effect.provide(measuredElsewhere, OperatorAccess.layerExisting), json)
  })
).pipe(
  Remote.administers,
  Command.withDescription(
    "Show the size of the log and its anchor: the position and digest of its end. Store the anchor elsewhere; " +
      "'log verify --expect' then proves that nothing before it was changed. Works while a server runs"
  ),
  Command.withShortDescription("Show the size of the log and its anchor"),
  Command.withExamples([{ command: "inferlog log stats" }, { command: "inferlog log stats --types --json" }])
)
