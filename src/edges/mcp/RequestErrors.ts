/**
 * Finds faults in a well-formed request. The protocol would report them by repeating the client's text, or without a
 * reason (JSON-RPC 2.0, "Error object"; MCP 2025-11-25, "Tools", "Pagination", "Progress").
 */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ErrorObject } from "./JsonRpc.ts"
import type { Offered } from "./McpEndpoint.ts"

const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]

/** Of every supported version. */
export const methods: ReadonlySet<string> = new Set([
  ...lists,
  "completion/complete",
  "initialize",
  "logging/setLevel",
  "ping",
  "prompts/get",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "tools/call"
])

const invalidParams = (message: string): ErrorObject => ({ code: -32602, message })

const unknownTool = invalidParams("There is no tool with this name: tools/list has all tools.")

const unknownMethod: ErrorObject = {
  code: -32601,
  message: "There is no such method: tools/list lists the tools, and tools/call calls one."
}
const paramsWrong = invalidParams("`params` is an object.")
const metaWrong = invalidParams("`_meta` is an object, and its `progressToken` a text or a number.")
const versionNamed = invalidParams(
  "`_meta` names a version of the protocol: here initialize agrees on one, and Mcp-Protocol-Version names it."
)
const nameWrong = invalidParams(
  "`params` of tools/call has the `name` of a tool, a text: tools/list has them all."
)
const argumentsWrong = invalidParams("`arguments` of a tool is an object: tools/list has its schema.")
const onePage = invalidParams("This list has one page, so it takes no cursor.")
const initializeWrong = invalidParams(
  "`params` of initialize has `protocolVersion`, a text, `capabilities`, an object, and `clientInfo`, an object with `name` and `version`, both texts."
)

const isText = (json: Json | undefined) => typeof json === "string"

/** A version in `_meta` means a protocol version without sessions (MCP 2026-07-28). */
const wrongInMeta = (meta: Json): ErrorObject | null => {
  if (!isObject(meta)) return metaWrong
  if ("io.modelcontextprotocol/protocolVersion" in meta) return versionNamed
  const { progressToken } = meta
  const isToken = progressToken === undefined || isText(progressToken) || typeof progressToken === "number"
  return isToken ? null : metaWrong
}

const opens = ({ capabilities, clientInfo, protocolVersion }: JsonObject): boolean =>
  isText(protocolVersion) &&
  isObject(capabilities) &&
  isObject(clientInfo) &&
  isText(clientInfo["name"]) &&
  isText(clientInfo["version"])

const noParams: JsonObject = {}

/** Does not check whether the tool, prompt or resource exists. */
export const find = (method: string, given: Json | undefined): ErrorObject | null => {
  if (!methods.has(method)) return unknownMethod
  const params = given ?? noParams
  if (!isObject(params)) return paramsWrong
  const wrong = params["_meta"] === undefined ? null : wrongInMeta(params["_meta"])
  if (wrong !== null) return wrong
  if (method === "initialize") return opens(params) ? null : initializeWrong
  if (lists.includes(method)) return params["cursor"] === undefined ? null : onePage
  if (method !== "tools/call") return null
  if (!isText(params["name"])) return nameWrong
  return params["arguments"] === undefined || isObject(params["arguments"]) ? null : argumentsWrong
}

/** Methods of prompts and resources. Without any, lists are empty and all other calls fail. */
const needs: { readonly [method: string]: "hasPrompts" | "hasResources" } = {
  "prompts/get": "hasPrompts",
  "resources/read": "hasResources",
  "resources/subscribe": "hasResources",
  "resources/unsubscribe": "hasResources"
}

/** Checks a valid request against what exists. `method` is `null` when the message is not a single request. */
export const findUnoffered = (
  { method, tool }: { readonly method: string | null; readonly tool: string | null },
  offered: Offered
): ErrorObject | null => {
  if (tool !== null && !offered.tools.has(tool)) return unknownTool
  const needed = method === null ? undefined : needs[method]
  return needed === undefined || offered[needed] ? null : unknownMethod
}
