/** `GET /openapi.json`: the API as OpenAPI 3.1, with the addresses of this installation and the webhooks that it sends. */
import { Context, Effect, type JsonSchema, Predicate, Schema, Struct } from "effect"
import { HttpApi, HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import type { Scope } from "#domain/account/Grant.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import { lazy } from "#src/kernel/async/Lazy.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as EdgeResponses from "#src/edges/http/api/EdgeResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { type HostName, Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { WebhookEvents } from "#src/edges/api/webhooks/WebhookEvents.ts"

/** Describes the whole API, which contains this route. */
export class DescribeApi extends Context.Service<
  DescribeApi,
  (urls: PublicUrls["Service"]) => ReturnType<typeof make>
>()("inferlog/src/edges/server/system/DescribeApi") {}

const endpoint = HttpApiEndpoint.get("getOpenApi", "/openapi.json", {
  success: Schema.Record(Schema.String, Schema.Json).annotate({
    identifier: "OpenApiDocument",
    description: "OpenAPI 3.1."
  }),
  error: CommonResponses.unexpected
})
  .annotate(OpenApi.Summary, "This description")
  .annotate(OpenApi.Description, "OpenAPI 3.1.")

export const openApi = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const describe = yield* DescribeApi
    const urls = yield* PublicUrls
    // Takes a tenth of a second, so it is not made at the start.
    const document = lazy(() => Answer.json(200, describe(urls), { "cache-control": "public, max-age=300" }))
    return () => Effect.sync(document)
  })
)

/** @param more schemas beside those of the routes. */
export const ofRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  urls: PublicUrls["Service"],
  more: Readonly<Record<string, JsonSchema.JsonSchema>> = {}
) => {
  const addresses: Record<HostName, string> = {
    queue: urls.queueUrl,
    platform: urls.baseUrl,
    media: urls.mediaUrl,
    mcp: urls.mcpUrl
  }
  const saidOf = annotations(api)
  const { components, paths, ...document } = OpenApi.fromApi(api, {
    includeAnnotationKey: (key) => key === RequestBody.closed || key === ListParameters.formKey
  })
  const schemas = EdgeResponses.schemasWith({ ...components.schemas, ...more })
  return {
    ...document,
    components: { ...components, schemas: mapValues(schemas, opened), responses: EdgeResponses.components },
    servers: serversOf(Object.values(addresses)),
    paths: mapValues(paths, (item) =>
      mapValues({ ...item }, (operation) => {
        if (!("operationId" in operation)) return operation
        const said = saidOf.get(operation.operationId)
        if (said === undefined) return operation
        const servers = serversOf(said.hosts.map((host) => addresses[host]))
        return {
          ...operation,
          ...(operation.parameters !== undefined && { parameters: operation.parameters.map(described) }),
          ...guarded(operation, said.requires),
          responses: EdgeResponses.beside(operation.responses),
          ...(servers.length > 0 && { servers })
        }
      })
    )
  }
}

/** The public API, with the webhooks that the server sends. */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  urls: PublicUrls["Service"]
) => {
  const events = OpenApi.fromApi(WebhookEvents)
  return {
    ...ofRoutes(api, urls, events.components.schemas),
    webhooks: Object.fromEntries(
      Object.entries(events.paths).map(([path, item]) => [path.replace("/", ""), item])
    )
  }
}

const serversOf = (urls: ReadonlyArray<string>) => [...new Set(urls)].map((url) => ({ url }))

const mapValues = <A, B>(values: Readonly<Record<string, A>>, f: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, f(value)]))

/** Answers may gain fields in later versions, so their schemas allow them. Closed request bodies stay closed. */
const opened = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { additionalProperties, [RequestBody.closed]: isClosed, ...rest } = schema
  const isOpen = additionalProperties === undefined || (additionalProperties === false && isClosed !== true)
  return mapValues(isOpen ? rest : { ...rest, additionalProperties }, (part) =>
    Array.isArray(part) ? part.map(openedPart) : openedPart(part)
  )
}

const openedPart = (part: unknown): unknown => (Predicate.isObject(part) ? opened({ ...part }) : part)

/** Describes a parameter by its form. Tools show the description of the parameter, not of its schema. */
const described = <P extends object>(parameter: P) => {
  const schema: unknown = "schema" in parameter ? parameter.schema : undefined
  if ("description" in parameter || !Predicate.isObject(schema) || !("description" in schema))
    return parameter
  const { description, [ListParameters.formKey]: form = {}, ...text }: JsonSchema.JsonSchema = { ...schema }
  // A repeatable parameter is declared as a text or an array of texts.
  const { examples, ...rest } = {
    ...("type" in Object(form) ? Struct.omit(text, ["anyOf"]) : text),
    ...Object(form)
  }
  const example = Array.isArray(examples) ? { example: examples[0] } : {}
  return { ...parameter, description, ...example, schema: rest }
}

/** What the key has to be granted: as the role of the security requirement (OpenAPI 3.1), and in words for people. */
const guarded = ({ description = "" }: { readonly description?: string }, requires: Scope | null) =>
  requires === null
    ? {}
    : {
        description: `${description}\n\nThe key needs \`${requires}\`.`,
        security: [{ apiKey: [requires] }, { bearer: [requires] }]
      }

interface Said {
  readonly hosts: ReadonlyArray<HostName>
  readonly requires: Scope | null
}

/** What routes say of themselves, by operation id. */
const annotations = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, Said> => {
  const said = new Map<string, Said>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ mergedAnnotations }) => {
      const operationId = Context.getOrUndefined(mergedAnnotations, OpenApi.Identifier)
      if (operationId === undefined) return
      said.set(operationId, {
        hosts: Context.get(mergedAnnotations, ServedOn),
        requires: Context.get(mergedAnnotations, Requires)
      })
    }
  })
  return said
}
