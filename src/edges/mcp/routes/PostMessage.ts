/** `POST /mcp`: one message of an assistant (contract, "Assistant-tool server"; MCP 2025-11-25, "Transports"). */
import { Data, Effect, Exit, Result, Schema, Scope } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { MessageBody } from "../body/MessageBody.ts"
import * as MessageShape from "../body/MessageShape.ts"
import * as IncomingMessage from "../IncomingMessage.ts"
import * as JsonRpc from "../JsonRpc.ts"
import { McpEndpoint, sessionHeader, versionHeader, versions } from "../McpEndpoint.ts"
import * as RequestErrors from "../RequestErrors.ts"
import { mostInitializeBytes, Sessions } from "../sessions/Sessions.ts"
import * as SentInputs from "../SentInputs.ts"
import { SpooledTexts } from "../SpooledText.ts"
import type { Bearer } from "#src/edges/oauth/AccessTokens.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ConcurrentAnswers from "#src/edges/http/edge/ConcurrentAnswers.ts"
import * as McpErrorAnswers from "./McpErrorAnswers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as AcceptHeader from "#src/edges/http/requests/AcceptHeader.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import * as BatchRates from "./BatchRates.ts"
import * as CallAnswer from "./CallAnswer.ts"
import * as MessageErrors from "./MessageErrors.ts"
import { CallLimits, ToolCalls } from "./ToolCalls.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"

const optional = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const initialized = {
  jsonrpc: "2.0",
  id: 1,
  result: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "inferlog", version }
  }
}

const called = { jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "…" }] } }

const endpoint = HttpApiEndpoint.post("postMcpMessage", "/mcp", {
  headers: {
    accept: optional("Lists both `application/json` and `text/event-stream`."),
    "mcp-session-id": optional(`${MessageErrors.session} Not with \`initialize\`, and with everything else.`),
    "mcp-protocol-version": optional("The version negotiated by `initialize`.")
  },
  payload: Schema.Json.annotate({
    identifier: "McpMessage",
    description: `A JSON-RPC 2.0 message; in a session of 2025-03-26 also up to ${IncomingMessage.mostInBatch} in an array.`,
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
          "Of the session that `initialize` has opened. Every later message must have it."
        )
      }
    ),
    Schema.String.annotate({
      description:
        "For a long call or one that reports progress: the messages as server-sent events, with the answer last. A comment every 15 s keeps the connection open.",
      examples: [`: keep-alive\n\ndata: ${JSON.stringify(called)}\n\n`]
    }).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
    HttpApiSchema.Empty(202).annotate({
      description: "The notifications were accepted. They have no answer."
    })
  ],
  error: [
    MessageErrors.refused,
    MessageErrors.sessionGone,
    CommonResponses.methodNotAllowed,
    CommonResponses.notAcceptable,
    CommonResponses.timeout,
    CommonResponses.tooLarge,
    CommonResponses.unsupported,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
})
  .annotate(OpenApi.Summary, "Send a message to the tools")
  .annotate(
    OpenApi.Description,
    `Streamable HTTP of the Model Context Protocol, versions ${versions.join(", ")}. The first message is \`initialize\` without \`Mcp-Session-Id\`; the session that it opens belongs to the API key behind the sign-in, outlives restarts of the server, and ends after 30 days without use. A key has up to 300 sessions. A further one ends a session that was never called, or else the least recently used one. Closing the connection cancels the call.`
  )

interface MessageCall extends Route.Call<typeof endpoint> {
  readonly bearer: Bearer
}

/** Sent as JSON-RPC, which the client expects. */
class MessageRefused extends Data.TaggedError("MessageRefused")<{
  readonly status: 200 | 400 | 404
  readonly id: JsonRpc.Id
  readonly error: JsonRpc.ErrorObject
}> {}

const tooLargeToKeep = ErrorAnswer.bodyTooLarge(mostInitializeBytes)

const badRequest = (id: JsonRpc.Id, message: string) =>
  new MessageRefused({ status: 400, id, error: JsonRpc.invalidRequest(message) })

const sessionHeaderMissing = "Mcp-Session-Id is missing. Send initialize first: its answer has the id."
const sessionHeaderGiven = "initialize opens a session: it comes without Mcp-Session-Id."
const versionUnknown = `Mcp-Protocol-Version names none of ${versions.join(", ")}: it is the one that initialize has agreed on.`

/** In the form of the protocol's own answers. */
const faulty = (id: JsonRpc.Id, error: JsonRpc.ErrorObject) => new MessageRefused({ status: 200, id, error })

const forms = ["application/json", "text/event-stream"]

export const postMessage = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const protocol = yield* McpEndpoint
    const sessions = yield* Sessions
    const calls = yield* ToolCalls
    const bodies = yield* MessageBody
    const takeRest = yield* BatchRates.make
    const { ofAccount } = yield* CallLimits
    const atOnce = ConcurrentAnswers.make(ofAccount, McpErrorAnswers.tooManyCalls(ofAccount))

    const checkHeaders = ({ headers }: HttpServerRequest) =>
      forms.every((form) => AcceptHeader.accepts(headers["accept"], form))
        ? BodyHeaders.checkForm(headers)
        : Result.fail(McpErrorAnswers.notAcceptable)

    const readMessage = Effect.fnUntraced(function* ({ bearer, request }: MessageCall) {
      yield* Effect.fromResult(checkHeaders(request))
      const { body, json, spooled } = yield* bodies.read(request, bearer.caller.accountId)
      if (Result.isFailure(json)) {
        return yield* new MessageRefused({ status: 400, id: null, error: JsonRpc.parseError })
      }
      const errorAnswer = MessageShape.refused(json.success)
      if (errorAnswer !== null) return yield* errorAnswer
      const looked = IncomingMessage.look(json.success)
      if (Result.isFailure(looked)) return yield* badRequest(looked.failure.id, looked.failure.reason)
      return { body, inputs: SentInputs.inputsIn(json.success), message: looked.success, spooled }
    })

    const checkRequest = Effect.fnUntraced(function* (message: IncomingMessage.Incoming) {
      const fault = message.fault ?? RequestErrors.findUnoffered(message, yield* protocol.offered)
      if (fault !== null) return yield* faulty(message.id, fault)
    })

    const open = Effect.fnUntraced(function* ({ caller }: Bearer, body: Uint8Array, id: JsonRpc.Id) {
      if (body.length > mostInitializeBytes) return yield* tooLargeToKeep
      const begun = yield* sessions.open(caller, body)
      const answer = CallAnswer.whole(begun.response, id)
      return begun.id === null ? answer : HttpServerResponse.setHeader(answer, sessionHeader, begun.id)
    })

    const take = Effect.fnUntraced(function* (call: MessageCall, scope: Scope.Closeable) {
      const { body, inputs, message, spooled } = yield* readMessage(call)
      const { bearer, request } = call
      const { caller, loginId } = bearer
      const session = request.headers[sessionHeader]
      if (message.method === "initialize") {
        if (session !== undefined) return yield* badRequest(message.id, sessionHeaderGiven)
        yield* checkRequest(message)
        return yield* Effect.ensuring(open(bearer, body, message.id), Scope.close(scope, Exit.void))
      }
      if (session === undefined) return yield* badRequest(message.id, sessionHeaderMissing)
      // Any supported version is accepted, whichever the session has negotiated (MCP 2025-11-25, "Protocol Version
      // Header").
      const protocolVersion = request.headers[versionHeader]
      if (protocolVersion !== undefined && !versions.includes(protocolVersion)) {
        return yield* badRequest(message.id, versionUnknown)
      }
      const left = yield* takeRest(caller, message.requests)
      const inner = yield* sessions
        .hold(caller, session)
        .pipe(
          Effect.catchTag(
            "SessionGone",
            () => new MessageRefused({ status: 404, id: message.id, error: JsonRpc.sessionGone })
          )
        )
      yield* checkRequest(message)
      // Cancellations are always admitted, also with too many calls in progress.
      if (message.requests > 0) yield* atOnce.admit(caller.accountId, request, message.requests)
      const answer = calls.answer({
        request,
        headers: { ...call.headers, ...left },
        loginId,
        message,
        scope,
        work: (tell) =>
          protocol
            .post({ body, session: inner, caller }, tell)
            .pipe(
              Effect.provideService(SpooledTexts, spooled),
              Effect.provideService(SentInputs.SentInputs, inputs)
            )
      })
      return yield* Effect.map(answer, HttpServerResponse.setHeaders(left))
    })

    return (call: Route.Call<typeof endpoint>, bearer: Bearer) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const scope = Scope.makeUnsafe()
          return restore(take({ ...call, bearer }, scope)).pipe(
            Scope.provide(scope),
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
          )
        })
      ).pipe(
        Effect.catchTag("MessageRefused", ({ error, id, status }) =>
          Effect.succeed(Answer.json(status, JsonRpc.error(id, error)))
        )
      )
  })
)
