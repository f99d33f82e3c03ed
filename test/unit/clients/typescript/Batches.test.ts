import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Exchanges from "#test/support/clients/typescript/Exchanges.ts"

let server: Awaited<ReturnType<typeof Exchanges.serve>>
beforeAll(async () => void (server = await Exchanges.serve()))
afterAll(() => server.close())

const completed = { id: "rqP6vxXSi--NSpLKABux-", status: "COMPLETED", outcome: "succeeded", output: "Hi" }

/** Gives one input, and then none for as long as the test runs. `closed` resolves when it is asked to close. */
const slowSource = () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const source: AsyncIterableIterator<Record<string, unknown>> = {
    next: () => {
      source.next = () => new Promise(() => {})
      return Promise.resolve({ done: false, value: {} })
    },
    return: () => {
      resolve()
      return new Promise(() => {})
    },
    [Symbol.asyncIterator]: () => source
  }
  return { source, closed }
}

describe("batches of the TypeScript client", () => {
  it("give an item while their source has no other input yet, and leave the source when they are left", async () => {
    server.answer((_, response) => Exchanges.json(response, 200, completed))
    const { closed, source } = slowSource()
    for await (const item of server.client().batches.run("acme/writer", source)) {
      assert.deepEqual(item, { index: 0, output: "Hi" })
      break
    }
    await closed
  })

  it("end at once when their caller aborts while they wait for an input", async () => {
    server.answer((_, response) => Exchanges.json(response, 200, completed))
    const controller = new AbortController()
    const items = server
      .client()
      .batches.run("acme/writer", slowSource().source, { signal: controller.signal })
    await items.next()
    const waiting = items.next()
    const reason = new Error("by the caller")
    controller.abort(reason)
    assert.equal(await Exchanges.rejection(waiting), reason)
  })

  it("end with the error of their source", async () => {
    server.answer((_, response) => Exchanges.json(response, 200, completed))
    const failure = new Error("of the source")
    async function* source() {
      yield {}
      throw failure
    }
    const items = server.client().batches.run("acme/writer", source(), { concurrency: 1 })
    assert.deepEqual((await items.next()).value, { index: 0, output: "Hi" })
    assert.equal(await Exchanges.rejection(items.next()), failure)
  })
})
