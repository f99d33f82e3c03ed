/** The version in `package.json`. */
import * as fs from "node:fs"
import { Schema } from "effect"

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

export const version: string = Schema.decodeUnknownSync(Package)(
  fs.readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
).version
