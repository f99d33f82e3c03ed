/** The assistant-tool server (contract, "Assistant-tool server"): messages of the Model Context Protocol. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { mostInBatch } from "../IncomingMessage.ts"
import * as JsonRpc from "../JsonRpc.ts"
import { versions } from "../McpEndpoint.ts"
import { BearerAuthorization } from "./BearerAuthorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { IsRefused, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const optional = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const session = "Of the session, as the answer to `initialize` gave it."

const initialized = {
  jsonrpc: "2.0",
  id: 1,
  result: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "inferlog", version: "1.0.0" }
  }
}

const called = { jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "…" }] } }

/** Errors of a message are JSON-RPC, which the client expects. */
const messageError = (status: 400 | 404, identifier: string, description: string, error: JsonRpc.ErrorText) =>
  Schema.Struct({
    jsonrpc: Schema.Literal("2.0"),
    id: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
    error: Schema.Struct({ code: Schema.Int, message: Schema.String })
  })
    .annotate({ identifier, description, examples: [{ jsonrpc: "2.0", id: 1, error }] })
    .pipe(HttpApiSchema.status(status))

const refused = messageError(
  400,
  "McpRefused",
  "A message that cannot be taken as it is, or comes with headers that are not its own.",
  JsonRpc.invalidRequest("initialize opens a session: it comes without Mcp-Session-Id.")
)

const sessionGone = messageError(
  404,
  "McpSessionGone",
  "The session is not there, has ended, or is another key's: `initialize` without `Mcp-Session-Id` opens one.",
  JsonRpc.sessionGone
)

const post = HttpApiEndpoint.post("postMessage", "/mcp", {
  headers: {
    accept: optional("Lists both `application/json` and `text/event-stream`."),
    "mcp-session-id": optional(`${session} Not with \`initialize\`, and with everything else.`),
    "mcp-protocol-version": optional("The version negotiated by `initialize`.")
  },
  payload: Schema.Json.annotate({
    identifier: "McpMessage",
    description: `A JSON-RPC 2.0 message; in a session of 2025-03-26 also up to ${mostInBatch} in an array.`,
    examples: [
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "assistant", version: "1" }
        }
      },
      {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "get_model", arguments: { modelEndpoint: "sandbox/echo" } }
      }
    ]
  }),
  success: [
    HttpApiSchema.WithHeaders(
      Schema.Json.annotate({
        identifier: "McpAnswer",
        description: "The JSON-RPC answer, including errors of the tool or the protocol.",
        examples: [initialized, called]
      }),
      {
        "mcp-session-id": optional(
          "Of the session that `initialize` has opened: every message from then on carries it."
        )
      }
    ),
    Schema.String.annotate({
      description:
        "Of a call that takes its time or tells of its progress: the messages as server-sent events, the answer the last one. A comment every 15 s keeps the connection.",
      examples: [`: keep-alive\n\ndata: ${JSON.stringify(called)}\n\n`]
    }).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
    HttpApiSchema.Empty(202).annotate({
      description: "The notifications were accepted. They have no answer."
    })
  ],
  error: [
    refused,
    sessionGone,
    CommonResponses.methodNotAllowed,
    CommonResponses.notAcceptable,
    CommonResponses.timeout,
    CommonResponses.tooLarge,
    CommonResponses.unsupported,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "postMcpMessage",
    summary: "Send a message to the tools",
    description: `Streamable HTTP of the Model Context Protocol, versions ${versions.join(", ")}. The first message is \`initialize\` without \`Mcp-Session-Id\`; the session that it opens belongs to the API key behind the sign-in, outlives restarts of the server, and ends after 30 days without use. A key has up to 300 sessions: another one ends one that was opened and never called since, or else the one that was used least lately. Whoever closes the connection cancels the call.`
  })
)

/**
 * Declared so that a call without a token learns where to sign in, like every other call. With 405 as its success,
 * the API document promises no other status.
 */
const listen = HttpApiEndpoint.get("listen", "/mcp", {
  success: CommonResponses.methodNotAllowed,
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
})
  .annotate(IsRefused, true)
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listenForMcpMessages",
      summary: "Find that there is no stream to listen to",
      description:
        'Always 405 for a caller with a good token: the server sends nothing by itself, what it has to say comes with the answer to a `POST` (Model Context Protocol 2025-11-25, "Listening for Messages from the Server"). Clients that ask for a stream here go on without it.'
    })
  )

const end = HttpApiEndpoint.delete("endSession", "/mcp", {
  headers: { "mcp-session-id": Schema.String.annotate({ description: session }) },
  success: HttpApiSchema.NoContent.annotate({ description: "The session and its calls have ended." }),
  error: [
    refused,
    sessionGone,
    CommonResponses.methodNotAllowed,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "endMcpSession",
    summary: "End a session of the tools",
    description: "Ends a session."
  })
)

export class McpApi extends HttpApiGroup.make("mcp")
  .add(post, listen, end)
  .middleware(BearerAuthorization)
  .annotate(ServedOn, ["mcp"])
  .annotateMerge(
    OpenApi.annotations({ title: "Tools", description: "Tools for assistants (Model Context Protocol)." })
  ) {}
