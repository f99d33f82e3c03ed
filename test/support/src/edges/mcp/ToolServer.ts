/** The tool server on a separate port, with tools that tests control and access tokens that are API keys. */
import { Context, Deferred, Effect, Exit, Layer, Option, Queue, Schema, Scope } from "effect"
import { McpSchema, McpServer, Tool, Toolkit } from "effect/ai"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpApi } from "effect/http-api"
import { NetAddress } from "effect/net"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as McpApi from "#src/edges/mcp/routes/McpApi.ts"
import * as ErrorBoundary from "#src/edges/http/edge/ErrorBoundary.ts"
import { routerConfig, RouteTable } from "#src/edges/http/edge/RouteTable.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { MessageBody } from "#src/edges/mcp/body/MessageBody.ts"
import { McpEndpoint } from "#src/edges/mcp/McpEndpoint.ts"
import * as ServedProtocol from "#src/edges/mcp/ServedProtocol.ts"
import * as SessionCollection from "#src/edges/mcp/sessions/SessionCollection.ts"
import { Sessions } from "#src/edges/mcp/sessions/Sessions.ts"
import { SpooledTexts } from "#src/edges/mcp/SpooledText.ts"
import { ToolCaller } from "#src/edges/mcp/ToolCaller.ts"
import { AccessTokens, BearerRefused } from "#src/edges/oauth/AccessTokens.ts"
import { Logins } from "#src/edges/oauth/Logins.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"

/** What the tool `hold` does, and how it is observed. */
export class Hands extends Context.Service<
  Hands,
  {
    /** One for each call that has begun. */
    readonly begun: Queue.Queue<string>
    /** One for each call that was interrupted. */
    readonly interrupted: Queue.Queue<string>
    readonly release: Deferred.Deferred<void>
  }
>()("inferlog/test/Hands") {
  static readonly layer = Layer.effect(
    Hands,
    Effect.all({
      begun: Queue.unbounded<string>(),
      interrupted: Queue.unbounded<string>(),
      release: Deferred.make<void>()
    })
  )
}

const named = { name: Schema.String }
const whoami = Tool.make("whoami", {
  description: "Tells the key.",
  success: Schema.Struct({ keyId: Schema.String }),
  dependencies: [ToolCaller]
})
const hold = Tool.make("hold", {
  description: "Waits until it is released.",
  parameters: Schema.Struct(named),
  success: Schema.Struct(named)
})
const count = Tool.make("count", {
  description: "Tells progress three times, then waits until it is released.",
  success: Schema.Struct({ counted: Schema.Int })
})

/** The name of the only tool that takes long text. */
const upload = Tool.make("upload_file", {
  description: "Tells how much text lies in files.",
  parameters: Schema.Struct({ data: Schema.String }),
  success: Schema.Struct({ size: Schema.NullOr(Schema.Int) })
})

const kit = Toolkit.make(whoami, hold, count, upload)

const tools = kit.toLayer(
  Effect.gen(function* () {
    const { begun, interrupted, release } = yield* Hands
    const { notifications } = yield* McpServer.McpServer
    return {
      upload_file: ({ data }) =>
        Effect.map(SpooledTexts, (texts) => ({ size: texts.get(data)?.size ?? null })),
      whoami: () => Effect.map(ToolCaller, ({ keyId }) => ({ keyId })),
      hold: ({ name }) =>
        Queue.offer(begun, name).pipe(
          Effect.andThen(Deferred.await(release)),
          Effect.as({ name }),
          Effect.onInterrupt(() => Queue.offer(interrupted, name))
        ),
      count: () =>
        Effect.gen(function* () {
          const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
          const token = Option.getOrUndefined(client)?.requestMetadata?.["progressToken"]
          for (const progress of [1, 2, 3]) {
            yield* notifications["notifications/progress"]({
              progressToken: String(token),
              progress,
              total: 3
            })
          }
          yield* Queue.offer(begun, "count")
          yield* Deferred.await(release)
          return { counted: 3 }
        })
    }
  })
)

/** The key is both token and login. */
const bearer = Layer.effect(
  AccessTokens,
  Effect.map(Authentication, (authentication) =>
    AccessTokens.of({
      authenticate: (authorization) =>
        Effect.gen(function* () {
          const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1]
          if (token === undefined) return yield* new BearerRefused({ reason: "missing" })
          const caller = yield* authentication
            .authenticate(`Key ${token}`)
            .pipe(Effect.catchTag("Unauthorized", () => new BearerRefused({ reason: "invalid" })))
          return { caller, loginId: token, clientId: "test" }
        })
    })
  )
)

/** Whether sign-ins cannot be read from the log. */
export const LogIsAway = Context.Reference<() => boolean>("inferlog/test/LogIsAway", {
  defaultValue: () => () => false
})

const logins = Layer.effect(
  Logins,
  Effect.gen(function* () {
    const { authenticate } = yield* Authentication
    const isAway = yield* LogIsAway
    return Logins.of({
      make: () => Effect.die("not in these tests"),
      end: () => Effect.die("not in these tests"),
      caller: (id) =>
        isAway()
          ? Effect.fail(new EventStoreError({ reason: "The log of the test is away" }))
          : authenticate(`Key ${id}`).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(null)))
    })
  })
)

class Api extends HttpApi.make("tools").add(McpApi.McpApi) {}

const serving = HttpRouter.serve(
  McpApi.layer.pipe(Layer.provide(ErrorBoundary.layer), Layer.provide(RouteTable.layer(Api))),
  { disableLogger: true, disableListenLog: true, routerConfig }
)

const registrations = McpServer.toolkit(kit).pipe(Layer.provide(tools))

const endpoint = Layer.unwrap(
  Effect.map(Hands, (hands) =>
    ServedProtocol.layerOf(registrations.pipe(Layer.provide(Layer.succeed(Hands, hands))))
  )
)

const scratch = Layer.effect(ScratchDirectory, TempDirectory.make)

/** Everything that ends with the process. */
const processOver = (served: typeof endpoint) =>
  Layer.mergeAll(serving, SessionCollection.layer).pipe(
    Layer.provideMerge(Sessions.layer),
    Layer.provide(served),
    Layer.provide([bearer, logins, MessageBody.layer]),
    Layer.provideMerge(scratch),
    Layer.provideMerge(Hands.layer),
    Layer.provideMerge(Http.layerServerAt({ host: "127.0.0.1", port: 0 }))
  )

interface ToolServer {
  readonly port: number
  readonly sessions: Sessions["Service"]
  readonly hands: Hands["Service"]
  /** The directory of long texts. */
  readonly scratch: string
  /** Stops it as the process does on a signal. */
  readonly stop: Effect.Effect<void>
}

/** @param change replaces parts of the protocol, for tests of failures. */
export const startOver = Effect.fnUntraced(function* (
  change: (endpoint: McpEndpoint["Service"]) => McpEndpoint["Service"]
) {
  const process = processOver(
    Layer.effect(McpEndpoint, Effect.map(McpEndpoint, change)).pipe(Layer.provide(endpoint))
  )
  const scope = yield* Scope.fork(yield* Effect.scope)
  const services = yield* Layer.buildWithMemoMap(process, yield* Layer.makeMemoMap, scope)
  const { address } = Context.get(services, HttpServer.HttpServer)
  return {
    port: NetAddress.isInetAddress(address) ? address.port : 0,
    sessions: Context.get(services, Sessions),
    hands: Context.get(services, Hands),
    scratch: Context.get(services, ScratchDirectory),
    stop: Scope.close(scope, Exit.void)
  } satisfies ToolServer
})

/** Another server over the same accounts and database: a restart, if the previous one has stopped. */
export const start = startOver((endpoint) => endpoint)

/** Accounts with their keys, and a database for sign-ins, without a server. */
export const layer = TestServer.layer({ serving: Layer.empty })

/** Headers of the tool server for the key of an `Authorization` header. */
export const bearerOf = (key: string) => ({ authorization: key.replace(/^Key /, "Bearer ") })
