/** As much of a message as has to be known before the protocol sees it (JSON-RPC 2.0, MCP 2025-11-25 "Transports"). */
import { isObject, type Json } from "#domain/CanonicalJson.ts"

export type Id = string | number | null

export interface Incoming {
  readonly isInitialize: boolean
  /** How many of it are to be answered: a notification is just taken. */
  readonly requests: number
  /** Of the request; `null` for what is none, or is several. */
  readonly id: Id
}

/** Messages in a batch (2025-03-26 alone has batches). */
export const mostInBatch = 20

/** `null` for a batch of too many. What is no message at all is the protocol's to refuse. */
export const look = (json: Json): Incoming | null => {
  if (!Array.isArray(json)) return lookAtOne(json)
  if (json.length > mostInBatch) return null
  const requests = json.reduce((requests, one) => requests + lookAtOne(one).requests, 0)
  return { isInitialize: false, requests, id: null }
}

const lookAtOne = (json: Json): Incoming => {
  if (!isObject(json)) return { isInitialize: false, requests: 0, id: null }
  const { id, method } = json
  return {
    isInitialize: method === "initialize",
    requests: method !== undefined && id !== undefined ? 1 : 0,
    id: typeof id === "string" || typeof id === "number" ? id : null
  }
}

/** A call that gives a tool arguments; `null` for every other message. */
export const toolCallOf = (message: Json) => {
  if (!isObject(message) || message["method"] !== "tools/call") return null
  const { params } = message
  if (params === undefined || !isObject(params)) return null
  const { arguments: given } = params
  return given === undefined || !isObject(given) ? null : { message, params, given }
}

export interface ErrorText {
  readonly code: number
  readonly message: string
}

export const error = (id: Id, { code, message }: ErrorText) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

export const parseError = {
  code: -32700,
  message: "The message is not JSON in UTF-8, at most 128 levels deep and with finite numbers."
}
export const invalidRequest = (message: string): ErrorText => ({ code: -32600, message })
export const internalError = { code: -32603, message: "Internal error" }
/** Codes that servers choose themselves are from -32000 on downwards; the official SDK has this one for the same. */
export const sessionGone = {
  code: -32001,
  message: "The session is not there, or has ended: send initialize without Mcp-Session-Id to open one."
}
export const stopping = { code: -32000, message: "The server is stopping: call again in a moment." }
export const signedOut = { code: -32000, message: "The sign-in that the call was made with is over." }
