/**
 * Limits the answer to `initialize` to capabilities that exist (MCP 2025-11-25, "Capability Negotiation"). Effect's
 * server announces all that it could have: notifications of changed lists, logging, and completions are never sent.
 */
import { Result } from "effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"

const existing = (capabilities: JsonObject): JsonObject => {
  const { completions, logging: _logging, ...rest } = capabilities
  const completes = completions !== undefined && ("prompts" in rest || "resources" in rest)
  const lists = Object.entries(rest).map(([name, value]) => [name, withoutListChanged(value)] as const)
  return { ...Object.fromEntries(lists), ...(completes ? { completions } : {}) }
}

const withoutListChanged = (capability: Json): Json => {
  if (!isObject(capability)) return capability
  const { listChanged: _listChanged, ...rest } = capability
  return rest
}

/** Corrects an answer to `initialize` and returns any other answer unchanged. */
export const truthful = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const message = Result.getOrElse(JsonBytes.parse(body.body), () => null)
  if (!isObject(message) || !isObject(message["result"])) return response
  const { result } = message
  const { capabilities } = result
  if (!isObject(capabilities)) return response
  const corrected = { ...message, result: { ...result, capabilities: existing(capabilities) } }
  return HttpServerResponse.setBody(response, HttpBody.text(JSON.stringify(corrected), "application/json"))
}
