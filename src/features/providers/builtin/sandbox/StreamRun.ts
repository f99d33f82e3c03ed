/** `sandbox/stream`: says a text word by word. */
import { Clock, Effect, Schema } from "effect"
import { units } from "#domain/Money.ts"
import { StreamInput, usualText } from "#src/features/catalog/models/builtin/sandbox/Stream.ts"
import { type SandboxRun, stopped, succeeded } from "./SandboxRun.ts"

const decode = Schema.decodeUnknownSync(StreamInput)

/** Without words, the text is one. */
const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\s*\S+\s*/gu) ?? [text]

/** The most words of a text that is said once. */
const mostWords = 1_000

/** Words come at their times on the monotonic clock, so that slow reports do not slow the rest. */
export const stream: SandboxRun = Effect.fnUntraced(function* (job, control) {
  const { count, delayMs = 0, text = usualText } = decode(job.input)
  const words = wordsOf(text)
  const total = count ?? Math.min(words.length, mostWords)
  yield* control.started
  const startedAt = yield* Clock.monotonicTimeNanos
  let said = ""
  for (let index = 0; index < total; index++) {
    if (delayMs > 0) {
      const elapsedMs = Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6
      const leftMs = (index + 1) * delayMs - elapsedMs
      const isStopped = leftMs > 0 && (yield* control.isStoppedWithin(leftMs))
      if (isStopped) return said === "" ? stopped : { _tag: "CutShort", output: said }
    }
    const word = words[index % words.length] ?? ""
    said += word
    control.chunk(word)
  }
  return succeeded(said, units(1))
})
