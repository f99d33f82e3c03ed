/** Holds every answer that tests get from a server of ours against the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { Probe, Reply } from "./HttpProbe.ts"

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}

interface Route {
  readonly pattern: RegExp
  /** Names in the path: of two routes that match, the one with fewer is taken. */
  readonly parameters: number
  readonly template: string
  readonly operations: Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
}

/** Larger bodies are of the payloads of tests, of which one more says nothing. */
const longestBody = 200_000

/** What no operation declares: methods that a path has not, and paths that are none. */
const outside = new Set([204, 400, 404, 405, 408, 413, 415, 417, 429, 431, 500, 501, 503])

const routesOf = (paths: Readonly<Record<string, object>>): ReadonlyArray<Route> =>
  Object.entries(paths)
    .map(([template, operations]) => ({
      template,
      operations: operations as Route["operations"],
      parameters: template.split("{").length - 1,
      pattern: new RegExp(`^${template.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`)
    }))
    .sort((a, b) => a.parameters - b.parameters)

const make = async () => {
  const [{ Api }, OpenApiDocument] = await Promise.all([
    import("#src/http/Api.ts"),
    import("#src/http/api/OpenApiDocument.ts")
  ])
  const host = "http://127.0.0.1"
  const urls = { queueUrl: host, baseUrl: host, mediaUrl: host, mcpUrl: host }
  const { components, paths } = OpenApiDocument.make(Api, urls)
  const routes = routesOf(paths as Readonly<Record<string, object>>)
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({
    $id: "inferlog:openapi",
    components
  })
  const compiled = new WeakMap<object, ValidateFunction>()
  const validator = (schema: object): ValidateFunction => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const text = JSON.stringify(schema).replaceAll('"#/components', '"inferlog:openapi#/components')
    const made = ajv.compile(JSON.parse(text))
    compiled.set(schema, made)
    return made
  }
  const isEnvelope = validator({ $ref: "#/components/schemas/Error" })
  const shared: Readonly<Record<string, Response>> = components.responses
  const resolved = (response: Response): Response => {
    const reference: unknown = Reflect.get(response, "$ref")
    return typeof reference === "string" ? (shared[reference.split("/").at(-1) ?? ""] ?? response) : response
  }

  /** What the document says otherwise; `null` when the answer is as declared. */
  return ({ method = "GET", path }: Probe, { bytes, headers, json, status }: Reply): string | null => {
    const [name = ""] = path.split(/[?#]/)
    const route = routes.find(
      ({ operations, pattern }) => pattern.test(name) && method.toLowerCase() in operations
    )
    const told = `${method} ${name.slice(0, 100)}: ${status}`
    const operation = route?.operations[method.toLowerCase()]
    if (operation === undefined) {
      const isAsGet = method === "HEAD" || method === "OPTIONS"
      return isAsGet || outside.has(status) ? null : `${told} of no operation`
    }
    const declared = operation.responses[status]
    if (declared === undefined) return `${told} is not declared by ${route?.template}`
    const { content } = resolved(declared)
    if (bytes.length === 0 || status === 304) return null
    const type = headers["content-type"] ?? ""
    if (content === undefined) return `${told} has a body of ${type}, and none is declared`
    const [bare = ""] = type.split(";")
    const found = content[type] ?? content[bare] ?? content["*/*"]
    if (found === undefined)
      return `${told} is of type ${type}: declared are ${Object.keys(content).join(", ")}`
    const isRead = bare === "application/json" && headers["content-encoding"] === undefined
    if (found.schema === undefined || !isRead || bytes.length > longestBody) return null
    const validate = validator(found.schema)
    if (validate(json)) return null
    const breach = ajv.errorsText(validate.errors)
    // Before a route with errors of its own sees the call, as on another host.
    return status >= 400 && isEnvelope(json) ? null : `${told} is not as declared: ${breach}`
  }
}

let checking: ReturnType<typeof make> | undefined

/** Once for each process of tests: the document takes a moment to make. */
export const check = (): ReturnType<typeof make> => (checking ??= make())
