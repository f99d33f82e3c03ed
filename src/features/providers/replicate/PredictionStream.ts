/** The output of a prediction as events (https://replicate.com/docs/topics/predictions/streaming). */
import { Effect } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import type { OutputChunks } from "../OutputChunks.ts"
import type { Access } from "../QueuedJobs.ts"
import * as ServerEvents from "../ServerEvents.ts"
import type { Options } from "./Options.ts"

/** How long a stream may last, ms: predictions that take longer are followed without it. */
const longestMs = 3_600_000

/** Streams are at hosts of Replicate's own, such as `stream.replicate.com`. Elsewhere, an address in an answer is not followed. */
const isHere = (url: URL, base: string): boolean =>
  url.origin === new URL(base).origin ||
  (url.protocol === "https:" &&
    url.hostname.endsWith(".replicate.com") &&
    base.startsWith("https://api.replicate.com/"))

/** The address in the answer to a creation; `null` of models that do not stream. */
export const urlIn = (answer: Json | undefined, base: string): string | null => {
  const urls = isObject(answer) ? answer["urls"] : undefined
  const text = isObject(urls) ? urls["stream"] : undefined
  const url = typeof text === "string" ? URL.parse(text) : null
  return url !== null && isHere(url, base) ? url.href : null
}

/** Every part is plain text. The address has a token of its own, and the credential is sent to the API alone. */
export const follow = (
  { stream }: Pick<Access<Options>, "stream">,
  url: string,
  chunks: OutputChunks
): Effect.Effect<void, NoAnswer> =>
  stream(
    {
      method: "GET",
      url,
      headers: { accept: "text/event-stream" },
      timeoutMs: longestMs,
      maxBytes: ServerEvents.mostBytes
    },
    (answer) =>
      ServerEvents.isStream(answer)
        ? ServerEvents.read(
            answer,
            ({ data, event }) => event !== "done" && (event !== "output" || chunks.take(data))
          )
        : Effect.void
  )
