/**
 * What a call of fal's client asks for: the client names fal's own address in `x-fal-target-url`. The address is only parsed
 * and never fetched. A model's id there may have more segments than ours: `fal-ai/flux/dev` is our `fal-ai/flux-dev`, which is
 * submitted under its full id and then followed under owner and app alone, `fal-ai/flux`.
 */
import { Result } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import type { TokenUse } from "#src/features/accounts/tokens/TokenUse.ts"
import { isModelName, isOwnerName } from "#domain/ModelEndpoint.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

export const header = "x-fal-target-url"

interface OfModel {
  /** `{owner}/{name}` */
  readonly endpoint: string
}

export interface OfRequest {
  /** Of the model: `{owner}/{name}`, or the beginning of it. */
  readonly prefix: string
  readonly requestId: string
}

export type Target =
  | ({ readonly _tag: "Run" | "Stream" } & OfModel)
  | ({ readonly _tag: "Submit"; readonly webhook: string | null } & OfModel)
  | ({ readonly _tag: "Status" | "StatusStream"; readonly logs: boolean } & OfRequest)
  | ({ readonly _tag: "Result" | "Cancel" } & OfRequest)
  | { readonly _tag: "InitiateUpload" | "InitiateMultipart" | "Token" }

/** The methods by which the client calls. */
export type Method = "GET" | "POST" | "PUT"

type Found = Result.Result<Target, ErrorAnswer.ErrorAnswer>

const refuse = (status: number, code: string, message: string): Found =>
  Result.fail(ErrorAnswer.coded(status, code, message))

const missing = refuse(
  400,
  "TARGET_MISSING",
  `The header ${header} is missing: fal's client sends it when proxyUrl or its requestMiddleware says so.`
)
const foreign = refuse(
  412,
  "TARGET_FOREIGN",
  `The header ${header} must name an https address of fal.run, queue.fal.run or rest.fal.ai.`
)
const unknown = refuse(
  404,
  "TARGET_UNKNOWN",
  `The header ${header} names no operation that this service has.`
)
const unknownModel: Found = Result.fail(ErrorAnswer.unknownModel)
const realtime = refuse(
  501,
  "REALTIME_UNSUPPORTED",
  "Realtime connections are not supported: use fal.stream."
)

const unknownQuery = refuse(
  422,
  "QUERY_UNSUPPORTED",
  "The address has a query parameter that this service does not know: inputs are sent as the JSON body of a POST."
)

const refuseMethod = (allowed: Method): Found =>
  refuse(405, "METHOD_NOT_ALLOWED", `The operation is called by ${allowed} only.`)

/** Without credentials, port and fragment. */
const address = /^https:\/\/([a-z0-9.-]+)\/([^?#\s]*)(?:\?([^#\s]*))?$/

/** `{owner}/{name}` for the segments of an id; `null` if they cannot be a model's. */
const endpointOf = ([owner = "", ...rest]: ReadonlyArray<string>): string | null => {
  const name = rest.join("-")
  return isOwnerName(owner) && rest.every(isModelName) && isModelName(name) ? `${owner}/${name}` : null
}

const only = (query: URLSearchParams, ...names: ReadonlyArray<string>): boolean =>
  [...query.keys()].every((name) => names.includes(name)) &&
  names.every((name) => query.getAll(name).length < 2)

const ofSynchronous = (segments: ReadonlyArray<string>, query: URLSearchParams, method: Method): Found => {
  if (method !== "POST") return refuseMethod("POST")
  if (!only(query)) return unknownQuery
  const last = segments.length > 2 ? segments.at(-1) : undefined
  if (last === "realtime") return realtime
  const endpoint = endpointOf(last === "stream" ? segments.slice(0, -1) : segments)
  return endpoint === null
    ? unknownModel
    : Result.succeed({ _tag: last === "stream" ? "Stream" : "Run", endpoint })
}

const submission = (segments: ReadonlyArray<string>, query: URLSearchParams, method: Method): Found => {
  if (method !== "POST") return refuseMethod("POST")
  if (!only(query, "fal_webhook")) return unknownQuery
  const endpoint = endpointOf(segments)
  const webhook = query.get("fal_webhook")
  return endpoint === null ? unknownModel : Result.succeed({ _tag: "Submit", webhook, endpoint })
}

const operations = {
  "": { tag: "Result", method: "GET" },
  cancel: { tag: "Cancel", method: "PUT" },
  status: { tag: "Status", method: "GET" },
  "status/stream": { tag: "StatusStream", method: "GET" }
} as const

const isOperation = (name: string): name is keyof typeof operations => Object.hasOwn(operations, name)

const ofQueue = (segments: ReadonlyArray<string>, query: URLSearchParams, method: Method): Found => {
  const at = segments.indexOf("requests", 2)
  if (at < 0) return submission(segments, query, method)
  const prefix = endpointOf(segments.slice(0, at))
  const [requestId = "", ...rest] = segments.slice(at + 1)
  const name = rest.join("/")
  if (prefix === null || requestId === "" || !isOperation(name)) return unknown
  const operation = operations[name]
  if (method !== operation.method) return refuseMethod(operation.method)
  const named = { prefix, requestId }
  if (operation.tag === "Result" || operation.tag === "Cancel") {
    return only(query) ? Result.succeed({ _tag: operation.tag, ...named }) : unknownQuery
  }
  const logs = query.get("logs") === "1"
  return only(query, "logs") ? Result.succeed({ _tag: operation.tag, ...named, logs }) : unknownQuery
}

const restOperations: Readonly<Record<string, "InitiateUpload" | "InitiateMultipart" | "Token">> = {
  "storage/upload/initiate": "InitiateUpload",
  "storage/upload/initiate-multipart": "InitiateMultipart",
  tokens: "Token"
}

const ofRest = (segments: ReadonlyArray<string>, query: URLSearchParams, method: Method): Found => {
  const path = segments.join("/")
  const tag = Object.hasOwn(restOperations, path) ? restOperations[path] : undefined
  if (tag === undefined) return unknown
  if (method !== "POST") return refuseMethod("POST")
  return only(query, "storage_type") ? Result.succeed({ _tag: tag }) : unknownQuery
}

const hosts: Readonly<Record<string, typeof ofQueue>> = {
  "fal.run": ofSynchronous,
  "queue.fal.run": ofQueue,
  "rest.fal.ai": ofRest,
  "rest.alpha.fal.ai": ofRest
}

/** @param text the header's value. */
export const parse = (text: string | undefined, method: Method): Found => {
  if (text === undefined) return missing
  const [, host = "", path = "", query] = address.exec(text) ?? []
  const translate = Object.hasOwn(hosts, host) ? hosts[host] : undefined
  if (translate === undefined) return foreign
  // A model's id may be given as an address, whose path the client ends with a slash.
  return translate(path.replace(/\/$/, "").split("/"), new URLSearchParams(query), method)
}

interface Access {
  /** What a key must be granted. */
  readonly scope: Scope
  readonly tokens: TokenUse
}

/** Who may call the operation. */
export const accessOf = (tag: Target["_tag"]): Access => {
  switch (tag) {
    case "Run":
    case "Stream":
    case "Submit":
      return { scope: "requests:write", tokens: "submit" }
    case "Cancel":
      return { scope: "requests:write", tokens: "request" }
    case "Status":
    case "StatusStream":
    case "Result":
      return { scope: "requests:read", tokens: "request" }
    case "InitiateUpload":
    case "InitiateMultipart":
      return { scope: "files:write", tokens: "none" }
    case "Token":
      return { scope: "requests:write", tokens: "none" }
  }
}
