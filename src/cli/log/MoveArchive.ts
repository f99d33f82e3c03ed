/** `log move-archive`: moves the segments of archived events, or says where they were moved. */
import { Console, Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import * as Moving from "#src/features/archive/Moving.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as ArchiveTarget from "./ArchiveTarget.ts"

export const moveArchive = Command.make(
  "move-archive",
  {
    target: Argument.String("target").pipe(Argument.withDescription(ArchiveTarget.description)),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ json, target }) {
    yield* ArchiveTarget.checkLog
    const directory = yield* DataDirectory
    const { blobs, location } = yield* ArchiveTarget.of(target, directory)
    const moved = yield* Moving.run({ directory, location }).pipe(
      Effect.provide(
        Layer.mergeAll(SqliteEventReader.layer({ filename: LogFiles.files(directory).log }), blobs)
      ),
      Effect.catchTag("SegmentMissing", ({ message }) => new CommandError({ message: `TARGET: ${message}` }))
    )
    if (json) return yield* Output.printJson(moved)
    yield* Console.log(
      `The log reads its ${Output.count(moved.segments)} segments at the target; ${Output.count(moved.copied)} were copied.`
    )
  })
).pipe(
  Command.provide(ExistingLog.layer),
  Command.withDescription(
    "Copy the segments of archived events to another folder or bucket, unless they are there already, check each against its digest, and " +
      "have the log read them there. The files at the old place stay. Stop the server first"
  ),
  Command.withShortDescription("Move the segments of archived events"),
  Command.withExamples([{ command: "inferlog log move-archive /mnt/archive" }])
)
