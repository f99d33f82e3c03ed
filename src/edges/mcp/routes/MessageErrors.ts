/** Errors of messages as JSON-RPC, which clients expect. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as JsonRpc from "../JsonRpc.ts"

const messageError = (
  status: 400 | 404,
  identifier: string,
  description: string,
  error: JsonRpc.ErrorObject
) =>
  Schema.Struct({
    jsonrpc: Schema.Literal("2.0"),
    id: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
    error: Schema.Struct({ code: Schema.Int, message: Schema.String })
  })
    .annotate({ identifier, description, examples: [{ jsonrpc: "2.0", id: 1, error }] })
    .pipe(HttpApiSchema.status(status))

export const refused = messageError(
  400,
  "McpRefused",
  "An invalid message, or headers that do not belong to it.",
  JsonRpc.invalidRequest("initialize opens a session: it comes without Mcp-Session-Id.")
)

export const sessionGone = messageError(
  404,
  "McpSessionGone",
  "The session does not exist, has ended, or belongs to another key: `initialize` without `Mcp-Session-Id` opens one.",
  JsonRpc.sessionGone
)

/** `Mcp-Session-Id`. */
export const session = "Of the session, from the answer to `initialize`."
