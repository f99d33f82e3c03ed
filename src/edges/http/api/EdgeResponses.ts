/** Answers that any call may get before a route sees it, or while it is answered, described once for all operations. */
import { type JsonSchema, Struct } from "effect"

const described: Readonly<Record<string, string>> = {
  400: "The request is not valid HTTP, names its host twice or not at all, or has a query parameter that the route does not declare.",
  404: "No such route on this host. Paths are matched as they are written.",
  405: "Another method than those in `Allow`.",
  408: "The request did not arrive in time.",
  417: "Only `Expect: 100-continue` is understood.",
  429: "Too many requests wait on this connection, or too many large answers are in progress (`details.scope`).",
  431: "The request line and headers are larger than 16 KiB.",
  500: "Unexpected server error.",
  503: "The server is stopping, or holds as many answers as it can: retry after `Retry-After` seconds."
}

const nameOf = (status: string) => `Edge${status}`

const seconds = {
  "retry-after": { schema: { type: "string", description: "Seconds." } }
}

const headers: Readonly<Record<string, object>> = {
  405: { allow: { schema: { type: "string", description: "The methods that the route answers." } } },
  429: seconds,
  503: seconds
}

const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }

/** Gives the body of every error a schema of its own, beside the schemas of the statuses. */
export const schemasWith = <Schemas extends { readonly Error400?: JsonSchema.JsonSchema }>(
  schemas: Schemas
) => {
  const body = Struct.omit({ description: "", examples: [], ...schemas.Error400 }, [
    "description",
    "examples"
  ])
  return { ...schemas, Error: { description: "The body of every error.", ...body } }
}

/** For `components.responses`. */
export const components: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(described).map(([status, description]) => [
    nameOf(status),
    { description, ...(headers[status] && { headers: headers[status] }), content }
  ])
)

/** Adds these responses to those of the operation. */
export const beside = (responses: object): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    Object.keys(described).map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }])
  ),
  ...responses
})
