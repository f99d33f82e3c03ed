/** Names of models, `{owner}/{name}`, and the owner names that routes reserve (decisions, "Hosts, names and routing"). */
import { Schema } from "effect"

const segment = /^[a-z0-9][a-z0-9._-]{0,63}$/

const reservedOwners: ReadonlySet<string> = new Set([
  "requests",
  "storage",
  "files",
  "webhooks",
  "models",
  "wrappers",
  "collections",
  "search",
  "pricing",
  "gpus",
  "deployment-templates",
  "account",
  "usage",
  "billing",
  "keys",
  "mcp",
  "oauth",
  "callbacks",
  "workers",
  "docs",
  "openapi.json",
  "health",
  "metrics",
  "console",
  "media",
  "admin",
  "v1",
  "compat",
  ".well-known",
  "favicon.ico",
  "robots.txt"
])

const reserved = [...reservedOwners].map((owner) => owner.replaceAll(".", "\\.")).join("|")

/** Has the flag `u`, which the JSON Schema of a check requires. */
export const modelEndpointPattern = new RegExp(
  `^(?!(?:${reserved})/)${segment.source.slice(1, -1)}/${segment.source.slice(1, -1)}$`,
  "u"
)

export const ModelEndpoint = Schema.String.check(
  Schema.makeFilter((text: string) => modelEndpointPattern.test(text), {
    expected: "a model endpoint of the form owner/name"
  })
).pipe(Schema.brand("ModelEndpoint"))
/** `{ownerName}/{modelName}` */
export type ModelEndpoint = typeof ModelEndpoint.Type

export const isModelName = (text: string): boolean => segment.test(text)
export const isOwnerName = (text: string): boolean => segment.test(text) && !reservedOwners.has(text)
