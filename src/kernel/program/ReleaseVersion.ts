/** The release, as `package.json` has it. */
import * as fs from "node:fs"
import { Schema } from "effect"

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

export const version: string = Schema.decodeUnknownSync(Package)(
  fs.readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
).version
