/** Checks every answer that tests get from a server against the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { Probe, Reply } from "./HttpProbe.ts"

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}

interface Route {
  readonly pattern: RegExp
  /** The number of parameters in the path. If two routes match, the one with fewer counts. */
  readonly parameters: number
  readonly template: string
  readonly operations: Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
}

/** Larger bodies contain payloads of tests, and checking them adds nothing. */
const longestBody = 200_000

/** The answers to calls that match no operation: an unknown path, or a method that the path does not have. */
const outside = new Set([400, 404, 405, 408, 413, 415, 417, 429, 431, 500, 501, 503])

/** Administration has a document of its own. */
const ofAdministration = /^\/admin\//

/** Views and files of the console are no operations. */
const ofConsole = /^\/console(?:\/(?!api\/|session(?:\/|$)).*)?$/

/** HEAD is answered like GET, without the body. */
const declaring = (method: string): string => (method === "HEAD" ? "get" : method.toLowerCase())

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
    import("#src/edges/server/Api.ts"),
    import("#src/edges/server/system/OpenApiDocument.ts")
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
  const isOpenaiError = validator({ $ref: "#/components/schemas/OpenaiError404" })
  const shared: Readonly<Record<string, Response>> = components.responses
  const resolved = (response: Response): Response => {
    const reference: unknown = Reflect.get(response, "$ref")
    return typeof reference === "string" ? (shared[reference.split("/").at(-1) ?? ""] ?? response) : response
  }

  /** The difference between the answer and the document; `null` if there is none. */
  return ({ method = "GET", path }: Probe, { bytes, headers, json, status }: Reply): string | null => {
    // The console serves the same API below a path of its own.
    const [name = ""] = path.replace(/^\/console\/api(?=\/)/, "").split(/[?#]/)
    const route = routes.find(
      ({ operations, pattern }) => pattern.test(name) && declaring(method) in operations
    )
    const told = `${method} ${name.slice(0, 100)}: ${status}`
    const operation = route?.operations[declaring(method)]
    if (operation === undefined) {
      // A browser sends this before a call to another origin (Fetch, "CORS-preflight").
      if (method === "OPTIONS" && status === 204 && bytes.length === 0) return null
      if (ofAdministration.test(name)) return null
      if (status === 200 && ofConsole.test(name)) return null
      if (!outside.has(status)) return `${told} is of no operation`
      const isError = name.startsWith("/v1/") ? isOpenaiError : isEnvelope
      return bytes.length === 0 || isError(json) ? null : `${told} has a body that is no error`
    }
    const declared = operation.responses[status]
    if (declared === undefined) return `${told} is not declared by ${route?.template}`
    const { content } = resolved(declared)
    if (bytes.length === 0 || status === 304) return null
    // JSON has no charset parameter (RFC 8259, 11). The OAuth endpoints send one.
    const type = (headers["content-type"] ?? "").replace(/^(application\/json); charset=utf-8$/, "$1")
    if (content === undefined) return `${told} has a body of ${type}, and none is declared`
    const found = content[type] ?? content["*/*"]
    if (found === undefined)
      return `${told} is of type ${type}: declared are ${Object.keys(content).join(", ")}`
    const isRead = type === "application/json" && headers["content-encoding"] === undefined
    if (found.schema === undefined || !isRead || bytes.length > longestBody) return null
    const validate = validator(found.schema)
    if (validate(json)) return null
    const breach = ajv.errorsText(validate.errors)
    // A route with its own form of errors did not see the call: it was refused earlier, or was sent to another host.
    return status >= 400 && isEnvelope(json) ? null : `${told} is not as declared: ${breach}`
  }
}

let checking: ReturnType<typeof make> | undefined

/** Built once per test process, because building the document takes a moment. */
export const check = (): ReturnType<typeof make> => (checking ??= make())
