/** What people see of an attempt: the request as it was sent, and what the receiver answered. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import { WebhookTester } from "#src/features/webhooks/WebhookTester.ts"
import * as DeliveryErasing from "#src/features/webhooks/DeliveryErasing.ts"
import { caller } from "#test/support/RequestFacts.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

const attempt = (id: string, number = 1) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.attempt({ caller: caller(), id, number })).pipe(
    Effect.provide(Webhooks.layer)
  )

/** Refuses with a body that a person may need, and with a header that nobody else may see. */
const refuse: Hook.Answer = (response) =>
  response
    .writeHead(500, { "content-type": "text/plain", "set-cookie": "session=secret" })
    .end(`broken: ${"ü".repeat(600)}`)

describe("An attempt", () => {
  it.effect("shows the request that was sent, and the beginning of the answer", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(refuse)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilAttempts(id, 1)
      const [posted] = hook.posted()
      if (posted === undefined) return assert.fail("nothing was sent")
      const { request, response } = yield* attempt(id)
      const ofConnection = ["connection", "content-length", "host"]
      const headers = Object.fromEntries(
        Object.entries(posted.headers)
          .filter(([name]) => !ofConnection.includes(name))
          .map(([name, value]) => [name, String(value)])
      )
      assert.deepStrictEqual(request, {
        url: hook.url,
        headers,
        body: { text: posted.text },
        size: Buffer.byteLength(posted.text)
      })
      assert.deepStrictEqual(response?.status, 500)
      const answer = Object(response?.answer)
      assert.strictEqual(answer.body, `broken: ${"ü".repeat(508)}`)
      assert.deepInclude(answer, { isTruncated: true })
      assert.strictEqual(answer.headers["content-type"], "text/plain")
      assert.notInclude(JSON.stringify(answer), "secret")
    }).pipe(Effect.provide(layer))
  )

  it.effect("has no answer if the receiver accepted it without a word, and none that is not text", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(204)
      const accepted = yield* Facts.ended(hook.url)
      yield* Facts.untilPhase(accepted.id, "Delivered")
      assert.deepStrictEqual((yield* attempt(accepted.id)).response, {
        status: 204,
        answer: { omitted: "not_kept" }
      })
      hook.answerWith((response) => response.writeHead(200).end(Buffer.of(0xff, 0xfe, 0)))
      const binary = yield* Facts.ended(hook.url)
      yield* Facts.untilPhase(binary.id, "Delivered")
      const { response } = yield* attempt(binary.id)
      assert.deepInclude(Object(response?.answer), { body: null, isTruncated: false })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is erased with the request's data, but for its outcome", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(refuse)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilAttempts(id, 1)
      yield* Effect.flatMap(DeliveryErasing.make, (erase) => erase(id))
      const { request, response } = yield* attempt(id)
      assert.deepStrictEqual(request.body, { omitted: "erased" })
      assert.notProperty(request.headers, "webhook-signature")
      assert.deepStrictEqual(response, { status: 500, answer: { omitted: "erased" } })
    }).pipe(Effect.provide(layer))
  )

  it.effect("that the delivery never made is not found", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(204)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilPhase(id, "Delivered")
      for (const number of [0, 2]) {
        const error = yield* Effect.flip(attempt(id, number))
        assert.strictEqual(error._tag, "DeliveryNotFound")
      }
    }).pipe(Effect.provide(layer))
  )
})

const resolve = (name: string) => Effect.succeed(name === "nobody.example.com" ? [] : ["127.0.0.1"])
const tester = TestNode.layer({ models: [Facts.model], guard: { resolve } })

describe("A test of a receiver", () => {
  const send = (url: string) =>
    Effect.flatMap(WebhookTester, (tester) =>
      tester.send({ accountId: caller().accountId, url, body: '{"event":"completed"}' })
    )

  it.effect("is signed like a delivery, under an id of its own, and shows what came back", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(refuse)
      yield* Effect.flatMap(TestAccounts, (accounts) => accounts.open(caller().accountId))
      const first = yield* send(hook.url)
      assert.deepInclude(first.result, { _tag: "Failed", responseStatus: 500, error: "http_500" })
      assert.match(String(first.answer?.body), /^broken: /)
      hook.answerWith(204)
      const second = yield* send(hook.url)
      assert.deepStrictEqual(second.result, { _tag: "Succeeded", responseStatus: 204 })
      const [posted, again] = hook.posted()
      assert.match(String(posted?.id), /^msg_[\w-]{22}$/)
      assert.notStrictEqual(posted?.id, again?.id)
      const secrets = yield* SigningSecrets
      const key = Redacted.value(yield* secrets.current(caller().accountId))
      const at = new Date(Math.floor((yield* Clock.currentTimeMillis) / 1_000) * 1_000)
      assert.strictEqual(
        posted?.headers["webhook-signature"],
        new Webhook(key).sign(String(posted?.id), at, String(posted?.text))
      )
    }).pipe(Effect.provide(tester))
  )

  it.effect("tells apart a name without an address, and a private one, in the words of deliveries", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(TestAccounts, (accounts) => accounts.open(caller().accountId))
      for (const [url, error] of [
        ["https://10.0.0.1/hook", "private_address"],
        ["https://nobody.example.com/hook", "dns_error"]
      ] as const) {
        const { answer, result } = yield* send(url)
        assert.deepStrictEqual([answer, result], [null, { _tag: "Failed", responseStatus: null, error }])
      }
    }).pipe(Effect.provide(tester))
  )
})
