import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

export const Options = Schema.Struct({
  /**
   * Predictions that the server runs at once, as its `cog.yaml` says under `concurrency.max`; 1 when not given. Where there is
   * one, a server that is idle is known to have lost its prediction.
   */
  slots: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))
})

export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
