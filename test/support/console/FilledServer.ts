/** The server process of the console's tests on a new data directory, with the receivers of its webhooks. */
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as FakeTime from "#test/support/FakeTime.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import { ownerOf } from "./Calls.ts"
import * as Manifests from "./Manifests.ts"
import * as Seed from "./Seed.ts"
import type { World } from "./World.ts"

const started = (options: ServerProcess.StartOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start(options)),
    (server) => Effect.promise(() => server.kill("SIGKILL"))
  )

const receivers = Effect.gen(function* () {
  const good = yield* WebhookReceiver.make()
  const bad = yield* WebhookReceiver.make(
    (_post, response) => void response.writeHead(500).end("Out of order")
  )
  return { good: good.url("/hooks"), bad: bad.url("/hooks") }
})

/** A machine that has no time for an hour. Unlike a circuit, which is tried again every few seconds, its pause lasts through all tests. */
const busyMachine = Effect.map(
  Receiver.http(
    (_request, response) => void response.writeHead(429, { "retry-after": "3600" }).end("Reserved")
  ),
  ({ port }) => `http://127.0.0.1:${port}`
)

/** Filled, on this port or on a free one. It ends with the scope. */
export const make = Effect.fn("FilledServer.make")(function* (
  wanted?: number
): Effect.fn.Return<Omit<World, "browser">, never, Scope.Scope> {
  const folder = yield* TempDirectory.make
  const dataDirectory = path.join(folder, "data")
  const port = wanted ?? (yield* Effect.promise(ServerProcess.freePort))
  const clock = FakeTime.library === undefined ? null : FakeTime.make(folder)
  // Never set back, because the server's own clock does not go back.
  clock?.set("-6d")
  const models = Manifests.write(folder, yield* busyMachine)
  const env = { ...WebhookReceiver.settings, MODELS_DIR: models, LOG_LEVEL: "Warn" }
  const owner = ownerOf(dataDirectory)

  const before = yield* started({ dataDirectory, port, env: { ...env, ...clock?.env } })
  const people = yield* Effect.promise(() => Seed.past(before.url, owner, clock))
  yield* Effect.promise(() => before.kill("SIGTERM"))
  const server = yield* started({ dataDirectory, port, env })
  const stopping = new AbortController()
  yield* Effect.addFinalizer(() => Effect.sync(() => stopping.abort()))
  const hooks = yield* receivers
  return yield* Effect.promise(() => Seed.present(server.url, people, hooks, stopping.signal))
})
