/** How long our server takes from the start of its process until `/health` answers 200. */
import { Effect } from "effect"
import { BenchFailed } from "../harness/Subject.ts"
import type { Inferlog } from "./Inferlog.ts"

const checkHealth = Effect.fnUntraced(function* (url: string) {
  const status = yield* Effect.tryPromise({
    try: () => fetch(`${url}/health`).then(({ status }) => status),
    catch: (cause) => new BenchFailed({ reason: `the server does not answer: ${String(cause)}` })
  })
  if (status !== 200) return yield* new BenchFailed({ reason: `expected health 200, got ${status}` })
})

/** @param serve returns when the server serves. */
export const timed = Effect.fnUntraced(function* <E, R>(serve: Effect.Effect<Inferlog, E, R>) {
  const began = performance.now()
  const server = yield* serve
  yield* checkHealth(server.url)
  return { server, elapsedMs: performance.now() - began }
})
