import { Schema } from "effect"
import type { AdapterOptions } from "../BindingOptions.ts"

const Options = Schema.Struct({})

export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
