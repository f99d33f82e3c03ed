import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

const Options = Schema.Struct({})

export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
