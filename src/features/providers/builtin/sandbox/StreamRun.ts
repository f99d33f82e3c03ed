/** `sandbox/stream` and `sandbox/chat`: say a text word by word. */
import { Clock, Effect, Schema } from "effect"
import { units } from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { ChatInput } from "#src/features/catalog/models/builtin/sandbox/Chat.ts"
import { StreamInput, usualText } from "#src/features/catalog/models/builtin/sandbox/Stream.ts"
import type { RunControl } from "../../Provider.ts"
import { type SandboxRun, stopped, succeeded } from "./SandboxRun.ts"

/** Without words, the text is one. */
const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\s*\S+\s*/gu) ?? [text]

/** The most words of a text that is said once. */
const mostWords = 1_000

interface Saying {
  readonly text: string
  /** Words; the whole text once when absent. */
  readonly count?: number
  readonly delayMs: number
}

/** Words come at their times on the monotonic clock, so that slow reports do not slow the rest. */
const say = Effect.fnUntraced(function* (
  { count, delayMs, text }: Saying,
  control: RunControl
): Effect.fn.Return<ProviderOutcome> {
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

const decodeStream = Schema.decodeUnknownSync(StreamInput)

export const stream: SandboxRun = (job, control) =>
  Effect.suspend(() => say({ text: usualText, delayMs: 0, ...decodeStream(job.input) }, control))

const decodeChat = Schema.decodeUnknownSync(ChatInput)

/** About as fast as a model on one's own machine, ms for each word. */
const chatDelayMs = 40

/** The texts of the last message. */
const lastOf = ({ messages }: typeof ChatInput.Type): string => {
  const content = messages.at(-1)?.content ?? ""
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("")
}

export const chat: SandboxRun = (job, control) =>
  Effect.suspend(() => say({ text: lastOf(decodeChat(job.input)), delayMs: chatDelayMs }, control))
