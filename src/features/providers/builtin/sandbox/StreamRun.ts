/** `sandbox/stream` and `sandbox/chat`: say a text word by word, one of them in the form of OpenAI's API. */
import { Clock, Effect, Schema } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
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

/** How what is said is shown. */
interface Form {
  /** The chunk of a word. */
  readonly chunk: (word: string) => Json
  /** Chunks before the first and after the last word. */
  readonly head: ReadonlyArray<Json>
  readonly tail: (said: string) => ReadonlyArray<Json>
  /** `isWhole`: false for an output that was cut. */
  readonly output: (said: string, isWhole: boolean) => Json
}

const plain: Form = { chunk: (word) => word, head: [], tail: () => [], output: (said) => said }

interface Saying {
  readonly text: string
  /** Words; the whole text once when absent. */
  readonly count?: number
  readonly delayMs: number
  readonly form: Form
}

/** Words come at their times on the monotonic clock, so that slow reports do not slow the rest. */
const say = Effect.fnUntraced(function* (
  { count, delayMs, form, text }: Saying,
  control: RunControl
): Effect.fn.Return<ProviderOutcome> {
  const words = wordsOf(text)
  const total = count ?? Math.min(words.length, mostWords)
  yield* control.started
  form.head.forEach((chunk) => control.chunk(chunk))
  const startedAt = yield* Clock.monotonicTimeNanos
  let said = ""
  for (let index = 0; index < total; index++) {
    if (delayMs > 0) {
      const elapsedMs = Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6
      const leftMs = (index + 1) * delayMs - elapsedMs
      const isStopped = leftMs > 0 && (yield* control.isStoppedWithin(leftMs))
      if (isStopped) return said === "" ? stopped : { _tag: "CutShort", output: form.output(said, false) }
    }
    const word = words[index % words.length] ?? ""
    said += word
    control.chunk(form.chunk(word))
  }
  form.tail(said).forEach((chunk) => control.chunk(chunk))
  return succeeded(form.output(said, true), units(1))
})

const decodeStream = Schema.decodeUnknownSync(StreamInput)

export const stream: SandboxRun = (job, control) =>
  Effect.suspend(() => say({ text: usualText, delayMs: 0, form: plain, ...decodeStream(job.input) }, control))

const decodeChat = Schema.decodeUnknownSync(ChatInput)

/** About as fast as a model on one's own machine, ms for each word. */
const chatDelayMs = 40

type Message = (typeof ChatInput.Type)["messages"][number]

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("")

/** What a model counts as tokens are words here. */
const tokensIn = (text: string): number => text.match(/\S+/g)?.length ?? 0

const usageOf = (prompt: number, said: string): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: tokensIn(said),
  total_tokens: prompt + tokensIn(said)
})

const chunkOf = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
})

/** @param prompt its tokens. */
const completion = (prompt: number): Form => ({
  chunk: (word) => chunkOf({ content: word }),
  head: [chunkOf({ role: "assistant", content: "" })],
  tail: (said) => [
    chunkOf({}, "stop"),
    { object: "chat.completion.chunk", choices: [], usage: usageOf(prompt, said) }
  ],
  output: (said, isWhole) => ({
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: said },
        logprobs: null,
        finish_reason: isWhole ? "stop" : null
      }
    ],
    usage: usageOf(prompt, said)
  })
})

export const chat: SandboxRun = (job, control) =>
  Effect.suspend(() => {
    const { messages } = decodeChat(job.input)
    const text = messages.slice(-1).map(textOf).join("")
    const prompt = messages.reduce((sum, message) => sum + tokensIn(textOf(message)), 0)
    return say({ text, delayMs: chatDelayMs, form: completion(prompt) }, control)
  })
