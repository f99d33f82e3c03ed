/** `log move-archive`: moves the segments of archived events, or says where they were moved. */
import * as url from "node:url"
import { Console, Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import * as Moving from "#src/features/archive/Moving.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"

export const moveArchive = Command.make(
  "move-archive",
  {
    target: Argument.String("target").pipe(Argument.withDescription("The folder for the segments")),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ json, target }) {
    yield* ArchiveFolder.checkLog
    const root = yield* ArchiveFolder.of(target)
    const directory = yield* DataDirectory
    const isLocal = root === LocalSegments.folderIn(directory)
    const location = isLocal ? LocalSegments.location : url.pathToFileURL(root).href
    const moved = yield* Moving.run({ directory, location }).pipe(
      Effect.provide(
        Layer.mergeAll(
          SqliteEventReader.layer({ filename: LogFiles.files(directory).log }),
          FileBlobStore.layer({ root, isShared: true })
        )
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
    "Copy the segments of archived events to another folder, unless they are there already, check each against its digest, and " +
      "have the log read them there. The files at the old place stay. Stop the server first"
  ),
  Command.withShortDescription("Move the segments of archived events"),
  Command.withExamples([{ command: "inferlog log move-archive /mnt/archive" }])
)
