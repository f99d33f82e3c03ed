/**
 * The protocol itself: effect's MCP server on a router of its own, called as an effect. Who calls, whose session it is and how
 * long an answer may take is decided before it (`http/routes/mcp`).
 */
import { Context, Effect, Layer, References } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as HttpEffect from "effect/http/HttpEffect"
import { TracerDisabledWhen } from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { unlimited } from "#domain/account/Grant.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { version } from "#src/cli/Version.ts"
import { instructions } from "./Instructions.ts"
import { ToolCaller } from "./ToolCaller.ts"

/** Of the same kind: each has sessions. A client that offers none of them is offered the first. */
const protocols = [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26] as const

export const sessionHeader = "mcp-session-id"
export const versionHeader = "mcp-protocol-version"

/** What tools are registered with; whatever else they need has been provided to them. */
export type Registrations<E, R> = Layer.Layer<never, E, R>

/** What registrations may leave open: the server they are registered with, and who calls. */
export type Open = McpServer.McpServer | McpServer.McpRequest<"Requires", ToolCaller>

export interface Message {
  /** JSON text in UTF-8 that has been looked at: an object or a batch. */
  readonly body: Uint8Array
  /** As the server named it; `null` for the message that opens one. */
  readonly session: string | null
  /** The header of the client, which has to be that of the session. */
  readonly protocolVersion: string | undefined
  readonly caller: Caller
}

/** Told the answer as soon as there is one. What it streams is there for as long as the effect runs. */
export type Tell = (response: HttpServerResponse.HttpServerResponse) => Effect.Effect<void>

/** Of the message under way, for whoever answers in the end. */
class Telling extends Context.Service<Telling, Tell>()("inferlog/src/mcp/Telling") {}

const path = "/mcp"

const forms = { accept: "application/json, text/event-stream", "content-type": "application/json" }

/** Nothing of the client's own headers but what concerns the protocol. */
const requestOf = (method: "POST" | "DELETE", { body, protocolVersion, session }: Omit<Message, "caller">) =>
  HttpServerRequest.fromWeb(
    new Request(`http://inferlog${path}`, {
      method,
      headers: {
        ...forms,
        ...(session === null ? {} : { [sessionHeader]: session }),
        ...(protocolVersion === undefined ? {} : { [versionHeader]: protocolVersion })
      },
      ...(method === "POST" ? { body: new Uint8Array(body) } : {})
    })
  )

const empty = { body: new Uint8Array(), protocolVersion: undefined }

/** Of what no tool is called for. */
const nobody: Caller = {
  accountId: AccountId.make("none"),
  keyId: KeyId.make("none"),
  grant: { ...unlimited, scopes: [] },
  limits: noLimits,
  isSuperseded: false
}

export class McpEndpoint extends Context.Service<
  McpEndpoint,
  {
    /**
     * Has the message answered. Interrupting it interrupts the tools that it runs; `tell` then gets an error status.
     * It ends when the answer has been told whole.
     */
    post(message: Message, tell: Tell): Effect.Effect<void>
    /** Forgets the session, and interrupts whatever runs in it. */
    terminate(session: string): Effect.Effect<void>
  }
>()("inferlog/src/mcp/McpEndpoint") {
  static readonly layerOf = <E>(registrations: Registrations<E, Open>) =>
    Layer.effect(
      McpEndpoint,
      Effect.gen(function* () {
        const answer = yield* HttpRouter.toHttpEffect(
          McpServer.layerHttp({
            name: "inferlog",
            version,
            description: "Machine-learning models as asynchronous requests.",
            instructions,
            path,
            protocols,
            allowSessionTermination: true,
            registrations
          })
        )
        // Made once: what is done before an answer goes out, as to name its session, has been done when it is told.
        const handled = HttpEffect.toHandled(answer, (_request, response) =>
          Effect.flatMap(Telling, (tell) => tell(response))
        )

        const run = (request: HttpServerRequest.HttpServerRequest, caller: Caller, tell: Tell) =>
          Effect.updateContext(handled, (context: Context.Context<never>) =>
            context.pipe(
              Context.add(HttpServerRequest.HttpServerRequest, request),
              Context.add(ToolCaller, caller),
              Context.add(Telling, tell),
              // The exchange that this is part of has its span. Whether tools have any is its matter, too, and not that of
              // whoever registered them.
              Context.add(TracerDisabledWhen, () => true),
              Context.add(References.TracerEnabled, Context.get(context, References.TracerEnabled))
            )
          )

        return McpEndpoint.of({
          post: ({ caller, ...message }, tell) => run(requestOf("POST", message), caller, tell),
          terminate: (session) => run(requestOf("DELETE", { ...empty, session }), nobody, () => Effect.void)
        })
      })
    )
}
