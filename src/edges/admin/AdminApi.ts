/** The operations as a declared API, from which the routes and the OpenAPI document are made. */
import { Predicate, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import { type HostName, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { operations as declared } from "./Administration.ts"
import { OperatorAuthorization } from "./AdminAuthorization.ts"
import * as Calls from "./Calls.ts"
import * as ErrorStatuses from "./ErrorStatuses.ts"
import * as LogRoutes from "./log/LogRoutes.ts"
import type { Any } from "./Operation.ts"

export const operations = declared as unknown as ReadonlyArray<Any>

const paramTexts: Readonly<Record<string, string>> = {
  accountId: "`acc_…`",
  keyId: "The part of the key before the colon.",
  operatorId: "`op_…`",
  requestId: "21 characters."
}

const paramsOf = (fields: object) =>
  Object.fromEntries(
    Object.keys(fields).map((name) => [
      name,
      Schema.String.annotate({ description: paramTexts[name] ?? "A name." })
    ])
  )

const queryTexts: Readonly<Record<string, string>> = {
  after: "`next` of the page before.",
  limit: "Of one page.",
  ...paramTexts
}

/** Query parameters are texts, described by the forms of the fields. */
const queryOf = (fields: Any["payload"]) => {
  const { schema } = Schema.toJsonSchemaDocument(Schema.toCodecJson(Schema.Struct(fields)))
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const forms = Predicate.isObject(schema["properties"]) ? schema["properties"] : {}
  return Object.fromEntries(
    Object.keys(fields).map((name) => {
      const found: unknown = Predicate.hasProperty(forms, name) ? forms[name] : undefined
      const form = Predicate.isObject(found) && !("$ref" in found) ? { ...found } : { type: "string" }
      const text = queryTexts[name] ?? "A filter, or what to add."
      return [
        name,
        required.includes(name) ? ListParameters.required(text, form) : ListParameters.text(text, form)
      ]
    })
  )
}

const responses: ReadonlyMap<number, Schema.Top> = new Map([
  [404, CommonResponses.notFound],
  [409, CommonResponses.conflict]
])

const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0

const describe = (operation: Any): string => {
  const codes = operation.errors.map((error) => `\`${Calls.codeOf(Calls.tagOf(error))}\``)
  const about = codes.length === 0 ? "" : `\n\nRefusals (\`details.code\`): ${codes.join(", ")}.`
  return `${operation.description}\n\nRole: \`${operation.role}\`.${about}`
}

/** The public API has operations of the same names, and may share a table of routes with these. */
const nameOf = ({ name }: Any): string => `admin.${name}`

const declare = (operation: Any): HttpApiEndpoint.Top => {
  const { body, params, query } = Calls.placesOf(operation)
  const statuses = new Set(operation.errors.map((error) => ErrorStatuses.of(Calls.tagOf(error))))
  const made = HttpApiEndpoint.make(operation.method)(nameOf(operation), `${Calls.prefix}${operation.path}`, {
    ...(!isEmpty(params) && { params: paramsOf(params) }),
    ...(!isEmpty(query) && { query: queryOf(query) }),
    ...(!isEmpty(body) && {
      payload: Schema.toCodecJson(Schema.Struct(body)).annotate({ [RequestBody.closed]: true })
    }),
    success: Calls.isVoid(operation)
      ? HttpApiSchema.NoContent.annotate({ description: "Done." })
      : Schema.toCodecJson(operation.success).annotate({ description: "The result." }),
    error: [
      ...CommonResponses.usual,
      ...(isEmpty(body) ? [] : CommonResponses.ofBodies),
      ...[...responses].flatMap(([status, response]) => (statuses.has(status) ? [response] : []))
    ]
  } as never)
  return made
    .annotate(OpenApi.Identifier, operation.name)
    .annotate(OpenApi.Summary, operation.summary)
    .annotate(OpenApi.Description, describe(operation)) as unknown as HttpApiEndpoint.Top
}

const endpoints = new Map(operations.map((operation) => [operation, declare(operation)]))

/** `<method> <path>` of an operation as an endpoint. Declared once, because the routes and two documents have the same. */
export const endpointOf = (operation: Any): HttpApiEndpoint.Top =>
  endpoints.get(operation) ?? declare(operation)

/** The groups of the document, by the first part of the path. */
const titles: Readonly<Record<string, string>> = {
  accounts: "Accounts",
  keys: "Keys",
  "worker-keys": "Worker keys",
  requests: "Requests",
  catalog: "Catalog",
  projections: "Read models",
  log: "Log",
  operators: "Operators",
  sessions: "Sessions",
  actions: "Actions",
  self: "Self",
  overview: "Overview",
  queues: "Queues",
  "server-log": "Log of the server"
}

const groupOf = ({ path }: Any): string => path.split("/")[1] ?? ""

const operationGroupsOn = (hosts: ReadonlyArray<HostName>) =>
  [...new Set(operations.map(groupOf))].map((name) => {
    const [first, ...rest] = operations.filter((operation) => groupOf(operation) === name).map(endpointOf)
    const group = HttpApiGroup.make(`admin-${name}`).add(
      first as never,
      ...(rest as unknown as ReadonlyArray<never>)
    )
    return group
      .middleware(OperatorAuthorization as never)
      .annotate(ServedOn, hosts)
      .annotate(OpenApi.Title, titles[name] ?? name)
  })

const groupsOn = (hosts: ReadonlyArray<HostName>): ReadonlyArray<unknown> => [
  ...operationGroupsOn(hosts),
  LogRoutes.group.middleware(OperatorAuthorization as never).annotate(ServedOn, hosts),
  LogRoutes.liveGroup.middleware(OperatorAuthorization as never).annotate(ServedOn, hosts)
]

type AnyApi = HttpApi.HttpApi<string, HttpApiGroup.Top>

const apiOn = (hosts: ReadonlyArray<HostName>) =>
  groupsOn(hosts)
    .reduce<AnyApi>(
      (api, group) => api.add(group as never) as unknown as AnyApi,
      HttpApi.make("inferlog-administration") as unknown as AnyApi
    )
    .annotate(OpenApi.Title, "inferlog administration")
    .annotate(OpenApi.Version, "1.0.0")
    .annotate(OpenApi.Summary, "What operators see and change")
    .annotate(
      OpenApi.Description,
      [
        "Each call needs the key of an operator: `Authorization: Key <OPERATOR_KEY>`.",
        "Every error has the body `{ error, request_id, details? }`. A role that is too low is 403 with `details.code` `ROLE_REQUIRED`.",
        "Every call that changes something is recorded with its operator: see `GET /admin/v1/actions`."
      ].join("\n\n")
    ) as unknown as AnyApi

/** For a server of its own: on every host. */
export const api = apiOn([])

/** Beside the public API: on its host for account routes. */
export const besidePublic = apiOn(["platform"])
