/** The environment of an adapter: real HTTP, secrets, and an address for callbacks, over loopback. */
import type * as Http from "node:http"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import { PollPace } from "#src/features/providers/Polling.ts"
import { ProviderFiles } from "#src/features/providers/ProviderFiles.ts"
import { ProviderHttp } from "#src/features/providers/ProviderHttp.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"

/**
 * Uses the live clock, because sockets do not use a test clock: tests that use it are `it.live`. Adapters take all
 * waits from `PollPace`, which is short here.
 */
export const pace: typeof PollPace.Service = { firstMs: 5, longestMs: 10, patienceMs: 400, lateMs: 300 }

const statusOf = { delivered: 200, over: 200, refused: 401, elsewhere: 503 } as const

const callbackPath = /^\/callbacks\/([\w-]{21})\/(\d+)\/([\w-]+)$/

/** The behaviour of the server's route, without the server. */
const serveCallbacks = (callbacks: () => Callbacks["Service"]) =>
  Receiver.http((request: Http.IncomingMessage, response: Http.ServerResponse) => {
    void JsonHttp.read(request).then(async (read) => {
      const [, requestId, attempt, mac] = callbackPath.exec(read?.path ?? "") ?? []
      if (read === null || requestId === undefined || mac === undefined)
        return JsonHttp.answer(response, 404, {})
      const rawBody = Buffer.from(JSON.stringify(read.body))
      const headers = Object.fromEntries(
        Object.entries(read.headers).map(([name, value]) => [name, String(value)])
      )
      const delivered = await Effect.runPromise(
        callbacks().deliver({
          requestId,
          attempt: Number(attempt),
          mac,
          callback: { json: read.body, headers, rawBody }
        })
      )
      JsonHttp.answer(response, statusOf[delivered], {})
    })
  })

const callbacks = Layer.effect(
  Callbacks,
  Effect.gen(function* () {
    // The server's address is known only after it listens, and callback addresses are built from it.
    let built: Callbacks["Service"] | undefined
    const { port } = yield* serveCallbacks(() => {
      if (built === undefined) throw new Error("expected no callback yet")
      return built
    })
    // Nothing is recorded here, so an end need not wait.
    const options = { url: `http://127.0.0.1:${port}`, isOver: () => Effect.succeed(true) }
    built = Context.get(yield* Layer.build(Callbacks.layerOf(options)), Callbacks)
    return built
  })
).pipe(Layer.provide(MasterKey.layerOf(Buffer.alloc(32, 7))))

/** The only file that inputs can name here. */
const file = { fileName: "speech.mp3", contentType: "audio/mpeg", bytes: Buffer.from("ID3 speech") }
export const fileUrl = "https://files.example.com/speech.mp3"

const files = Layer.succeed(ProviderFiles, {
  read: (url) =>
    url === fileUrl
      ? Effect.succeed(file)
      : Effect.fail({ message: "A file of the input cannot be read.", retryable: false })
})

/** @param environment the variables that hold secrets */
export const layer = (environment: Readonly<Record<string, string>>) =>
  Layer.mergeAll(callbacks, files, ProviderHttp.layer).pipe(
    Layer.provideMerge(Layer.succeed(PollPace, pace)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
  )
