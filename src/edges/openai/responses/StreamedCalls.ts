/**
 * The calls of tools in the chunks of a chat. Servers differ: a piece may have no index, a name or an id may come late or never,
 * a new id on a known index begins another call, and arguments may be an object.
 */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as GrowingText from "#src/kernel/text/GrowingText.ts"
import * as ResponseItems from "./ResponseItems.ts"

export interface Growing {
  /** Whether its id and name are known. */
  readonly isNamed: () => boolean
  /** The call so far. It gets an id of this server if the provider gave none. */
  readonly now: () => ResponseItems.Call
}

export interface Taken {
  readonly call: Growing
  readonly more: string
}

export interface StreamedCalls {
  readonly take: (piece: JsonObject) => Taken
  readonly all: () => ReadonlyArray<Growing>
}

interface State extends Growing {
  id: string
  name: string
  readonly add: (more: string) => void
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** @param request the id of the request, of which ids are made. */
export const make = (request: string): StreamedCalls => {
  const all: Array<State> = []
  const byIndex = new Map<number, State>()

  const begin = (): State => {
    const text = GrowingText.make()
    const place = all.length
    const state: State = {
      id: "",
      name: "",
      add: text.add,
      isNamed: () => state.id !== "" && state.name !== "",
      now: () => ({
        place,
        id: state.id === "" ? ResponseItems.madeCallId(request, place) : state.id,
        name: state.name,
        arguments: text.text()
      })
    }
    all.push(state)
    return state
  }

  /** A piece without an index belongs to the call with its id, or else to the last one, unless it names another. */
  const withoutIndex = (id: string, name: string): State => {
    const last = all.at(-1)
    if (id !== "") {
      const known = all.find((one) => one.id === id)
      return known ?? (last !== undefined && last.id === "" && name === "" ? last : begin())
    }
    return last === undefined || (name !== "" && last.name !== "") ? begin() : last
  }

  const withIndex = (index: number, id: string): State => {
    const known = byIndex.get(index)
    const isAnother = known === undefined || (id !== "" && known.id !== "" && known.id !== id)
    const state = isAnother ? begin() : known
    byIndex.set(index, state)
    return state
  }

  return {
    all: () => all,
    take: (piece) => {
      const named = isObject(piece["function"]) ? piece["function"] : {}
      const id = textOf(piece["id"])
      const name = textOf(named["name"])
      const { index } = piece
      const state = typeof index === "number" ? withIndex(index, id) : withoutIndex(id, name)
      if (state.id === "") state.id = id
      if (state.name === "") state.name = name
      const more = ResponseItems.argumentsIn(named["arguments"])
      state.add(more)
      return { call: state, more }
    }
  }
}
