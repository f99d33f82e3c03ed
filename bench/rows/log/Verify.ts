/** Our subject in T6, verify: the code of `inferlog log verify`. */
import process from "node:process"
import { Effect, Layer } from "effect"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import { files } from "#streams/sqlite/LogFiles.ts"
import { verifyDirectory } from "#streams/sqlite/SqliteVerify.ts"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"
import * as Work from "./Work.ts"

const directory = String(process.argv[2])

const log = Payloads.layer.pipe(
  Layer.provideMerge(
    Layer.merge(
      SqliteEventReader.layer({ filename: files(directory).log }),
      FileBlobStore.layer({ root: TemporaryDirectory.make(), isShared: false })
    )
  )
)

const verify = verifyDirectory(directory).pipe(
  Effect.map(({ events }) => events),
  Effect.provide(log, { local: true })
)

Work.serve(() => Work.timed(() => Effect.runPromise(verify)))
