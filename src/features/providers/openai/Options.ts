/** The options of the `openai` adapter. */
import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

export const Options = Schema.Struct({
  /** `POST {url}/chat/completions`, `{url}/images/generations`, and so on (`OpenaiProvider`). */
  endpoint: Schema.Literals([
    "chat",
    "completions",
    "responses",
    "images",
    "embeddings",
    "transcriptions",
    "speech"
  ]),
  /** The server's name of the model. The input cannot override it. */
  model: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256)),
  /** For `chat` and `completions`: whether to request a stream; true by default. For servers without streams. */
  stream: Schema.optionalKey(Schema.Boolean)
})
export type Options = typeof Options.Type

/** `url` is the base before the paths, such as `https://api.openai.com/v1`. */
export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
