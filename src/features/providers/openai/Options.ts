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
  stream: Schema.optionalKey(Schema.Boolean),
  /**
   * The rest is for strict servers, and of chats and completions. What is unset is learned from the server's first refusal
   * (`Strictness`). Whether to ask for the usage of a stream.
   */
  streamUsage: Schema.optionalKey(Schema.Boolean),
  /** The name under which the limit of tokens is sent. */
  tokenLimit: Schema.optionalKey(Schema.Literals(["max_completion_tokens", "max_tokens"])),
  /** Whether all `system` and `developer` messages are sent as one `system` message before the others. */
  oneSystemMessage: Schema.optionalKey(Schema.Boolean),
  /** The role under which `developer` messages are sent. */
  developerRole: Schema.optionalKey(Schema.Literals(["developer", "system"]))
})
export type Options = typeof Options.Type

/** `url` is the base before the paths, such as `https://api.openai.com/v1`. Its query stays behind them. */
export const options: AdapterOptions = { url: "required", secretEnv: "optional", options: Options }
