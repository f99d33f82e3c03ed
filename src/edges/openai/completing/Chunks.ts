/**
 * Turns what a run reports into the chunks of OpenAI's streams: chunks of a provider pass under our names, texts become deltas,
 * and a whole output becomes one chunk. The rest of a stream, its usage and its end, is made when the request has ended.
 */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as CompletionChunks from "#src/features/providers/openai/CompletionChunks.ts"
import * as Completions from "./Completions.ts"

export interface Chunks {
  /** The chunks to send for a chunk of the run. */
  readonly take: (given: Json) => ReadonlyArray<JsonObject>
  /** Whether something was made that the client cannot unsee. */
  readonly hasContent: () => boolean
  /** The chunks to send when the request has ended with this output. */
  readonly end: (output: Json) => ReadonlyArray<JsonObject>
}

export interface About {
  readonly kind: Completions.Kind
  readonly names: Completions.Names
  /** `stream_options.include_usage`. */
  readonly withUsage: boolean
}

const choicesOf = ({ choices }: JsonObject): ReadonlyArray<JsonObject> =>
  Array.isArray(choices) ? choices.filter(isObject) : []

const isEmptyText = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === ""

/** A delta with nothing but the role. */
const isBare = (delta: JsonObject): boolean =>
  Object.entries(delta).every(([name, value]) => name === "role" || isEmptyText(value))

const saysSomething = (chunk: JsonObject): boolean =>
  choicesOf(chunk).some(({ delta, text }) => (isObject(delta) ? !isBare(delta) : !isEmptyText(text)))

const isWhole = (given: JsonObject): boolean => choicesOf(given).some(({ message }) => isObject(message))

export const make = ({ kind, names, withUsage }: About): Chunks => {
  let hasContent = false
  let hasBegun = false
  let hasEnded = false
  let usage: Json = null

  const ofProvider = (given: JsonObject): ReadonlyArray<JsonObject> => {
    const chunk = isWhole(given) ? CompletionChunks.ofCompletion(given) : given
    const { usage: used } = chunk
    const rest = JsonText.edit(chunk, { omit: ["usage"] })
    if (used !== undefined && used !== null) usage = used
    const choices = choicesOf(rest)
    // The usage is sent at the end, for clients that ask for it.
    if (choices.length === 0) return []
    hasBegun = true
    hasContent ||= saysSomething(rest)
    hasEnded ||= choices.some(({ finish_reason: finish }) => !isEmptyText(finish))
    return [Completions.chunk(kind, names, withUsage ? JsonText.edit(rest, { set: { usage: null } }) : rest)]
  }

  const begin = (): ReadonlyArray<JsonObject> => {
    if (hasBegun) return []
    hasBegun = true
    return kind === "chat" ? [Completions.roleChunk(names)] : []
  }

  const ofText = (text: string): ReadonlyArray<JsonObject> => {
    if (text === "") return begin()
    hasContent = true
    return [...begin(), Completions.textChunk(kind, names, text, null)]
  }

  const take = (given: Json): ReadonlyArray<JsonObject> => {
    if (typeof given === "string") return ofText(given)
    return ofProvider(
      isObject(given) && Array.isArray(given["choices"]) ? given : Completions.whole(kind, names, given)
    )
  }

  return {
    take,
    hasContent: () => hasContent,
    end: (output) => {
      const last = hasEnded ? [] : [...begin(), Completions.textChunk(kind, names, "", "stop")]
      if (!withUsage) return last
      const used = usage ?? (isObject(output) ? (output["usage"] ?? null) : null)
      return [...last, Completions.usageChunk(kind, names, used)]
    }
  }
}
