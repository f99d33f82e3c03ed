/** Where this node keeps its state: `DATA_DIR`, made at first use, readable by its owner only. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Config, Context, Effect, Layer, Schema } from "effect"
import * as Setting from "./settings/Setting.ts"

export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()(
  "DataDirectoryUnusable",
  {
    directory: Schema.String,
    cause: Schema.Defect()
  }
) {
  override get message(): string {
    return `DATA_DIR ${this.directory} cannot be created or written`
  }
}

export const dataDir = Setting.make({
  name: "DATA_DIR",
  config: Config.String,
  default: "./data",
  description: "where the server keeps its state; made at first use, readable by its owner only",
  accepts: "a path",
  example: "/var/lib/inferlog"
})

/** The setting, as an absolute path. */
export const configured = Config.map(dataDir.config, (directory) => path.resolve(directory))

/** Its absolute path. */
export class DataDirectory extends Context.Service<DataDirectory, string>()("inferlog/src/DataDirectory") {
  static readonly layerAt = (directory: string) =>
    Layer.effect(
      DataDirectory,
      Effect.try({
        try: () => {
          // `recursive` alone never returns where a parent refuses new entries with ENOENT, as /proc does.
          const recursive = !fs.existsSync(path.dirname(directory))
          if (!fs.existsSync(directory)) fs.mkdirSync(directory, { recursive, mode: 0o700 })
          fs.accessSync(directory, fs.constants.W_OK)
          return directory
        },
        catch: (cause) => new DataDirectoryUnusable({ directory, cause })
      })
    )

  static readonly layer = Layer.unwrap(Effect.map(configured, this.layerAt))
}
