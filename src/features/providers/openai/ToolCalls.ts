/**
 * The calls of tools in the deltas of one choice. Servers disagree on how parts of a call name their call: by an `index`, which some
 * give to every call, by an id, by both or by neither, and some of them send the arguments as an object.
 */
import * as crypto from "node:crypto"
import { Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as GrowingJson from "#src/kernel/text/GrowingJson.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as Deltas from "./Deltas.ts"

export interface ToolCalls {
  /**
   * The parts of a delta as clients can join them: each has the place of its call as `index`, a call begins with its id and its name,
   * and arguments are text. A call is held back until both are known. `null` if one of them is no part of a call.
   */
  readonly take: (parts: ReadonlyArray<Json>) => ReadonlyArray<JsonObject> | null
  /** The calls that are still held back, with ids of ours, when no more parts come. */
  readonly release: () => ReadonlyArray<JsonObject>
  /** The calls as a message has them. */
  readonly whole: () => ReadonlyArray<JsonObject>
}

/** The most calls in a choice. */
const mostCalls = 128

interface Call {
  readonly place: number
  id: string | null
  name: string | null
  readonly members: GrowingJson.GrowingJson
  /** The delta that had its last part. */
  turn: number
  isShown: boolean
}

interface Part {
  readonly given: JsonObject
  readonly index: number | null
  readonly id: string | null
  readonly name: string | null
  /** Whether it has a piece of the arguments. */
  readonly hasArguments: boolean
}

const textIn = (value: Json | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null

/** What is called, with arguments that are text. */
export const asText = (called: JsonObject): JsonObject => {
  const { arguments: given } = called
  return given === undefined || given === null || typeof given === "string"
    ? called
    : { ...called, arguments: JSON.stringify(given) }
}

const isObjectText = (text: string): boolean =>
  text.trimEnd().endsWith("}") && isObject(Result.getOrUndefined(JsonBytes.parse(Buffer.from(text))))

/** Of arguments without a part that is missing. */
const isWhole = (text: string): boolean => text === "" || isObjectText(text)

/** The function of a call, or its tool of another kind, whose `input` is a text. */
const calledIn = ({ custom, function: called }: JsonObject): JsonObject => {
  if (isObject(called)) return called
  return isObject(custom) ? custom : {}
}

const argumentsIn = (call: JsonObject): string => {
  const { arguments: given, input } = calledIn(call)
  return textIn(given) ?? textIn(input) ?? ""
}

const withText = (call: JsonObject): JsonObject => {
  const { function: called } = call
  const text = isObject(called) ? asText(called) : called
  return text === undefined || text === called ? call : { ...call, function: text }
}

/** `null` for what is no part of a call. */
const partOf = (json: Json): Part | null => {
  if (!isObject(json)) return null
  const { index } = json
  const isIndex = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < mostCalls
  if (typeof index === "number" && !isIndex) return null
  const given = withText(json)
  return {
    given,
    index: isIndex ? index : null,
    id: textIn(given["id"]),
    name: textIn(calledIn(given)["name"]),
    hasArguments: argumentsIn(given).trim() !== ""
  }
}

const madeId = (): string => `call_${crypto.randomUUID().replaceAll("-", "")}`

export const make = (): ToolCalls => {
  const calls: Array<Call> = []
  const byIndex = new Map<number, Call>()
  let turn = 0

  const argumentsOf = ({ members }: Call): string => argumentsIn(members.json())

  /** Whether the part begins another call than the one that it would else go on with. */
  const isAnother = (call: Call, { hasArguments, id, name }: Part): boolean => {
    if (id !== null && call.id !== null) {
      if (id === call.id) return false
      // Some servers make a new id for every part.
      return name !== null || isWhole(argumentsOf(call))
    }
    if (name === null || call.name === null) return false
    return name !== call.name || call.turn === turn || (hasArguments && isObjectText(argumentsOf(call)))
  }

  /** The call that a part without an index may go on with. */
  const withoutIndex = ({ id, name }: Part, order: number, count: number): Call | undefined => {
    const known = id === null ? undefined : calls.find((call) => call.id === id)
    if (known !== undefined || count === 1) return known ?? calls.at(-1)
    // Parts of several calls come in the order of the calls.
    return id === null && name === null ? calls[order] : calls.at(-1)
  }

  const callOf = (part: Part, order: number, count: number): Call | null => {
    const known = part.index === null ? withoutIndex(part, order, count) : byIndex.get(part.index)
    if (known !== undefined && !isAnother(known, part)) return known
    if (calls.length >= mostCalls) return null
    const call: Call = {
      place: calls.length,
      id: null,
      name: null,
      members: GrowingJson.make(Deltas.rules),
      turn: 0,
      isShown: false
    }
    calls.push(call)
    if (part.index !== null) byIndex.set(part.index, call)
    return call
  }

  const jsonOf = ({ id, members, name }: Call): JsonObject => {
    const { index: _index, ...known } = members.json()
    if (isObject(known["custom"])) return { type: "custom", ...known, id }
    const called = calledIn(known)
    return {
      type: "function",
      ...known,
      id,
      function: { ...called, name: name ?? "", arguments: argumentsIn(known) }
    }
  }

  const shownWhole = (call: Call): JsonObject => {
    call.isShown = true
    return { index: call.place, ...jsonOf(call) }
  }

  /** A later part of a call that was shown. */
  const shownPart = ({ given, id, index }: Part, call: Call): JsonObject => {
    const isIt = id === null || id === call.id
    return index === call.place && isIt
      ? given
      : { ...given, index: call.place, ...(!isIt && { id: call.id }) }
  }

  const takePart = (part: Part, call: Call): JsonObject | null => {
    const isFirst = call.turn === 0
    call.id ??= part.id
    call.name ??= part.name
    call.members.add(part.given)
    call.turn = turn
    if (call.isShown) return shownPart(part, call)
    if (call.id === null || call.name === null) return null
    if (!isFirst || part.given["type"] === undefined) return shownWhole(call)
    call.isShown = true
    return shownPart(part, call)
  }

  const withId = (call: Call): Call => {
    call.id ??= madeId()
    return call
  }

  return {
    take: (given) => {
      turn += 1
      const shown: Array<JsonObject> = []
      for (const [order, json] of given.entries()) {
        const part = partOf(json)
        const call = part === null ? null : callOf(part, order, given.length)
        if (part === null || call === null) return null
        const one = takePart(part, call)
        if (one !== null) shown.push(one)
      }
      return shown
    },
    release: () => calls.filter(({ isShown }) => !isShown).map((call) => shownWhole(withId(call))),
    whole: () => calls.map((call) => jsonOf(withId(call)))
  }
}

/** The calls of a whole message: with ids, and arguments that are text. The same list if they are so already. */
export const mended = (calls: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const made = calls.map((call) => {
    if (!isObject(call)) return call
    const { id, ...given } = withText(call)
    return textIn(id) === null ? { id: madeId(), ...given } : withText(call)
  })
  return made.every((call, place) => call === calls[place]) ? calls : made
}
