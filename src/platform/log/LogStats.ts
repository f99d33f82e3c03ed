/** The size of the log and its anchor, without a pass over it. */
import * as fs from "node:fs"
import { Effect, Option, Stream } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as ChosenLog from "./ChosenLog.ts"

const bytesOf = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

const fileSizes = (directory: string) => {
  const { log } = LogFiles.files(directory)
  return { log: bytesOf(log), wal: bytesOf(`${log}-wal`) }
}

/** Of the first event, Unix time in ms; `null` for an empty log. */
const firstTime = Effect.gen(function* () {
  const event = yield* Stream.runHead((yield* EventReader).readAll(GlobalPosition.beginning))
  return Option.getOrNull(Option.map(event, ({ time }) => time))
})

const lastTime = Effect.fnUntraced(function* (head: GlobalPosition.GlobalPosition) {
  const [event] = yield* TailRead.last({ end: head, limit: 1, matches: () => true })
  return event?.time ?? null
})

/** A log on NATS has no files here, and the number of its events is unknown without reading them. */
export const measure = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const countsCommits = yield* ChosenLog.countsCommits
  const [anchor] = yield* ChosenLog.headAnchors(directory)
  const head = yield* (yield* EventReader).head
  const count = GlobalPosition.sequence(head)
  return {
    events: countsCommits ? null : count,
    ...(countsCommits && { commits: count }),
    position: anchor?.position ?? null,
    digest: anchor?.digest ?? null,
    firstEventAt: yield* firstTime,
    lastEventAt: yield* lastTime(head),
    bytes: countsCommits ? null : fileSizes(directory),
    head
  }
})
