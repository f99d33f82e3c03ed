/**
 * Assembles a `chat.completion` from its chunks (https://platform.openai.com/docs/api-reference/chat-streaming), or a
 * `text_completion`, whose chunks have `text` instead of `delta`. Members that the protocol does not name are assembled, too.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as GrowingJson from "#src/kernel/text/GrowingJson.ts"
import * as Deltas from "./Deltas.ts"
import * as ToolCalls from "./ToolCalls.ts"

/** Told of the whole answer, and by some servers in another place than the chunk itself. */
const ofWhole = ["usage", "service_tier", "system_fingerprint"] as const

/** Members that are not told as they come: what they have is assembled apart. */
const inChunk = new Set(["choices"])
const inChoice = new Set(["delta", "index", "message"])
const inDelta = new Set(["function_call", "tool_calls"])

/** Integers past 2^53 whose digits are kept, about. */
const mostIntegers = 100_000

/** The most choices. */
const mostChoices = 128

interface Choice {
  readonly index: number
  /** Its members but the message. */
  readonly own: GrowingJson.GrowingJson
  readonly message: GrowingJson.GrowingJson
  readonly calls: ToolCalls.ToolCalls
  /** Whether it has had a delta, after which a message is the whole again. */
  hasDelta: boolean
}

/** The `object` of what is assembled. */
export type Assembled = "chat.completion" | "text_completion"

export interface ChatAssembly {
  /**
   * The chunk as it is shown: as it came, but calls of tools so that clients can join their parts (`ToolCalls`). `null` if it is
   * not a chunk.
   */
  readonly take: (chunk: JsonObject) => JsonObject | null
  /** The chunk with what was held back, when no more come; `null` without it. */
  readonly release: () => JsonObject | null
  /** Parts with text or a tool call so far, about one per token. */
  readonly parts: () => number
  /** Whether there is a choice and each has a finish reason. */
  readonly isFinished: () => boolean
  /**
   * `null` without a choice. Without a usage, the parts count as tokens: a part has at least one, so the client is charged for at
   * most what was delivered.
   */
  readonly completion: () => JsonObject | null
  /** The completion of a stream that was cut; `null` without a part. */
  readonly cut: () => JsonObject | null
}

const isSet = (value: Json | undefined): value is Exclude<Json, null> =>
  value !== undefined && value !== null && value !== ""

const indexOf = (choice: JsonObject): number | null => {
  const index = choice["index"] ?? 0
  return typeof index === "number" && Number.isInteger(index) && index >= 0 && index < mostChoices
    ? index
    : null
}

/** The first delta mostly has only the role, and the last one has nothing. */
const hasToken = (delta: JsonObject): boolean =>
  Object.entries(delta).some(([name, value]) =>
    typeof value === "string"
      ? value !== "" && Deltas.rules.joins(name)
      : (name === "function_call" && isObject(value)) ||
        ((name === "tool_calls" || name === "content") && isList(value) && value.length > 0)
  )

const usageOf = (parts: number): JsonObject => ({
  prompt_tokens: 0,
  completion_tokens: parts,
  total_tokens: parts
})

/** A message in a chunk that has a delta as well is the whole so far. */
const deltaOf = (choice: JsonObject, hasDelta: boolean): JsonObject => {
  const { delta, message } = choice
  if (isObject(delta)) return delta
  return isObject(message) && !hasDelta ? message : {}
}

export const make = (object: Assembled = "chat.completion"): ChatAssembly => {
  const isText = object === "text_completion"
  const head = GrowingJson.make(Deltas.ofChunk)
  /** What was told of the whole answer in other places. */
  const elsewhere = new Map<string, Json>()
  const choices = new Map<number, Choice>()
  /** Of chunks, whose numbers are composed anew. */
  const integers: Array<JsonText.LongInteger> = []
  let parts = 0

  const choiceAt = (index: number): Choice => {
    const known = choices.get(index)
    if (known !== undefined) return known
    const choice: Choice = {
      index,
      own: GrowingJson.make(isText ? Deltas.ofTextChoice : Deltas.ofChoice),
      message: GrowingJson.make(Deltas.rules),
      calls: ToolCalls.make(),
      hasDelta: false
    }
    choices.set(index, choice)
    return choice
  }

  const lookFor = (place: Json | undefined) => {
    if (!isObject(place)) return
    for (const name of ofWhole) {
      const value = place[name]
      if (isSet(value)) elsewhere.set(name, value)
    }
  }

  /** The delta as clients see it; `null` if one of its tool calls is malformed. */
  const takeDelta = (choice: Choice, delta: JsonObject, isLast: boolean): JsonObject | null => {
    const { function_call: called, tool_calls: tools } = delta
    choice.message.add(delta, inDelta)
    const text = isObject(called) ? ToolCalls.asText(called) : null
    if (text !== null) choice.message.add({ function_call: text })
    const shown = text === null || text === called ? delta : { ...delta, function_call: text }
    const given = isList(tools) ? tools : []
    if (given.length === 0 && !isLast) return shown
    const taken = choice.calls.take(given)
    if (taken === null) return null
    const calls = isLast ? [...taken, ...choice.calls.release()] : taken
    if (calls.length === given.length && calls.every((call, place) => call === given[place])) return shown
    const { tool_calls: _calls, ...others } = shown
    return calls.length === 0 ? others : { ...others, tool_calls: calls }
  }

  const takeText = (given: JsonObject): JsonObject | null => {
    const { text = null } = given
    if (text !== null && typeof text !== "string") return null
    if (text !== null && text !== "") parts += 1
    return given
  }

  /** The choice as clients see it; `null` if it is malformed. */
  const takeChoice = (given: Json): JsonObject | null => {
    const index = isObject(given) ? indexOf(given) : null
    if (!isObject(given) || index === null) return null
    const choice = choiceAt(index)
    const { delta, message } = given
    lookFor(given)
    lookFor(delta)
    choice.own.add(given, inChoice)
    if (isText) return takeText(given)
    const part = deltaOf(given, choice.hasDelta)
    choice.hasDelta = true
    if (hasToken(part)) parts += 1
    const shown = takeDelta(choice, part, isSet(given["finish_reason"]))
    if (shown === null) return null
    if (message === undefined && (shown === delta || ((delta ?? null) === null && isEmpty(shown))))
      return given
    const { message: _message, ...own } = given
    return { index, ...own, delta: shown }
  }

  const textChoiceOf = ({ index, own }: Choice): JsonObject => {
    const { text = null, ...others } = own.json()
    return { index, text: text ?? "", logprobs: null, finish_reason: null, ...others }
  }

  const chatChoiceOf = ({ calls, index, message, own }: Choice): JsonObject => {
    const whole = calls.whole()
    const { role = null, ...said } = message.json()
    return {
      index,
      message: {
        role: role ?? "assistant",
        content: null,
        ...said,
        ...(whole.length > 0 && { tool_calls: whole })
      },
      logprobs: null,
      finish_reason: null,
      ...own.json()
    }
  }

  const completion = (): JsonObject | null => {
    if (choices.size === 0) return null
    const told = head.json()
    const missing = [...elsewhere].filter(([name]) => !isSet(told[name]))
    const { usage, ...known }: JsonObject = { ...told, ...Object.fromEntries(missing) }
    const composed: JsonObject = {
      ...known,
      object,
      choices: [...choices.values()]
        .toSorted((one, other) => one.index - other.index)
        .map(isText ? textChoiceOf : chatChoiceOf),
      usage: usage ?? usageOf(parts)
    }
    const restored = JsonText.restore(composed, integers)
    return isObject(restored) ? restored : composed
  }

  return {
    take: (chunk) => {
      if (integers.length < mostIntegers) integers.push(...JsonText.longIntegers(chunk))
      const { choices: given } = chunk
      if (given !== undefined && given !== null && !isList(given)) return null
      head.add(chunk, inChunk)
      Object.values(chunk).forEach(lookFor)
      const shown = (given ?? []).map(takeChoice)
      const known = shown.filter((choice) => choice !== null)
      if (known.length < shown.length) return null
      return isList(given) && known.every((choice, place) => choice === given[place])
        ? chunk
        : { ...chunk, choices: known }
    },
    release: () => {
      const held = [...choices.values()].flatMap(({ calls, index }) => {
        const released = calls.release()
        return released.length === 0 ? [] : [{ index, delta: { tool_calls: released }, finish_reason: null }]
      })
      const { usage: _usage, ...told } = head.json()
      return held.length === 0 ? null : { ...told, choices: held }
    },
    parts: () => parts,
    isFinished: () =>
      choices.size > 0 && [...choices.values()].every(({ own }) => isSet(own.get("finish_reason"))),
    completion,
    cut: () => (parts === 0 ? null : completion())
  }
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0
