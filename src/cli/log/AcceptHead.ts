/** `log accept-head`: accepts a log whose `log.head` is damaged, missing or ahead, and records the decision on the log. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as LogHeadAcceptance from "#domain/log-head-acceptance/LogHeadAcceptance.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as NatsLog from "#src/platform/log/NatsLog.ts"
import * as Actors from "#streams/Actors.ts"
import * as DataLock from "#streams/DataLock.ts"
import { EventReader } from "#streams/EventReader.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as OpenLogHead from "#streams/OpenLogHead.ts"
import * as LogEnd from "#streams/sqlite/LogEnd.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"

interface Finding {
  readonly fault: LogHeadAcceptance.Fault
  readonly noted?: string
}

/** The fault of the file; `null` when it agrees with the log. On NATS, only damage and absence can be detected. */
const inspect = Effect.fnUntraced(function* (head: string, log: string | null) {
  const noted = yield* OpenLogHead.read(head).pipe(
    Effect.catchTag("LogHeadDamaged", () => Effect.succeed("damaged" as const))
  )
  if (noted === "damaged") return { fault: "damaged" } satisfies Finding
  if (noted === undefined) return { fault: "missing" } satisfies Finding
  if (log === null || noted.sequence <= (yield* LogEnd.find(log))) return null
  return { fault: "ahead", noted: String(noted.sequence) } satisfies Finding
})

/** Renames the file, because it is evidence, and returns its new name. */
const renameHead = (head: string, at: number) =>
  Effect.try({
    try: () => {
      const renamed = `${head}.accepted-${at}`
      fs.renameSync(head, renamed)
      return path.basename(renamed)
    },
    catch: () => new CommandError({ message: `DATA_DIR: ${head} cannot be renamed` })
  })

const record = Effect.fnUntraced(function* (at: number, finding: Finding, keptAs: string | undefined) {
  const end = yield* (yield* EventReader).head
  const accepted = { at, ...finding, end, ...(keptAs !== undefined && { keptAs }) }
  const actors = yield* Actors.make(LogHeadAcceptance.aggregate)
  const { position } = yield* actors.execute(LogHeadAcceptance.id, { _tag: "Accept", accepted })
  return { ...accepted, position }
})

export const acceptHead = Command.make(
  "accept-head",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const directory = yield* DataDirectory
    const isShared = yield* ChosenLog.isShared
    const files = LogFiles.files(directory)
    const head = isShared ? yield* NatsLog.headFile(directory) : files.head
    yield* Effect.scoped(DataLock.acquire(directory))
    const finding = yield* inspect(head, isShared ? null : files.log)
    if (finding === null) {
      yield* json
        ? Output.printJson({ accepted: null })
        : Console.log("log.head is intact, and the log contains its position: nothing to accept.")
      return
    }
    const at = yield* Clock.currentTimeMillis
    const keptAs = finding.fault === "missing" ? undefined : yield* renameHead(head, at)
    const { log } = yield* Effect.promise(() => import("#src/composition/Core.ts"))
    const accepted = yield* record(at, finding, keptAs).pipe(Effect.provide([log, IdGenerator.layer]))
    if (json) return yield* Output.printJson({ accepted })
    yield* Console.log(
      `Accepted the log that ends at position ${accepted.end}. The decision is recorded at position ${accepted.position}.`
    )
    if (keptAs !== undefined) yield* Console.log(`Renamed the old log.head to ${keptAs}.`)
  })
).pipe(
  Command.provide(ExistingLog.layer),
  Command.withDescription(
    "Accept a log whose log.head is damaged, missing, or ahead of the log. Events may be missing, so restore a copy " +
      "instead if you have one. The decision is recorded as an event, and the old file is renamed. Stop the server first"
  ),
  Command.withShortDescription("Accept a log with a damaged log.head"),
  Command.withExamples([{ command: "inferlog log accept-head" }])
)
