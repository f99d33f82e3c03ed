import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

export const Options = Schema.Struct({
  /** `concurrency.max` in its `cog.yaml`, 1 by default. With 1, an idle server has certainly lost its prediction. */
  slots: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))
})

export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
