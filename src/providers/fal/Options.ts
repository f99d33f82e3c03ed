import { Schema } from "effect"
import type { AdapterOptions } from "../BindingOptions.ts"

export const Options = Schema.Struct({})

export const options: AdapterOptions = { url: "optional", secretEnv: "required", options: Options }
