/** `node test/support/console/Demo.ts [port]` runs the server of the console's tests, to look at, and prints its keys. */
import { Effect } from "effect"
import * as FilledServer from "./FilledServer.ts"

const port = Number(process.argv[2] ?? 8170)

const main = Effect.gen(function* () {
  const { accountId, keys, origin, password } = yield* FilledServer.make(port)
  const lines = [
    `${origin}/console`,
    ...Object.entries(keys).map(([who, key]) => `${who}: ${key}`),
    `account ${accountId}, password: ${password}`
  ]
  process.stdout.write(`${lines.join("\n")}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped)

const stopping = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort())
await Effect.runPromiseExit(main, { signal: stopping.signal })
