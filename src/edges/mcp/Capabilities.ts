/**
 * What the answer to `initialize` promises (MCP 2025-11-25, "Capability Negotiation"). Effect's server promises all that it
 * could do. Nobody hears of lists that change, for there is no stream but a call's own, and they change with a release alone;
 * nothing is logged to clients; and to complete there are arguments of prompts and resources at most.
 */
import { Result } from "effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"

const kept = (capabilities: JsonObject): JsonObject => {
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

/** An answer to `initialize` that promises what is kept; any other as it is. */
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
  const told = { ...message, result: { ...result, capabilities: kept(capabilities) } }
  return HttpServerResponse.setBody(response, HttpBody.text(JSON.stringify(told), "application/json"))
}
