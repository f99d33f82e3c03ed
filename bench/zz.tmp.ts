import { Effect } from "effect"
import * as Receiving from "./subjects/webhooks/Receiving.ts"
import * as Sender from "./subjects/webhooks/Sender.ts"
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const r = yield* Receiving.start("http")
  console.log(r.url)
  const s = yield* Sender.serve
  console.log(s.pids)
  const got = yield* r.expect(1)
  yield* s.schedule({ deliveries: 1, urls: [r.url], dueAt: null, spreadMs: 0 })
  console.log("scheduled")
  console.log(yield* got)
  for (const n of [3000, 10000, 20000]) {
    const got = yield* r.expect(n)
    const t = Date.now()
    yield* s.schedule({ deliveries: n, urls: [r.url], dueAt: null, spreadMs: 0 })
    console.log("scheduled", Date.now() - t)
    const g = yield* got
    console.log(n, g, n / g.elapsedMs * 1000)
  }
})))
