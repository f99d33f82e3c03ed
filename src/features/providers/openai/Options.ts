/** What a binding of the `openai` adapter says beside its common fields. */
import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

export const Options = Schema.Struct({
  /** `POST {url}/chat/completions`, `{url}/images/generations` or `{url}/embeddings`. */
  endpoint: Schema.Literals(["chat", "images", "embeddings"]),
  /** What the server calls the model. The input cannot name another one. */
  model: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256)),
  /** Of `chat`: whether the answer is asked for as a stream, as it is when not given. For servers that cannot. */
  stream: Schema.optionalKey(Schema.Boolean)
})
export type Options = typeof Options.Type

/** `url` is the base that the paths are put after, such as `https://api.openai.com/v1`. */
export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
