/** The parts of messages that this server reads and writes itself (JSON-RPC 2.0; MCP 2025-11-25, "Transports"). */
import { isObject, type Json } from "#domain/CanonicalJson.ts"

export type Id = string | number | null

/** The parameters of a tool call with arguments; `null` for every other message. */
export const toolCallOf = (message: Json) => {
  if (!isObject(message) || message["method"] !== "tools/call") return null
  const { params } = message
  if (params === undefined || !isObject(params)) return null
  const { arguments: given } = params
  return given === undefined || !isObject(given) ? null : { message, params, given }
}

export interface ErrorObject {
  readonly code: number
  readonly message: string
}

export const error = (id: Id, { code, message }: ErrorObject) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

export const parseError = {
  code: -32700,
  message: "The message is not JSON in UTF-8, at most 128 levels deep and with finite numbers."
}
export const invalidRequest = (message: string): ErrorObject => ({ code: -32600, message })
export const internalError = { code: -32603, message: "Internal error" }
/** Servers may choose codes from -32000 downwards. The official SDK uses the same one. */
export const sessionGone = {
  code: -32001,
  message: "The session does not exist or has ended: send initialize without Mcp-Session-Id to open one."
}
export const stopping = { code: -32000, message: "The server is stopping: call again in a moment." }
/** Sent in JSON-RPC or over HTTP, as the client expects. */
export const signedOut = {
  code: -32000,
  message: "The sign-in of the call has ended: sign in again. Requests that the call has submitted continue."
}
