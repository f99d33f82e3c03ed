/** What the routes of requests have in common (contract, "Request lifecycle"). */
import { Schema } from "effect"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"

export const described = (description: string) => Schema.String.annotate({ description })
export const optional = (description: string) => Schema.optionalKey(described(description))

export const params = { requestId: described("21 characters of `A-Za-z0-9_-`.") }
export const paramsOfModel = { ...ModelParameters.ofModel, ...params }
