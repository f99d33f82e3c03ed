import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Exchanges from "#test/support/clients/typescript/Exchanges.ts"
import type { Hooks } from "#clients/typescript/ClientOptions.ts"
import { NotFoundError, ServerError, UnauthorizedError } from "#clients/typescript/Errors.ts"
import {
  DeadlineExceededError,
  UnexpectedAnswerError,
  UnreachableError
} from "#clients/typescript/InferlogError.ts"

let server: Awaited<ReturnType<typeof Exchanges.serve>>
beforeAll(async () => void (server = await Exchanges.serve()))
afterAll(() => server.close())

const balance = { balance: "1", currency: "USD" }

describe("exchanges of the TypeScript client", () => {
  it("tells hooks of each attempt, adds their headers, and survives their errors", async () => {
    const seen: Array<unknown> = []
    const parents: Array<unknown> = []
    server.answer((request, response) => {
      parents.push(request.headers["traceparent"])
      Exchanges.json(response, parents.length === 1 ? 503 : 200, balance)
    })
    const hooks: Hooks = {
      request: ({ attempt, method, url }) => {
        seen.push({ attempt, method, url })
        return { traceparent: `00-${attempt}` }
      },
      response: ({ attempt, duration, requestId, status }) => {
        seen.push({ attempt, status, requestId, timed: duration >= 0 })
        throw new Error("of the hook")
      },
      retry: ({ attempt, reason }) => {
        seen.push({ attempt, reason })
        throw new Error("of the hook")
      }
    }
    assert.deepEqual(await server.client({ hooks }).balance(), balance)
    const url = `${server.url}/account/balance`
    assert.deepEqual(seen, [
      { attempt: 1, method: "GET", url },
      { attempt: 1, status: 503, requestId: "call_1", timed: true },
      { attempt: 1, reason: "503" },
      { attempt: 2, method: "GET", url },
      { attempt: 2, status: 200, requestId: "call_1", timed: true }
    ])
    assert.deepEqual(parents, ["00-1", "00-2"])
  })

  it("asks a key function once for many calls, and again after a 401", async () => {
    let asked = 0
    let valid = "token1"
    server.answer(({ headers }, response) => {
      const isValid = headers.authorization === `Key ${valid}`
      Exchanges.json(response, isValid ? 200 : 401, isValid ? balance : { error: "No." })
    })
    const client = server.client({ key: async () => `token${++asked}` })
    await Promise.all([client.balance(), client.balance(), client.balance()])
    assert.equal(asked, 1)
    valid = "token2"
    await Promise.all([client.balance(), client.balance(), client.balance()])
    assert.equal(asked, 2)
    valid = "none"
    assert.instanceOf(await Exchanges.rejection(client.balance()), UnauthorizedError)
    assert.equal(asked, 3)
  })

  it("gives the error of a key function to the caller, and asks again at the next call", async () => {
    const failure = new Error("No session")
    let fails = true
    server.answer((_, response) => Exchanges.json(response, 200, balance))
    const key = () => {
      if (fails) throw failure
      return "token"
    }
    const client = server.client({ key })
    assert.equal(await Exchanges.rejection(client.balance()), failure)
    fails = false
    assert.deepEqual(await client.balance(), balance)
  })

  it("shows no key, neither in an error of the runtime nor in one of the server", async () => {
    const secret = "key_1:very\nsecret"
    const refused = await Exchanges.rejection(server.client({ key: secret }).balance())
    assert.instanceOf(refused, TypeError)
    assert.notInclude(String(refused), "secret")
    const away = new Error("away")
    const fetch = () => Promise.reject(away)
    const error = await Exchanges.rejection(server.client({ fetch, retries: 1 }).balance())
    assert.instanceOf(error, UnreachableError)
    assert.equal((error as UnreachableError).cause, away)
  })

  it("refuses an address with a user and a password, and does not show them", () => {
    const make = () => server.client({ url: "http://ada:secret@127.0.0.1:8080" })
    assert.throws(make, TypeError, /^(?!.*secret)/)
  })

  it("follows no redirect with a key", async () => {
    let calls = 0
    server.answer((_, response) => {
      calls++
      response.writeHead(307, { location: `${server.url}/elsewhere` }).end()
    })
    assert.instanceOf(await Exchanges.rejection(server.client().balance()), UnexpectedAnswerError)
    assert.equal(calls, 1)
  })

  it("repeats an answer that stalls half way, and gives up after its retries", async () => {
    let calls = 0
    server.answer((_, response) => {
      if (++calls < 3) {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
        response.write('{"balance"')
      } else Exchanges.json(response, 200, balance)
    })
    assert.deepEqual(await server.client({ timeout: 80 }).balance(), balance)
    assert.isAtLeast(calls, 3)
    calls = -10
    const error = await Exchanges.rejection(server.client({ timeout: 20, retries: 1 }).balance())
    assert.instanceOf(error, UnreachableError)
  })

  it("ends a call at its deadline, also within a pause that would end later", async () => {
    server.answer(() => {})
    const client = server.client()
    const held = await Exchanges.rejection(client.status("rq_1", { timeout: 30 }))
    assert.instanceOf(held, DeadlineExceededError)
    assert.equal((held as DeadlineExceededError).request_id, "rq_1")
    server.answer((_, response) => {
      response.setHeader("retry-after", "50")
      Exchanges.json(response, 503, { error: "Later." })
    })
    const error = await Exchanges.rejection(client.balance({ timeout: 10_000 }))
    assert.instanceOf(error, DeadlineExceededError)
    assert.instanceOf((error as DeadlineExceededError).cause, ServerError)
  })

  it("leaves no listener at the caller's signal, however a call ends", async () => {
    const controller = Exchanges.countedSignal()
    const { listeners, signal } = controller
    const client = server.client({ retries: 1 })
    server.answer((_, response) => Exchanges.json(response, 200, balance))
    await client.balance({ signal })
    assert.equal(listeners(), 0)
    server.answer((_, response) => Exchanges.json(response, 404, { error: "None." }))
    assert.instanceOf(await Exchanges.rejection(client.balance({ signal })), NotFoundError)
    assert.equal(listeners(), 0)
    server.answer((_, response) => response.destroy())
    await Exchanges.rejection(client.balance({ signal }))
    assert.equal(listeners(), 0)
    server.answer(() => controller.abort("by the caller"))
    assert.equal(await Exchanges.rejection(client.balance({ signal })), "by the caller")
    assert.equal(listeners(), 0)
    assert.equal(await Exchanges.rejection(client.balance({ signal })), "by the caller")
    assert.equal(listeners(), 0)
  })

  it("calls no other route for odd ids and models", async () => {
    const calls: Array<string | undefined> = []
    server.answer(({ url }, response) => {
      calls.push(url)
      Exchanges.json(response, 200, {})
    })
    const client = server.client()
    for (const id of ["", ".", ".."]) {
      assert.instanceOf(await Exchanges.rejection((async () => client.requests.get(id))()), TypeError)
    }
    for (const model of ["echo", "a/b/c", "a/", "../keys", ""]) {
      assert.instanceOf(await Exchanges.rejection(client.submit(model, {})), TypeError)
    }
    await client.requests.get("a/b?c#d é")
    assert.deepEqual(calls, ["/requests/a%2Fb%3Fc%23d%20%C3%A9"])
  })
})
