/** Effect's MCP server on a private router (decision 37). */
import { Context, Deferred, Effect, Layer, References, Tracer } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as HttpEffect from "effect/http/HttpEffect"
import { TracerDisabledWhen } from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { unlimited } from "#domain/account/Grant.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { instructions } from "./Instructions.ts"
import {
  McpEndpoint,
  type Message,
  type Offered,
  type Open,
  type Registrations,
  sessionHeader,
  type Tell
} from "./McpEndpoint.ts"
import * as ServiceContext from "./ServiceContext.ts"
import { SentInputs } from "./SentInputs.ts"
import { SpooledTexts } from "./SpooledText.ts"
import { ToolCaller } from "./ToolCaller.ts"

/** All have sessions. A client that offers none of these versions is offered the first. */
const protocols = [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26] as const

/** The receiver of the current message's answer. */
class Telling extends Context.Service<Telling, Tell>()("inferlog/src/edges/mcp/Telling") {}

const path = "/mcp"

const forms = { accept: "application/json, text/event-stream", "content-type": "application/json" }

/** Passes on only those client headers that concern the protocol. */
const requestOf = (method: "POST" | "DELETE", { body, session }: Omit<Message, "caller">) =>
  HttpServerRequest.fromWeb(
    new Request(`http://inferlog${path}`, {
      method,
      headers: { ...forms, ...(session === null ? {} : { [sessionHeader]: session }) },
      ...(method === "POST" ? { body: new Uint8Array(body) } : {})
    })
  )

const empty = { body: new Uint8Array() }

/** The caller outside tool calls. */
const nobody: Caller = {
  accountId: AccountId.make("none"),
  keyId: KeyId.make("none"),
  grant: { ...unlimited, scopes: [] },
  limits: noLimits,
  isSuperseded: false,
  token: null
}

export const layerOf = <E>(registrations: Registrations<E, Open>) =>
  Layer.effect(
    McpEndpoint,
    Effect.gen(function* () {
      const offered = yield* Deferred.make<Offered>()
      /** Runs after all registrations. */
      const looked = Layer.effectDiscard(
        Effect.flatMap(McpServer.McpServer, ({ prompts, resources, resourceTemplates, tools }) =>
          Deferred.succeed(offered, {
            tools: new Set(tools.map(({ tool }) => tool.name)),
            hasPrompts: prompts.length > 0,
            hasResources: resources.length + resourceTemplates.length > 0
          })
        )
      )
      const answer = yield* HttpRouter.toHttpEffect(
        McpServer.layerHttp({
          name: "inferlog",
          version,
          description: "Machine-learning models as asynchronous requests.",
          instructions,
          path,
          protocols,
          allowSessionTermination: true,
          registrations: Layer.provideMerge(looked, registrations)
        })
      )
      // Made once. Work before an answer is sent, such as naming its session, is done when the answer is passed on.
      const handled = HttpEffect.toHandled(answer, (_request, response) =>
        Effect.flatMap(Telling, (tell) => tell(response))
      )

      const own = ServiceContext.without(yield* Effect.context<never>())

      /** Small, because Effect copies it for every call. Of the exchange it contains what concerns the message. */
      const contextOf = (exchange: Context.Context<never>) =>
        own.pipe(
          Context.add(SpooledTexts, Context.get(exchange, SpooledTexts)),
          Context.add(SentInputs, Context.get(exchange, SentInputs)),
          Context.add(
            References.CurrentLogAnnotations,
            Context.get(exchange, References.CurrentLogAnnotations)
          ),
          // The exchange has its own span. Spans of tools are inside it, if there is one.
          Context.add(TracerDisabledWhen, () => true),
          Context.add(References.TracerEnabled, Context.get(exchange, References.TracerEnabled)),
          Context.merge(Context.pick(Tracer.ParentSpan)(exchange))
        )

      const run = (request: HttpServerRequest.HttpServerRequest, caller: Caller, tell: Tell) =>
        Effect.updateContext(handled, (exchange: Context.Context<never>) =>
          contextOf(exchange).pipe(
            Context.add(HttpServerRequest.HttpServerRequest, request),
            Context.add(ToolCaller, caller),
            Context.add(Telling, tell)
          )
        )

      return McpEndpoint.of({
        post: ({ caller, ...message }, tell) => run(requestOf("POST", message), caller, tell),
        offered: Deferred.await(offered),
        terminate: (session) => run(requestOf("DELETE", { ...empty, session }), nobody, () => Effect.void)
      })
    })
  )
