/** What the public routes take and answer, as shapes: from the OpenAPI document, which the server's declarations make. */
import { Predicate } from "effect"
import * as Definitions from "#src/edges/codegen/Definitions.ts"
import { Names, pascal } from "#src/edges/codegen/Identifiers.ts"
import * as Shape from "#src/edges/codegen/Shape.ts"
import { Api } from "#src/edges/server/Api.ts"
import * as OpenApiDocument from "#src/edges/server/system/OpenApiDocument.ts"

/** Tags of the groups that clients of an account use. */
const groups = new Set([
  "Requests",
  "History",
  "Timeline",
  "Streams",
  "Webhooks",
  "Uploads",
  "Files",
  "Catalog",
  "Pricing",
  "Compute",
  "Account",
  "Keys"
])

/** Names that say more outside of the document. */
export const renamed: Readonly<Record<string, string>> = { Error400: "ErrorBody", File: "StoredFile" }

/** Enumerations that several definitions share, by a field that has one. */
const enumerations: ReadonlyArray<readonly [name: string, definition: string, field: string]> = [
  ["Status", "RequestStatus", "status"],
  ["Outcome", "RetrievedRequest", "outcome"],
  ["BillingStatus", "RetrievedRequest", "billingStatus"],
  ["WaitingFor", "RetrievedRequest", "waitingFor"],
  ["StreamKind", "Model", "stream"],
  ["Category", "Model", "category"],
  ["Unit", "Estimate", "unit"],
  ["Scope", "ApiKey", "scopes"],
  ["TimelineEventType", "ListRequestEventsQuery", "type"],
  ["WebhookEventName", "Delivery", "event"],
  ["DeliveryStatus", "Delivery", "status"]
]

export type Json = Readonly<Record<string, unknown>>
export const isJson = (value: unknown): value is Json => Predicate.isObject(value)
export const entriesOf = (value: unknown) => (isJson(value) ? Object.entries(value) : [])
const url = "https://inferlog.example"
export const queueUrl = "https://queue.inferlog.example"

export interface Wire {
  readonly document: Json
  readonly definitions: ReadonlyArray<Shape.Definition>
  /** Names of what callers pass. */
  readonly inputs: ReadonlySet<string>
}

export const read = (): Wire => {
  const document: Json = OpenApiDocument.make(Api, {
    baseUrl: url,
    mcpUrl: url,
    mediaUrl: url,
    queueUrl
  })
  const asked = new Map<string, string>()
  const ask = (ref: unknown) => {
    if (typeof ref !== "string") return
    const component = ref.slice(ref.lastIndexOf("/") + 1)
    asked.set(ref, renamed[component] ?? component)
  }
  const inputs: Array<unknown> = []
  const named: Record<string, unknown> = {}
  const addNamed = (name: string, schema: unknown) => {
    named[name] = schema
    ask(`#/named/${name}`)
  }
  for (const operation of operationsOf(document)) {
    const name = pascal(String(operation["operationId"]))
    const query = queryOf(operation["parameters"])
    if (query !== null) addNamed(`${name}Query`, query)
    for (const schema of bodies(operation["requestBody"])) {
      inputs.push(schema["$ref"])
      ask(schema["$ref"])
    }
    for (const [status, answer] of entriesOf(operation["responses"]))
      for (const schema of bodies(answer)) {
        for (const ref of refsOf(schema)) if (!ref.includes("/Error")) ask(ref)
        if (status === "200" && Array.isArray(schema["anyOf"])) addNamed(`${name}Answer`, schema)
      }
  }
  ask("#/components/schemas/Error400")
  const events = entriesOf(document["webhooks"]).flatMap(([, item]) =>
    entriesOf(item).flatMap(([, post]) => (isJson(post) ? bodies(post["requestBody"]) : []))
  )
  addNamed("WebhookEvent", { description: "The body of a webhook.", anyOf: events })
  const names = new Names([
    ...Object.values(renamed),
    ...asked.values(),
    ...enumerations.map(([name]) => name)
  ])
  const definitions = Definitions.definitionsOf({
    document: { ...document, named },
    asked: [...asked].map(([ref, name]) => ({ ref, name })),
    prefix: "",
    names
  })
  return {
    document,
    definitions: withEnumerations(definitions),
    inputs: new Set([
      ...inputs.map((ref) => asked.get(String(ref)) ?? ""),
      ...Object.keys(named).filter((name) => name.endsWith("Query"))
    ])
  }
}

/** Operations of the public groups, in the order of the document. */
export const operationsOf = (document: Json): ReadonlyArray<Json> =>
  entriesOf(document["paths"])
    .flatMap(([, item]) => entriesOf(item))
    .flatMap(([, operation]) =>
      isJson(operation) && Array.isArray(operation["tags"]) && groups.has(operation["tags"][0])
        ? [operation]
        : []
    )

/** Schemas of a JSON body. */
export const bodies = (holder: unknown): ReadonlyArray<Json> => {
  const content = isJson(holder) ? holder["content"] : {}
  return entriesOf(content).flatMap(([type, media]) =>
    type === "application/json" && isJson(media) && isJson(media["schema"]) ? [media["schema"]] : []
  )
}

/** Of a schema that is a component, or one of several. */
export const refsOf = (schema: Json): ReadonlyArray<string> => {
  const { $ref: ref, anyOf } = schema
  if (typeof ref === "string") return [ref]
  return Array.isArray(anyOf) ? anyOf.flatMap((member) => (isJson(member) ? refsOf(member) : [])) : []
}

/** The query of an operation as an object; null without one. Parameters with a name of the caller's are left to the client. */
const queryOf = (parameters: unknown): Json | null => {
  const all = (Array.isArray(parameters) ? parameters : []).filter(
    ({ in: place, name }) => place === "query" && !String(name).includes("{")
  )
  if (all.length === 0) return null
  return {
    type: "object",
    properties: Object.fromEntries(
      all.map(({ description, name, schema }) => [name, { ...schema, description }])
    ),
    required: all.filter(({ required }) => required === true).map(({ name }) => name)
  }
}

const valuesOf = (shape: Shape.Shape): ReadonlyArray<Shape.Shape> => {
  if (shape._tag === "List") return valuesOf(shape.item)
  return shape._tag === "Union" ? shape.members.filter(({ _tag }) => _tag === "Literal") : []
}

const keyOf = (members: ReadonlyArray<Shape.Shape>) => JSON.stringify(members)

/** The same, with the shared enumerations by name and before all others. */
const withEnumerations = (definitions: ReadonlyArray<Shape.Definition>): ReadonlyArray<Shape.Definition> => {
  const found = enumerations.map(([name, definition, field]) => {
    const owner = definitions.find((one) => one.name === definition)?.shape
    const at = owner?._tag === "Fields" ? owner.fields.find((one) => one.name === field) : undefined
    if (at === undefined) throw new Error(`${definition} has no field ${field} for ${name}.`)
    return { name, values: valuesOf(at.shape) }
  })
  const names = new Map(found.map(({ name, values }) => [keyOf(values), name]))
  const replaced = (shape: Shape.Shape): Shape.Shape =>
    Shape.mapped(shape, (part) => {
      if (part._tag !== "Union") return part
      const name = names.get(keyOf(valuesOf(part)))
      if (name === undefined) return part
      const others = part.members.filter(({ _tag }) => _tag !== "Literal")
      return Shape.union([{ _tag: "Named", name }, ...others])
    })
  return [
    ...found.map(({ name, values }) => ({ name, shape: Shape.union(values), doc: [] })),
    ...definitions.map((definition) => ({ ...definition, shape: replaced(definition.shape) }))
  ]
}
