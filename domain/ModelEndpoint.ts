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
  ".well-known",
  "favicon.ico",
  "robots.txt"
])

export const ModelEndpoint = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const [owner, name, ...rest] = text.split("/")
      return (
        owner !== undefined &&
        name !== undefined &&
        rest.length === 0 &&
        isOwnerName(owner) &&
        isModelName(name)
      )
    },
    { expected: "a model endpoint of the form owner/name" }
  )
).pipe(Schema.brand("ModelEndpoint"))
/** `{ownerName}/{modelName}` */
export type ModelEndpoint = typeof ModelEndpoint.Type

export const isModelName = (text: string): boolean => segment.test(text)
export const isOwnerName = (text: string): boolean => segment.test(text) && !reservedOwners.has(text)
