/**
 * The public API for clients that use Effect: its schemas, and the `HttpApi` with them. Written by `npm run docs` from the server's
 * declarations, which cannot be published themselves: their modules have the handlers, too.
 */
import { HttpApi } from "effect/http-api"
import { pascal } from "#src/edges/codegen/Identifiers.ts"
import type * as Shape from "#src/edges/codegen/Shape.ts"
import { Api } from "#src/edges/server/Api.ts"
import * as EffectSchemas from "./EffectSchemas.ts"
import * as WireDocument from "./WireDocument.ts"

export const schemasFile = "clients/typescript/effect/Schemas.ts"
export const apiFile = "clients/typescript/effect/Api.ts"

const origin = "Written by `npm run docs` from the server's declarations."

export const schemasText = (): string => {
  const definitions = WireDocument.read().definitions.filter(({ name }) => !name.endsWith("Query"))
  return [
    `/** What the public API takes and answers. ${origin} */`,
    'import { Schema } from "effect"\n',
    ...EffectSchemas.ordered(definitions).map(EffectSchemas.definition)
  ].join("\n")
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ")

interface Endpoint {
  readonly group: string
  readonly identifier: string
  readonly method: string
  readonly path: string
}

/** Headers that choose another form of the answer. */
const otherForms = ["accept", "if-none-match", "cancel-on-disconnect"]

export const apiText = (): string => {
  const { definitions, document } = WireDocument.read()
  const operations = new Map(
    WireDocument.operationsOf(document).map((operation) => [String(operation["operationId"]), operation])
  )
  const shapes = new Map(definitions.map(({ name, shape }) => [name, shape]))
  const endpoints: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { identifier, method, path }, group }) => {
      if (operations.has(identifier)) endpoints.push({ group: group.identifier, identifier, method, path })
    }
  })
  const groups = [...new Set(endpoints.map(({ group }) => group))]
  const isOnQueue = ({ identifier }: Endpoint) => {
    const servers = operations.get(identifier)?.["servers"]
    return Array.isArray(servers) && servers.every(({ url }) => url === WireDocument.queueUrl)
  }
  const parts = groups.map((group) => {
    const own = endpoints.filter((endpoint) => endpoint.group === group)
    const texts = own.map((endpoint) =>
      endpointText(endpoint, operations.get(endpoint.identifier) ?? {}, shapes)
    )
    return `export class ${pascal(group)}Group extends HttpApiGroup.make(${JSON.stringify(group)}).add(\n${indented(texts.join(",\n"))}\n) {}\n`
  })
  const onQueue = endpoints.filter(isOnQueue).map(({ identifier }) => `  ${JSON.stringify(identifier)}`)
  return [
    `/** The public API, without what is for browsers and for other protocols. ${origin} */`,
    'import { Schema } from "effect"',
    'import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"',
    'import * as Errors from "./Errors.ts"',
    'import * as Events from "./Events.ts"',
    'import * as Schemas from "./Schemas.ts"\n',
    ...parts,
    `export class Api extends HttpApi.make("inferlog")\n${groups.map((group) => `  .add(${pascal(group)}Group)`).join("\n")} {}\n`,
    `/** The endpoints at QUEUE_URL. All others are at BASE_URL. */\nexport const onQueue: ReadonlySet<string> = new Set([\n${onQueue.join(",\n")}\n])\n`
  ].join("\n")
}

const endpointText = (
  { identifier, method, path }: Endpoint,
  operation: WireDocument.Json,
  shapes: ReadonlyMap<string, Shape.Shape>
): string => {
  const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"] : []
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => `${name}: Schema.String`)
  const headers = parameters.filter(({ in: place, name }) => place === "header" && !otherForms.includes(name))
  const query = shapes.get(`${pascal(identifier)}Query`)
  const [body] = WireDocument.bodies(operation["requestBody"]).flatMap(WireDocument.refsOf)
  const options = [
    params.length > 0 ? `params: { ${params.join(", ")} }` : "",
    query?._tag === "Fields" ? `query: ${queryText(query.fields, parameters)}` : "",
    headers.length > 0 ? `headers: ${EffectSchemas.fields(headers.map(headerField))}` : "",
    body === undefined ? "" : `payload: ${nameOf(body)}`,
    `success: ${successText(identifier, operation)}`,
    `error: [${errorsOf(operation).join(", ")}]`
  ]
  return `HttpApiEndpoint.${method === "DELETE" ? "delete" : method.toLowerCase()}(${JSON.stringify(identifier)}, ${JSON.stringify(path)}, {\n${indented(options.filter((option) => option !== "").join(",\n"))}\n})`
}

/** A parameter whose name the caller chooses is named by its beginning: `metadata.{key}`. */
const queryText = (
  fields: ReadonlyArray<Shape.Field>,
  parameters: ReadonlyArray<WireDocument.Json>
): string => {
  const named = EffectSchemas.fields(fields, "Schemas.")
  const open = parameters.map(({ name }) => String(name)).filter((name) => name.includes("{"))
  if (open.length === 0) return named
  const rest = open.map(
    (name) =>
      `Schema.Record(Schema.TemplateLiteral([${JSON.stringify(name.replace(/\{.*/, ""))}, Schema.String]), Schema.String)`
  )
  return `Schema.StructWithRest(Schema.Struct(${named}), [${rest.join(", ")}])`
}

const headerField = ({ description, name }: WireDocument.Json): Shape.Field => ({
  name: String(name),
  shape: { _tag: "Scalar", name: "string" },
  isRequired: false,
  doc: typeof description === "string" ? [description] : []
})

const nameOf = (ref: string): string => {
  const component = ref.slice(ref.lastIndexOf("/") + 1)
  return `Schemas.${WireDocument.renamed[component] ?? component}`
}

const answersOf = (operation: WireDocument.Json) =>
  WireDocument.entriesOf(operation["responses"]).map(([status, answer]) => ({
    status: Number(status),
    refs: WireDocument.bodies(answer).flatMap(WireDocument.refsOf),
    isEmpty: WireDocument.isJson(answer) && answer["content"] === undefined
  }))

const successText = (identifier: string, operation: WireDocument.Json): string => {
  const found = answersOf(operation).flatMap(({ isEmpty, refs, status }) => {
    if (status >= 300) return []
    if (isEmpty) return ["HttpApiSchema.NoContent"]
    if (refs.length === 0) return [`Events.${identifier}`]
    const whole =
      refs.length === 1 ? refs.map(nameOf).join("") : `Schema.Union([${refs.map(nameOf).join(", ")}])`
    return [status === 200 ? whole : `${whole}.pipe(HttpApiSchema.status(${status}))`]
  })
  return found.length === 1 ? found.join("") : `[${found.join(", ")}]`
}

const errorsOf = (operation: WireDocument.Json): ReadonlyArray<string> =>
  answersOf(operation).flatMap(({ refs, status }) =>
    status < 400
      ? []
      : refs.map((ref) =>
          /\/Error\d+$/.test(ref)
            ? `Errors.answers[${status}]`
            : `Errors.outcomes.${ref.slice(ref.lastIndexOf("/") + 1)}`
        )
  )
