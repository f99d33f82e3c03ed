/** The bytes of the master key, for backups and checkpoints: of the settings, or else of the key file. It is never made here. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option } from "effect"
import * as KeyText from "./KeyText.ts"
import { given } from "./GivenMasterKey.ts"
import { MasterKeyUnusable } from "./MasterKeyFile.ts"

export const MasterKeyBytes = Effect.fn("MasterKeyBytes")(function* (directory: string) {
  const file = path.join(directory, "master.key")
  const set = yield* given
  if (Option.isSome(set)) return set.value
  const text = yield* Effect.try({
    try: () => fs.readFileSync(file, "utf8").trimEnd(),
    catch: () => new MasterKeyUnusable({ file, reason: "cannot be read" })
  })
  const key = KeyText.parse(text)
  return key === null ? yield* new MasterKeyUnusable({ file, reason: "is damaged" }) : key
})
