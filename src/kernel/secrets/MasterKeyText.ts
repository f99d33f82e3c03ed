/** The master key itself, for backups: of the setting, or else of the key file. It is never made here. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option, Redacted } from "effect"
import * as KeyText from "./KeyText.ts"
import { masterKey } from "./MasterKey.ts"
import { MasterKeyUnusable } from "./MasterKeyFile.ts"

export const MasterKeyText = Effect.fn("MasterKeyText")(function* (directory: string) {
  const file = path.join(directory, "master.key")
  const set = yield* masterKey.config
  const text = Option.isSome(set)
    ? Redacted.value(set.value)
    : yield* Effect.try({
        try: () => fs.readFileSync(file, "utf8").trimEnd(),
        catch: () => new MasterKeyUnusable({ file, reason: "cannot be read" })
      })
  const key = KeyText.parse(text)
  return key === null ? yield* new MasterKeyUnusable({ file, reason: "is damaged" }) : key
})
