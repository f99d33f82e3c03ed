/**
 * Serves the endpoints of a declared group in one pass: match the route, admit the caller, check the query, call the
 * handler. Handlers read and write bodies themselves, because `HttpApiBuilder` would add a chain of middlewares and a
 * copy of the server's services to each request.
 */
import { Context, Effect, Predicate, Result, Schema, SchemaAST } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest, ParsedSearchParams } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Scope } from "#domain/account/Grant.ts"
import type { TokenUse } from "#src/features/accounts/tokens/TokenUse.ts"
import * as Answer from "../Answer.ts"
import type { Admitted } from "../edge/Admission.ts"
import { UnderWay } from "../edge/Exchanges.ts"
import { answerError, envelope, type ErrorForm } from "../edge/Respond.ts"
import { RouteTable } from "../edge/RouteTable.ts"
import type { Call, Reply, Route } from "./Route.ts"
import type { ServiceError } from "../ServiceErrors.ts"
import * as SchemaErrors from "./SchemaErrors.ts"
import { invalid, type ErrorAnswer } from "../ErrorAnswer.ts"

/** The only client text that an error repeats, so it is cut to short ASCII. */
const shown = (name: string): string => name.replace(/[^ -~]/g, "?").slice(0, 64)

const mostNames = 20

/** Refuses undeclared query parameters and names them: a misspelled filter must not return everything. */
const undeclaredIn = (
  query: Readonly<Record<string, unknown>>,
  isDeclared: (name: string) => boolean
): ErrorAnswer | null => {
  // `?&=` has an empty name.
  const undeclared = Object.keys(query).filter((name) => name !== "" && !isDeclared(name))
  if (undeclared.length === 0) return null
  return invalid(
    undeclared.slice(0, mostNames).map((name) => ({
      path: [shown(name)],
      code: "unknown",
      message: "is not a query parameter of this route"
    }))
  )
}

/**
 * Finds the caller of a request before anything else is read. Made once for each endpoint, from its required scope and from
 * what it is to tokens.
 */
export type Admit<Caller> = (
  requires: Scope | null,
  tokens: TokenUse
) => (request: HttpServerRequest) => Effect.Effect<Admitted<Caller>, ServiceError>

/** For groups without authentication. */
export const everybody: Effect.Effect<Admit<void>> = Effect.succeed(
  () => () => Effect.succeed({ caller: undefined, headers: Answer.noHeaders })
)

/** An endpoint with its handler, without the types of its parts. */
interface Declared<Caller> {
  readonly endpoint: HttpApiEndpoint.Top
  readonly handler: (call: { readonly [part in keyof Call<never>]: unknown }, caller: Caller) => Reply
}

const queryReader = (query: HttpApiEndpoint.Top["query"]) => {
  if (query === undefined) return () => Result.succeed(undefined)
  const declared = Schema.make<Schema.ConstraintDecoder<unknown>>(query.ast)
  const decode = Schema.decodeUnknownResult(declared, { errors: "all" })
  return (found: unknown) => Result.mapError(decode(found), SchemaErrors.toErrorAnswer)
}

const namesOf = ({ query }: HttpApiEndpoint.Top): ReadonlySet<string> => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return new Set(ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : [])
}

const isOfAccount = (caller: unknown): caller is { readonly accountId: string } =>
  Predicate.hasProperty(caller, "accountId") && typeof caller.accountId === "string"

const carrying = (reply: Effect.Success<Reply>, headers: Answer.Headers): Effect.Success<Reply> =>
  HttpServerResponse.isHttpServerResponse(reply)
    ? HttpServerResponse.setHeaders(reply, { ...headers, ...reply.headers })
    : Answer.carrying(reply, headers)

const toResponse = (reply: Effect.Success<Reply>, correlationId: string) =>
  HttpServerResponse.isHttpServerResponse(reply) ? reply : Answer.toResponse(reply, correlationId)

const serving =
  <Caller>(table: RouteTable["Service"], admit: Admit<Caller>, form: ErrorForm) =>
  ({ endpoint, handler }: Declared<Caller>) => {
    const { identifier, path, query } = endpoint
    const enter = admit(table.requires(identifier), table.tokens(identifier))
    const names = namesOf(endpoint)
    const takesQuery = table.takesQuery(identifier)
    const isDeclared = (name: string) => names.has(name) || takesQuery(name)
    const readQuery = queryReader(query)
    return Effect.contextWith((context: Context.Context<HttpRouter.Provided>) => {
      const request = Context.get(context, HttpServerRequest)
      const { params } = Context.get(context, HttpRouter.RouteContext)
      const { admitted, correlationId, found } = Context.get(context, UnderWay)
      const target = { method: request.method, url: request.url, host: request.headers["host"] }
      if (!table.isServed(identifier, params, target)) {
        const errorAnswer = table.errorAnswer(target).toAnswer(correlationId)
        return Effect.succeed(Answer.toResponse(errorAnswer, correlationId))
      }
      found(path)
      const handle = ({ caller, headers }: Admitted<Caller>): Reply => {
        if (isOfAccount(caller)) admitted(caller.accountId)
        const given = Context.get(context, ParsedSearchParams)
        const undeclared = undeclaredIn(given, isDeclared)
        if (undeclared !== null) return Effect.fail(undeclared)
        const query = readQuery(given)
        return Result.isFailure(query)
          ? Effect.fail(query.failure)
          : handler({ request, params, query: query.success, headers }, caller)
      }
      const answer = (entered: Admitted<Caller>): Reply => {
        if (entered.headers === Answer.noHeaders) return handle(entered)
        return Effect.catch(handle(entered), (error) => answerError(error, correlationId, form)).pipe(
          Effect.map((reply) => carrying(reply, entered.headers))
        )
      }
      return enter(request).pipe(
        Effect.flatMap(answer),
        Effect.catch((error) => answerError(error, correlationId, form)),
        Effect.map((reply) => toResponse(reply, correlationId))
      )
    })
  }

const served = <Caller, E1, R1, E2, R2>(
  admit: Effect.Effect<Admit<Caller>, E1, R1>,
  declared: Effect.Effect<ReadonlyArray<Declared<Caller>>, E2, R2>,
  form: ErrorForm
) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const serve = serving(yield* RouteTable, yield* admit, form)
      yield* router.addAll(
        (yield* declared).map((one) =>
          HttpRouter.route(one.endpoint.method, one.endpoint.path as HttpRouter.PathInput, serve(one))
        )
      )
    })
  )

type AnyRoute<Caller> = Route<HttpApiEndpoint.Top, Caller, unknown, unknown>

type ErrorOf<Routes extends ReadonlyArray<unknown>> =
  Routes[number] extends Route<infer _Endpoint, infer _Caller, infer E, infer _R> ? E : never
type ServicesOf<Routes extends ReadonlyArray<unknown>> =
  Routes[number] extends Route<infer _Endpoint, infer _Caller, infer _E, infer R> ? R : never

/**
 * Serves the routes of a group. Each kind of caller is admitted in its own way.
 * @param form of the errors that the routes answer.
 */
export const layer = <Caller, E1, R1, const Routes extends ReadonlyArray<object>>(
  admit: Effect.Effect<Admit<Caller>, E1, R1>,
  routes: Routes,
  form: ErrorForm = envelope
) => {
  const all = routes as unknown as ReadonlyArray<AnyRoute<Caller>>
  const declared = Effect.forEach(all, ({ endpoint, serve }) =>
    Effect.map(serve, (handler) => ({ endpoint, handler }) as Declared<Caller>)
  ) as Effect.Effect<ReadonlyArray<Declared<Caller>>, ErrorOf<Routes>, ServicesOf<Routes>>
  return served(admit, declared, form)
}
