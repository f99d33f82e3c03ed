/** Calls of the server under the session of the browser. Types come from the server's declarations. */
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { type Query, queryOf } from "#clients/typescript/Addresses.ts"
import { errorOf } from "#clients/typescript/ErrorAnswer.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import { adminRoutes, routes } from "./Routes.ts"
import type {
  AdminAnswer,
  AdminName,
  AdminPayload,
  AnswerOf,
  Name,
  ParamsOf,
  PayloadOfCall,
  QueryOf
} from "./Types.ts"

/** The path of the console, without a slash at the end; behind a proxy it may be below another one. */
export const consolePath =
  document.querySelector<HTMLMetaElement>('meta[name="inferlog-path"]')?.content ?? "/console"

type Texts = Readonly<Record<string, unknown>>

/** Fills `:name` in a path. */
const filled = (path: string, params: Texts): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))

/** As a query string with `?`; empty without parameters. Lists repeat their name. */
export const queryText = (query: Texts): string => queryOf(query as Query)

/** Listeners of calls that no server has answered. */
const unanswered = new Set<() => void>()
export const onUnreachable = (listener: () => void): (() => void) => {
  unanswered.add(listener)
  return () => unanswered.delete(listener)
}

export interface Sending {
  readonly method?: string
  /** Sent as JSON, with the texts that its values remember (`JsonText`), unless it is bytes. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Listeners of answers that say that the session has ended (401). */
const ended = new Set<() => void>()
export const onSessionEnded = (listener: () => void): (() => void) => {
  ended.add(listener)
  return () => ended.delete(listener)
}

/** Tells the listeners that a call or a stream was answered with 401. */
export const sessionEnded = (): void => {
  for (const listener of ended) listener()
}

/** Without it the server takes no call of a page. */
export const headersOfPages = { "x-inferlog-console": "1" }

/** Tells the listeners that a call was not answered. @returns the error for the view. */
export const unreachable = (): UnreachableError => {
  for (const listener of unanswered) listener()
  return new UnreachableError(
    navigator.onLine
      ? "The server cannot be reached. Check that it runs."
      : "You are offline. This goes on when the connection is back."
  )
}

/**
 * Sends a call to a path below the console, such as `/session` or `/api/keys`.
 * Throws an `ApiError` for an answer that is not 2xx, and an `UnreachableError` for none.
 */
export const send = async (
  path: string,
  { body, headers = {}, method = "GET", signal }: Sending = {}
): Promise<Response> => {
  const isJson = body !== undefined && !(body instanceof Blob)
  const response = await fetch(consolePath + path, {
    method,
    credentials: "same-origin",
    headers: {
      ...headersOfPages,
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...headers
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JsonText.write(body as Json) }),
    ...(signal === undefined ? {} : { signal })
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw unreachable()
  })
  if (response.ok) return response
  if (response.status === 401 && path.startsWith("/api/")) sessionEnded()
  const text = await response.text().catch(() => "")
  throw errorOf({ status: response.status, headers: response.headers, text }, Date.now())
}

export const sendForJson = async (path: string, sending?: Sending): Promise<unknown> => {
  const response = await send(path, sending)
  return response.status === 204 ? undefined : withPayloads(JsonText.parse(await response.text()))
}

/** Members with JSON of clients, providers and manifests. */
const payloads = ["input", "output", "exampleInput", "template", "defaults"]

/** The answer with payloads that remember their texts: views show and send them with all digits. */
const withPayloads = (answer: Json): Json => {
  for (const name of payloads) JsonText.member(answer, name)
  return answer
}

type Given<Part extends string, Value> = [Value] extends [undefined]
  ? { readonly [P in Part]?: undefined }
  : {} extends Value
    ? { readonly [P in Part]?: Value }
    : { readonly [P in Part]: Value }

export type CallOptions<N extends Name> = Given<"params", ParamsOf<N>> &
  Given<"query", QueryOf<N>> &
  Given<"payload", PayloadOfCall<N>> & {
    readonly headers?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal | undefined
  }

interface Parts {
  readonly params?: Texts | undefined
  readonly query?: Texts | undefined
  readonly payload?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** The path of an operation below the console, for streams and downloads. */
export const pathOf = (name: Name, { params = {}, query = {} }: Parts = {}): string =>
  `/api${filled(routes[name][1], params)}${queryText(query)}`

/** Calls an operation of the public API for the account of the session. */
export const call = async <N extends Name>(name: N, options: CallOptions<N>): Promise<AnswerOf<N>> => {
  const { headers, payload, signal, ...rest }: Parts = options as Parts
  return (await sendForJson(pathOf(name, rest), {
    method: routes[name][0],
    body: payload,
    signal,
    ...(headers === undefined ? {} : { headers })
  })) as AnswerOf<N>
}

/** Calls an operation of administration for the operator of the session. */
export const admin = async <N extends AdminName>(
  name: N,
  payload: AdminPayload<N>,
  signal?: AbortSignal
): Promise<AdminAnswer<N>> => {
  const [method, route] = adminRoutes[name]
  const fields: Texts = payload
  const inPath = new Set([...route.matchAll(/:(\w+)/g)].map(([, name]) => name))
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.has(name)))
  const isInQuery = method === "GET" || method === "DELETE"
  const path = `/api/admin/v1${filled(route, fields)}${isInQuery ? queryText(rest) : ""}`
  const body = isInQuery ? {} : { body: rest }
  return (await sendForJson(path, { method, signal, ...body })) as AdminAnswer<N>
}
