/** All declared routes: distinguishes an unknown path from a wrong method, and knows which host serves a route. */
import { Context, Effect, identity, Layer } from "effect"
import * as FindMyWay from "effect/http/FindMyWay"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import type { Scope } from "#domain/account/Grant.ts"
import type { TokenUse } from "#src/features/accounts/tokens/TokenUse.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import {
  AnswersHead,
  type HostName,
  IsRefused,
  OpenToAnyOrigin,
  Requires,
  ServedOn,
  TakesQuery,
  TakesTokens
} from "../api/RouteAnnotations.ts"
import type { Answer } from "../Answer.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import { isEndpoint } from "../requests/EndpointParams.ts"
import { readable } from "./AnyOrigin.ts"
import * as BrowserOrigin from "./BrowserOrigin.ts"

export interface RequestTarget {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** The `Host` header. */
  readonly host: string | undefined
}

/** Path parameters, as a router found them. */
export type PathParams = Readonly<Record<string, string | undefined>>

interface Declared {
  readonly path: string
  readonly hosts: ReadonlyArray<HostName>
  readonly answersHead: boolean
  readonly isRefused: boolean
  readonly requires: Scope | null
  readonly tokens: TokenUse
  readonly isOpenToAnyOrigin: boolean
  readonly takesQuery: (name: string) => boolean
}

/** Paths are matched as written, with case and slashes. A parameter longer than any of ours matches no route. */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 1024
}

export class RouteTable extends Context.Service<
  RouteTable,
  {
    /** Whether the endpoint that a router found serves this request. */
    isServed(endpoint: string, params: PathParams, target: RequestTarget): boolean
    /** Whether the requested host serves the endpoint. */
    isServedHere(endpoint: string, host: string | undefined): boolean
    /** The declared path of the endpoint. */
    path(endpoint: string): string
    /** The scope that the endpoint requires; `null` without one. */
    requires(endpoint: string): Scope | null
    /** What the endpoint is to tokens. */
    tokens(endpoint: string): TokenUse
    /** The answer to a preflight of a path that pages may call, if a key allows it, with the path; `null` for others. */
    preflight(target: RequestTarget): { readonly path: string; readonly answer: Answer } | null
    /** Whether the endpoint accepts a query parameter that it does not declare. */
    takesQuery(endpoint: string): (name: string) => boolean
    /** The answer to a request without a route: 404, 405 with `Allow`, or 400 for a path that cannot be decoded. */
    errorAnswer(target: RequestTarget): ErrorAnswer.ErrorAnswer
    /** The form of errors that are found outside of the routes. @param url path and query. */
    formOf(url: string): (found: ErrorAnswer.ErrorAnswer) => ErrorAnswer.ErrorAnswer
  }
>()("inferlog/src/edges/http/edge/RouteTable") {
  /** @param formOf the form of errors on paths that have none of ours. */
  static readonly layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
    api: HttpApi.HttpApi<Id, Groups>,
    formOf: (url: string) => (found: ErrorAnswer.ErrorAnswer) => ErrorAnswer.ErrorAnswer = () => identity
  ) =>
    Layer.effect(
      RouteTable,
      Effect.gen(function* () {
        const isServedOn = hostRule(yield* PublicUrls)
        const table = FindMyWay.make<string>(routerConfig)
        const methods = new Set<string>()
        const byName = new Map<string, Declared>()
        HttpApi.reflect(api, {
          onGroup: () => {},
          onEndpoint: ({ endpoint, mergedAnnotations }) => {
            methods.add(endpoint.method)
            byName.set(endpoint.identifier, {
              path: endpoint.path,
              hosts: Context.get(mergedAnnotations, ServedOn),
              answersHead: Context.get(mergedAnnotations, AnswersHead),
              isRefused: Context.get(mergedAnnotations, IsRefused),
              requires: Context.get(mergedAnnotations, Requires),
              tokens: Context.get(mergedAnnotations, TakesTokens),
              isOpenToAnyOrigin: Context.get(mergedAnnotations, OpenToAnyOrigin),
              takesQuery: Context.get(mergedAnnotations, TakesQuery)
            })
            table.on(endpoint.method, endpoint.path as FindMyWay.PathInput, endpoint.identifier)
          }
        })

        const isServed = (endpoint: string, params: PathParams, { host, method }: RequestTarget): boolean => {
          const declared = byName.get(endpoint)
          if (declared === undefined || (method === "HEAD" && !declared.answersHead)) return false
          const { modelName, ownerName } = params
          if (ownerName !== undefined && modelName !== undefined && !isEndpoint({ ownerName, modelName })) {
            return false
          }
          return isServedOn(declared.hosts, host)
        }

        /** The endpoint that serves the target; `undefined` without one. */
        const declaredAt = (target: RequestTarget): Declared | undefined => {
          const found = table.find(target.method === "HEAD" ? "GET" : target.method, target.url)
          return found !== undefined && isServed(found.handler, found.params, target)
            ? byName.get(found.handler)
            : undefined
        }

        /** The routes of the path, by any method. */
        const routesAt = (target: RequestTarget) =>
          [...methods, "HEAD"].flatMap((method) => {
            const declared = declaredAt({ ...target, method })
            return declared === undefined || declared.isRefused ? [] : [{ method, ...declared }]
          })

        const preflight = (target: RequestTarget) => {
          if (!isDecodable(target.url)) return null
          const forPages = routesAt(target).filter(
            ({ isOpenToAnyOrigin, requires }) => isOpenToAnyOrigin || requires !== null
          )
          const [first] = forPages
          if (first === undefined) return null
          const answer = BrowserOrigin.preflight(forPages.map(({ method }) => method).sort())
          return { path: first.path, answer }
        }

        const unserved = (target: RequestTarget): ErrorAnswer.ErrorAnswer => {
          if (!isDecodable(target.url)) return malformedPath
          const others = routesAt(target)
          if (others.length === 0) return ErrorAnswer.unknownRoute
          const isOpen = others.every(({ isOpenToAnyOrigin }) => isOpenToAnyOrigin)
          const allow = others.map(({ method }) => method).sort()
          return ErrorAnswer.methodNotAllowed(allow, isOpen ? readable : {})
        }

        const errorAnswer = (target: RequestTarget) => formOf(target.url)(unserved(target))

        const isServedHere = (endpoint: string, host: string | undefined): boolean => {
          const declared = byName.get(endpoint)
          return declared !== undefined && isServedOn(declared.hosts, host)
        }

        const path = (endpoint: string): string => byName.get(endpoint)?.path ?? ""

        const requires = (endpoint: string): Scope | null => byName.get(endpoint)?.requires ?? null

        const tokens = (endpoint: string): TokenUse => byName.get(endpoint)?.tokens ?? "none"

        const takesQuery = (endpoint: string) => byName.get(endpoint)?.takesQuery ?? (() => false)

        return RouteTable.of({
          takesQuery,
          isServed,
          isServedHere,
          path,
          requires,
          tokens,
          preflight,
          errorAnswer,
          formOf
        })
      })
    )
}

const malformedPath = ErrorAnswer.malformed("The path is not validly percent-encoded.")

const isDecodable = (url: string): boolean => {
  try {
    decodeURIComponent(url.split("?", 1)[0] ?? "")
    return true
  } catch {
    return false
  }
}

/** The `Host` of calls of the console, which is served on one host and calls the routes of two. */
export const consoleHost = "*"

const ofConsole: ReadonlyArray<HostName> = ["queue", "platform"]

/** If the public hosts differ, `Host` selects the routes; otherwise all routes share one origin. */
const hostRule = (urls: PublicUrls["Service"]) => {
  const hosts: Record<HostName, string> = {
    queue: new URL(urls.queueUrl).host,
    platform: new URL(urls.baseUrl).host,
    media: new URL(urls.mediaUrl).host,
    mcp: new URL(urls.mcpUrl).host
  }
  const isOneOrigin = new Set(Object.values(hosts)).size === 1
  return (names: ReadonlyArray<HostName>, host = ""): boolean => {
    if (isOneOrigin || names.length === 0) return true
    return host === consoleHost
      ? names.some((name) => ofConsole.includes(name))
      : names.some((name) => hosts[name] === withoutDefaultPort(host))
  }
}

const withoutDefaultPort = (host: string): string => host.toLowerCase().replace(/:(80|443)$/, "")
