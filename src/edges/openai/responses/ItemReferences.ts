/**
 * Items that a call only refers to (`item_reference`), as clients do that trust in stored responses. The id of an item names the
 * request that made it, so the item is read from the output of that request, for as long as the request has one.
 */
import { Effect } from "effect"
import { isList, isObject, type Json } from "#domain/CanonicalJson.ts"
import { RequestId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as ResponseItems from "./ResponseItems.ts"

export type Found =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Call"; readonly call: ResponseItems.Call }
  /** It is not told again. */
  | { readonly _tag: "Reasoning" }

/** By the id of the item. */
export type References = ReadonlyMap<string, Found>

/** Requests that one call may refer to. */
const mostRequests = 256

const idsIn = (input: Json | undefined): ReadonlyArray<string> =>
  (isList(input) ? input : []).filter(isObject).flatMap(({ id, role, type }) => {
    const isReference = type === "item_reference" || ((type ?? null) === null && role === undefined)
    return isReference && typeof id === "string" ? [id] : []
  })

interface Named {
  readonly kind: string
  readonly request: string
  readonly place: number
}

/** `null` if no response of this server made the item. */
const named = (id: string): Named | null => {
  const [, kind, request, place] = /^(msg|rs|fc|ctc)_([\w-]{21})(?:_(\d{1,4}))?$/.exec(id) ?? []
  return kind === undefined || request === undefined ? null : { kind, request, place: Number(place ?? 0) }
}

const foundIn = (output: Json, { kind, place, request }: Named): Found | null => {
  if (kind === "rs") return { _tag: "Reasoning" }
  const chosen = ResponseItems.chosenIn(output)
  if (chosen === null)
    return kind === "msg" && typeof output === "string" ? { _tag: "Message", text: output } : null
  if (kind === "msg") {
    const { refusal, text } = ResponseItems.saidIn(chosen.message, chosen.choice)
    return { _tag: "Message", text: text ?? refusal ?? "" }
  }
  const call = ResponseItems.callsIn(request, chosen.message)[place]
  return call === undefined ? null : { _tag: "Call", call }
}

const notFound = (id: string): ErrorAnswer =>
  OpenaiErrors.notFound(
    `Item with id '${named(id) === null ? "" : id}' not found. Send the item itself instead of a reference.`,
    "input"
  )

export const make = Effect.map(Requests, (requests) => {
  const outputOf = (caller: Caller, request: string): Effect.Effect<Json> =>
    requests.get({ caller, id: RequestId.make(request) }).pipe(
      Effect.flatMap((snapshot) => requests.payloads(snapshot, { input: false })),
      Effect.map(({ output }) => output),
      // Whatever cannot be read is answered alike, so that ids cannot be probed.
      Effect.orElseSucceed((): Json => null)
    )

  /** The items that `input` refers to. Fails with 404 if one is not there, and the client then sends it whole. */
  return Effect.fnUntraced(function* (caller: Caller, input: Json | undefined) {
    const found = new Map<string, Found>()
    const outputs = new Map<string, Json>()
    for (const id of idsIn(input)) {
      const place = named(id)
      if (place === null) return yield* notFound(id)
      const { request } = place
      if (!outputs.has(request)) {
        if (outputs.size === mostRequests) return yield* notFound(id)
        outputs.set(request, yield* outputOf(caller, request))
      }
      const item = foundIn(outputs.get(request) ?? null, place)
      if (item === null) return yield* notFound(id)
      found.set(id, item)
    }
    return found satisfies References
  })
})
