/** The options of every adapter, so that manifests can be checked without a server. */
import { Schema } from "effect"
import type { Adapter } from "#domain/catalog/ProviderBinding.ts"
import type { AdapterOptions } from "./AdapterOptions.ts"
import * as Cog from "./cog/Options.ts"
import * as Fal from "./fal/Options.ts"
import * as Kserve from "./kserve/Options.ts"
import * as Openai from "./openai/Options.ts"
import * as Pull from "./pull/Options.ts"
import * as Replicate from "./replicate/Options.ts"
import * as Runpod from "./runpod/Options.ts"

const noOptions = Schema.Struct({})

export const bindingOptions: Readonly<Record<Adapter, AdapterOptions>> = {
  builtin: { url: "none", secretEnv: "none", options: noOptions },
  http: { url: "required", secretEnv: "optional", options: noOptions },
  cog: Cog.options,
  openai: Openai.options,
  kserve: Kserve.options,
  replicate: Replicate.options,
  fal: Fal.options,
  runpod: Runpod.options,
  pull: Pull.options
}
