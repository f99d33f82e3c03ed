import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Socket } from "node:net"
import * as Exchanges from "#test/support/clients/typescript/Exchanges.ts"

let server: Awaited<ReturnType<typeof Exchanges.serve>>
beforeAll(async () => void (server = await Exchanges.serve()))
afterAll(() => server.close())

const ref = { id: "rqP6vxXSi--NSpLKABux-", modelEndpoint: "acme/writer" }

/** Answers with a stream of one chunk that stays open. `closed` resolves when the client has gone. */
const openStream = () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  server.answer((_, response) => {
    const socket = response.socket as Socket
    socket.on("close", () => resolve())
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write('id: 1-a\nevent: chunk\ndata: "Once"\n\n')
  })
  return closed
}

describe("streams of the TypeScript client", () => {
  it("frees the connection when the iterator is left after an event", async () => {
    const closed = openStream()
    const { listeners, signal } = Exchanges.countedSignal()
    for await (const event of server.client().output(ref, { signal })) {
      assert.deepEqual(event, { type: "chunk", data: "Once", id: "1-a" })
      assert.equal(listeners(), 1)
      break
    }
    await closed
    assert.equal(listeners(), 0)
  })

  it("frees the connection when the iterator is left while it waits", async () => {
    const closed = openStream()
    const events = server.client().output(ref)
    await events.next()
    const waiting = events.next()
    await events.return?.()
    assert.deepEqual(await waiting, { done: true, value: undefined })
    await closed
    assert.deepEqual(await events.next(), { done: true, value: undefined })
  })

  it("frees the connection upon abort, and rejects with the reason", async () => {
    const closed = openStream()
    const controller = Exchanges.countedSignal()
    const { listeners, signal } = controller
    const events = server.client().output(ref, { signal })
    await events.next()
    const reason = new Error("by the caller")
    controller.abort(reason)
    assert.equal(await Exchanges.rejection(events.next()), reason)
    await closed
    assert.equal(listeners(), 0)
  })

  it("begins with the first next, so that an iterator that nobody reads leaves nothing", async () => {
    const { listeners, signal } = Exchanges.countedSignal()
    const events = server.client().output(ref, { signal })
    assert.equal(listeners(), 0)
    await events.return?.()
    assert.deepEqual(await events.next(), { done: true, value: undefined })
  })

  it("opens another connection when a stream is silent for too long", async () => {
    let connections = 0
    const asked: Array<unknown> = []
    server.answer(({ headers }, response) => {
      asked.push(headers["last-event-id"])
      response.writeHead(200, { "content-type": "text/event-stream" })
      if (++connections === 1) response.write('id: 1-a\nevent: chunk\ndata: "Once"\n\n')
      else response.end('event: done\ndata: {"status":"COMPLETED"}\n\n')
    })
    const types: Array<string> = []
    for await (const { type } of server.client({ timeout: 80 }).output(ref)) types.push(type)
    assert.deepEqual(types, ["chunk", "done"])
    assert.deepEqual(asked.slice(0, 2), [undefined, "1-a"])
  })
})
