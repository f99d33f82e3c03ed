/** The directory of this node's state, `DATA_DIR`. Created at the first use, readable by its owner only. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Config, Context, Effect, Layer, Schema } from "effect"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as PrivateFiles from "./PrivateFiles.ts"
import * as ReleaseFile from "./ReleaseFile.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"

export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()(
  "DataDirectoryUnusable",
  { directory: Schema.String, cause: Schema.Defect() }
) {
  override get message(): string {
    return `DATA_DIR ${this.directory} cannot be created or written`
  }
}

/** A restore into the directory did not reach its end: what is there may be part of a log. */
export class RestoreUnfinished extends Schema.TaggedError<RestoreUnfinished>()("RestoreUnfinished", {
  directory: Schema.String
}) {
  override get message(): string {
    return (
      `DATA_DIR: a restore into ${this.directory} is under way or was interrupted: run inferlog restore again, ` +
      `which starts over`
    )
  }
}

/** The folder in which a restore builds. While it exists, the directory is not used. */
export const restoreFolder = (directory: string): string => path.join(directory, "restore")

export const dataDir = Setting.make({
  name: "DATA_DIR",
  config: Config.String,
  default: "./data",
  description: "the directory of the server's state; created at first use, readable by its owner only",
  accepts: "a path",
  example: "/var/lib/inferlog"
})

/** `EXPECT_DATA` is set and there is no log: an unmounted volume must not become a new, empty service. */
export class DataMissing extends Schema.TaggedError<DataMissing>()("DataMissing", {
  directory: Schema.String
}) {
  override get message(): string {
    return (
      `EXPECT_DATA: there is no log in ${this.directory}. Is its volume mounted? ` +
      `To begin with an empty log: inferlog init`
    )
  }
}

export const expectData = Setting.make({
  name: "EXPECT_DATA",
  config: Config.Boolean,
  default: false,
  description:
    "refuses to start when `DATA_DIR` has no log, so that a missing volume is noticed; `inferlog init` creates the first log. Ignored with the log on NATS",
  accepts: "`true`, `false`, `yes`, `no`, `on`, `off`, `1`, `0`, `y`, `n`",
  example: "true"
})

/** Whether the directory contains a log. */
export const holdsLog = (directory: string): boolean => fs.existsSync(LogFiles.files(directory).log)

/** The setting, as an absolute path. */
export const configured = Config.map(dataDir.config, (directory) => path.resolve(directory))

/** Its absolute path. */
export class DataDirectory extends Context.Service<DataDirectory, string>()(
  "inferlog/src/kernel/disk/DataDirectory"
) {
  /** Creates the directory when it does not exist. Fails when a newer release has written it. */
  static readonly layerAt = (directory: string) =>
    Layer.effect(
      DataDirectory,
      made(directory).pipe(
        Effect.tap(checkRestored),
        Effect.tap(ReleaseFile.check),
        Effect.tap(PrivateFiles.check)
      )
    )

  static readonly layer = Layer.unwrap(
    Effect.gen({ self: this }, function* () {
      const directory = yield* configured
      const { _tag } = yield* eventStore.config
      const isExpected = _tag === "Sqlite" && (yield* expectData.config)
      if (isExpected && !holdsLog(directory)) return yield* new DataMissing({ directory })
      return this.layerAt(directory)
    })
  )
}

const checkRestored = (directory: string): Effect.Effect<void, RestoreUnfinished> =>
  Effect.suspend(() =>
    fs.existsSync(restoreFolder(directory)) ? Effect.fail(new RestoreUnfinished({ directory })) : Effect.void
  )

const made = (directory: string) =>
  Effect.try({
    try: () => {
      // With `recursive`, mkdir never returns where a parent refuses new entries with ENOENT, as /proc does.
      const recursive = !fs.existsSync(path.dirname(directory))
      if (!fs.existsSync(directory)) fs.mkdirSync(directory, { recursive, mode: 0o700 })
      fs.accessSync(directory, fs.constants.W_OK)
      return directory
    },
    catch: (cause) => new DataDirectoryUnusable({ directory, cause })
  })
