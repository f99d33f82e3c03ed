/**
 * Turns what a run reports into the chunks of OpenAI's streams: chunks of a provider pass under our names, texts become deltas,
 * and a whole output becomes one chunk. The rest of a stream, its finish reasons, its usage and its end, comes when the request has ended:
 * until then it may fail, and no client can unsee that it was finished.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as CompletionChunks from "#src/features/providers/openai/CompletionChunks.ts"
import * as Completions from "./Completions.ts"

export interface Chunks {
  /** The chunks to send for a chunk of the run. */
  readonly take: (given: Json) => ReadonlyArray<JsonObject>
  /** Whether something was made that the client cannot unsee. */
  readonly hasContent: () => boolean
  /** The run begins again, and nothing of it was seen. */
  readonly restart: () => void
  /** The chunks to send when the request has ended with this output. */
  readonly end: (output: Json) => ReadonlyArray<JsonObject>
}

export interface About {
  readonly kind: Completions.Kind
  readonly names: Completions.Names
  /** `stream_options.include_usage`. */
  readonly withUsage: boolean
}

const choicesOf = (chunk: JsonObject): ReadonlyArray<JsonObject> => {
  const choices = JsonText.member(chunk, "choices")
  return isList(choices) ? JsonText.items(choices).filter(isObject) : []
}

/** The members of an object, with their own texts. */
const membersOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(object).map((name) => [name, JsonText.member(object, name) ?? null]))

/** Members that the object does not have itself. */
const notIn = (object: JsonObject, members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(object, name)))

const isEmptyText = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === ""

/** A delta with nothing but the role. */
const isBare = (delta: JsonObject): boolean =>
  Object.entries(delta).every(([name, value]) => name === "role" || isEmptyText(value))

const saysSomething = (chunk: JsonObject): boolean =>
  choicesOf(chunk).some(({ delta, text }) => (isObject(delta) ? !isBare(delta) : !isEmptyText(text)))

const isWhole = (given: JsonObject): boolean => choicesOf(given).some(({ message }) => isObject(message))

const isFinished = ({ finish_reason: finish }: JsonObject): boolean => !isEmptyText(finish)

/** Members of a chunk beside those that each has. */
const othersIn = (chunk: JsonObject): JsonObject =>
  JsonText.edit(chunk, { omit: ["choices", "created", "id", "model", "object", "usage"] })

const usageIn = (output: Json): Json => (isObject(output) ? (output["usage"] ?? null) : null)

export const make = ({ kind, names, withUsage }: About): Chunks => {
  let hasContent = false
  let hasBegun = false
  /** Choices that have begun, by their index. */
  const begun = new Set<Json>()
  let usage: Json = null
  /** Chunks with which choices finish. */
  let last: Array<JsonObject> = []
  /** What chunks without choices told, which go with the next one that has some: few clients take chunks without. */
  let others: JsonObject = {}

  /** OpenAI's clients refuse a choice of a chat without a role, which some servers do not tell. */
  const withRole = (choice: JsonObject): JsonObject => {
    const { index = 0 } = choice
    const delta = JsonText.member(choice, "delta")
    if (kind !== "chat" || begun.has(index) || !isObject(delta)) return choice
    begun.add(index)
    return isEmptyText(delta["role"])
      ? JsonText.edit(choice, { set: { delta: JsonText.edit(delta, { set: { role: "assistant" } }) } })
      : choice
  }

  const ofProvider = (given: JsonObject): ReadonlyArray<JsonObject> => {
    const whole = isWhole(given) ? CompletionChunks.ofCompletion(given) : given
    const { usage: used } = whole
    const rest = JsonText.edit(whole, { omit: ["usage"] })
    // The usage is sent at the end, for clients that ask for it.
    if (used !== undefined && used !== null) usage = used
    const told = choicesOf(rest)
    const choices = told.map(withRole)
    if (choices.length === 0) {
      others = JsonText.edit(others, { set: membersOf(othersIn(rest)) })
      return []
    }
    const set = {
      ...notIn(rest, membersOf(others)),
      ...(choices.some((choice, place) => choice !== told[place]) && { choices }),
      ...(withUsage && { usage: null })
    }
    const chunk = Completions.chunk(kind, names, JsonText.edit(rest, { set }))
    others = {}
    hasBegun = true
    if (choices.some(isFinished)) {
      last.push(chunk)
      return []
    }
    hasContent ||= saysSomething(rest)
    return [chunk]
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

  const finish = (): ReadonlyArray<JsonObject> => {
    if (last.length === 0)
      return [
        ...begin(),
        JsonText.edit(Completions.textChunk(kind, names, "", "stop"), { set: membersOf(others) })
      ]
    return [
      ...last.slice(0, -1),
      ...last.slice(-1).map((chunk) => JsonText.edit(chunk, { set: membersOf(others) }))
    ]
  }

  return {
    take,
    hasContent: () => hasContent,
    restart: () => {
      usage = null
      last = []
      others = {}
    },
    end: (output) =>
      withUsage ? [...finish(), Completions.usageChunk(kind, names, usage ?? usageIn(output))] : finish()
  }
}
