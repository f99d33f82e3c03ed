/**
 * Checks a message (JSON-RPC 2.0, sections 4 to 6; MCP 2025-11-25, "Messages"). The protocol would run a call
 * without an id, which is not counted, and leave some invalid messages unanswered. This module refuses them with a
 * reason.
 */
import { Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import * as RequestErrors from "./RequestErrors.ts"

/** Messages in a batch (only 2025-03-26 has batches). */
export const mostInBatch = 20

interface Malformed {
  /** The request's id for the answer, if it has one. */
  readonly id: JsonRpc.Id
  readonly reason: string
}

/** What must be known of a message before the protocol handles it. */
export interface Incoming {
  /** How many requests it contains. Notifications get no answer. */
  readonly requests: number
  /** The request's id; `null` for other messages and for batches. */
  readonly id: JsonRpc.Id
  /** Why the request cannot be executed; `null` when nothing is wrong with it, and for a batch. */
  readonly fault: JsonRpc.ErrorObject | null
  /** The request's method; `null` for other messages and for batches. */
  readonly method: string | null
  /** The name of the called tool; `null` for other messages and for batches. */
  readonly tool: string | null
}

type Looked = Result.Result<Incoming, Malformed>

const notJsonRpc = 'A message is an object with `"jsonrpc": "2.0"`.'
const neither = "A message has a `method`, or is an answer: `id`, and either `result` or `error`."
const methodWrong = "`method` is a text."
const foreign = "A message has no members but `jsonrpc`, `id`, `method` and `params`."
const answerForeign = "An answer has no members but `jsonrpc`, `id`, `result` and `error`."
const notificationId = "A notification has no id and gets no answer."
const nothing = "A batch has at least one message."
const tooMany = `A batch has at most ${mostInBatch} messages.`
const alone = "initialize comes alone, in no batch."
const sameId = "Two requests of the batch have the same id."

const idMissing = (method: string) => {
  const what = RequestErrors.methods.has(method) ? method : "A message not named notifications/…"
  return `${what} is a request: it has an id, a text or a whole number up to ${Number.MAX_SAFE_INTEGER}, under which it is answered.`
}

/** Effect reads further members, such as `discard`, with which a call would continue after its answer. */
const hasOnly = (message: JsonObject, ...names: ReadonlyArray<string>) =>
  Object.keys(message).every((name) => names.includes(name))

/** Greater numbers lose precision when read, and the answer would be to another request. */
const isId = (id: Json | undefined): id is string | number =>
  typeof id === "string" || Number.isSafeInteger(id)

const refusedAnswer = (message: JsonObject): string | null => {
  const { error, id, result } = message
  const hasId = typeof id === "string" || typeof id === "number" || id === null
  if (!hasId || (result === undefined) === (error === undefined)) return neither
  return hasOnly(message, "jsonrpc", "id", "result", "error") ? null : answerForeign
}

const refused = (message: JsonObject): string | null => {
  const { id, jsonrpc, method } = message
  if (jsonrpc !== "2.0") return notJsonRpc
  if (method === undefined) return refusedAnswer(message)
  if (typeof method !== "string") return methodWrong
  if (!hasOnly(message, "jsonrpc", "id", "method", "params")) return foreign
  if (isId(id)) return null
  if (!method.startsWith("notifications/")) return idMissing(method)
  return id === undefined ? null : notificationId
}

const taken: Incoming = { requests: 0, id: null, fault: null, method: null, tool: null }

const lookAtOne = (json: Json): Looked => {
  if (!isObject(json)) return Result.fail({ id: null, reason: notJsonRpc })
  const { id, method, params } = json
  const reason = refused(json)
  if (reason !== null) return Result.fail({ id: isId(id) ? id : null, reason })
  if (typeof method !== "string" || !isId(id)) return Result.succeed(taken)
  const fault = RequestErrors.find(method, params)
  const name = isObject(params) ? params["name"] : undefined
  return Result.succeed({
    requests: 1,
    id,
    fault,
    method,
    tool: method === "tools/call" && typeof name === "string" ? name : null
  })
}

/** The protocol itself reports faults of the single requests of a batch. */
const lookAtAll = (batch: ReadonlyArray<Json>): Looked => {
  const malformed = (reason: string) => Result.fail({ id: null, reason })
  if (batch.length === 0) return malformed(nothing)
  if (batch.length > mostInBatch) return malformed(tooMany)
  const ids = new Set<JsonRpc.Id>()
  for (const [index, json] of batch.entries()) {
    const looked = lookAtOne(json)
    if (Result.isFailure(looked)) {
      return malformed(`Message ${index + 1} of the batch: ${looked.failure.reason}`)
    }
    const { id, method } = looked.success
    if (method === "initialize") return malformed(alone)
    if (ids.has(id)) return malformed(sameId)
    if (id !== null) ids.add(id)
  }
  return Result.succeed({ ...taken, requests: ids.size })
}

const isBatch = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)

export const look = (json: Json): Looked => (isBatch(json) ? lookAtAll(json) : lookAtOne(json))
