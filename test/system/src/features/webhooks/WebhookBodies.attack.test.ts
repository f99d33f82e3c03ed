/** @alone It checks times or memory against limits. */
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Attacked from "#test/support/attacks/Attacked.ts"
import { figure } from "#test/support/attacks/Form.ts"

const deliveries = figure({ short: 16, long: 60 })

/** A webhook body holds input and output, so it is about twice as large as the input. */
const inputBytes = figure({ short: 5_000_000, long: 9_900_000 })

/** One receiver may use an eighth of the heap, which is slightly more than 512 MiB. */
const mostBytes = 76_000_000

/** Reads and discards bodies. Sends no answer until `answerAll` is called. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const waiting = new Set<http.ServerResponse>()
    const taken = new Set<string>()
    let isOpen = false
    let most = 0
    const server = http.createServer((request, response) => {
      request.resume()
      most = Math.max(most, waiting.add(response).size)
      response.on("close", () => waiting.delete(response))
      request.on("end", () => {
        const answer = () => {
          taken.add(String(request.headers["webhook-id"]))
          response.writeHead(200).end()
        }
        if (isOpen) answer()
        else response.on("answer", answer)
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/hook`,
      taken,
      mostAtOnce: () => most,
      waiting: () => waiting.size,
      answerAll: () => {
        isOpen = true
        for (const response of waiting) response.emit("answer")
      },
      close: () => {
        server.closeAllConnections()
        server.close()
      }
    }
  }),
  ({ close }) => Effect.sync(close)
)

const until = async (what: string, holds: () => boolean, timeoutMs: number) => {
  const deadline = performance.now() + timeoutMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`Not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Repeats the submit until it is accepted, because inputs have a budget of their own. */
const submit = async (url: string, body: string): Promise<void> => {
  for (;;) {
    const answer = await fetch(`${url}/sandbox/echo`, {
      method: "POST",
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      body
    })
    await answer.arrayBuffer()
    if (answer.status === 200) return
    assert.include([429, 503], answer.status)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

describe("A8: many large webhook deliveries to a new receiver", () => {
  it.live("keep few bodies in memory, and all arrive when the receiver answers", () =>
    Effect.gen(function* () {
      const hook = yield* receiver
      const { pid, url } = yield* Attacked.server({ ALLOW_PRIVATE_TARGETS: "true" })
      yield* Effect.promise(async () => {
        const value = Array.from({ length: Math.floor(inputBytes / 1_000) }, () => "x".repeat(997))
        const body = JSON.stringify({ value, webhook: hook.url })
        for (let count = 0; count < deliveries; count++) await submit(url, body)
        await until("a delivery is on its way", () => hook.waiting() > 0, 30_000)
        const { status } = await fetch(`${url}/health`)
        assert.strictEqual(status, 200)
        hook.answerAll()
        await until("all are delivered", () => hook.taken.size === deliveries, 120_000)
        assert.isBelow(hook.mostAtOnce() * 2 * inputBytes, mostBytes)
        assert.isBelow(Attacked.residentMiB(pid, "VmHWM"), 900)
      })
    }).pipe(Effect.scoped)
  )
})
