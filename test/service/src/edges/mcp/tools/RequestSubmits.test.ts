import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { given, newClient, ran, refused } from "#test/support/src/edges/mcp/tools/RequestCalls.ts"
import { gate, server, upstream } from "#test/support/src/edges/mcp/tools/RequestModels.ts"

const echo = { modelEndpoint: "sandbox/echo", input: { value: "in" } }

const available = ({ accountId }: Caller) => Effect.map(Funds, (funds) => funds.of(accountId).available)

layer(server, { excludeTestServices: true })("run_model", (it) => {
  it.effect("submits a request, and returns its price and expected duration", () =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const answer = yield* given(client, "run_model", { ...echo, metadata: { team: "blue" } })
      assert.deepInclude(answer, {
        modelEndpoint: "sandbox/echo",
        status: "IN_QUEUE",
        replayed: false,
        estimatedCost: "0.001",
        isMaximum: false,
        maximumCost: "0.001",
        currency: "USD",
        expectedSeconds: 1
      })
      const requests = yield* Requests
      const id = yield* ran(client, { metadata: { team: "blue" } })
      const snapshot = yield* requests.get({ caller, id })
      assert.deepInclude(snapshot.request.submitted, {
        accountId: caller.accountId,
        metadata: { team: "blue" }
      })
      assert.deepStrictEqual((yield* requests.payloads(snapshot)).input, { value: "in" })
    }).pipe(Effect.scoped)
  )

  it.effect("reports when only the run determines the cost", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const call = { modelEndpoint: "vision/resize", input: { image: "https://example.com/a.png", width: 8 } }
      const { estimatedCost, isMaximum, maximumCost } = yield* given(client, "run_model", call)
      assert.isTrue(isMaximum)
      assert.strictEqual(estimatedCost, maximumCost)
    }).pipe(Effect.scoped)
  )

  it.effect("answers the same call under the same key with the same request, with one hold", () =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const before = yield* available(caller)
      const call = (value: unknown) =>
        given(client, "run_model", {
          modelEndpoint: "sandbox/echo",
          input: { value },
          idempotencyKey: "a key",
          metadata: { a: "1", b: "2" }
        })
      const first = yield* call({ x: 1, y: [{ u: 1, v: 2 }] })
      const second = yield* call({ y: [{ v: 2, u: 1 }], x: 1 })
      assert.deepStrictEqual(second, { ...first, replayed: true })
      assert.strictEqual(before - (yield* available(caller)), usd("0.001"))
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["another input", { input: { message: "secret of the test" } }],
    ["other metadata", { metadata: { team: "red" } }],
    ["another model", { modelEndpoint: "sandbox/provider-fail" }]
  ] as const)("reports that a key was used before for %s", ([, changes]) =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const call = { modelEndpoint: "sandbox/fail", input: {}, idempotencyKey: "a key" }
      yield* ran(client, call)
      const text = yield* refused(client, "run_model", { ...call, ...changes })
      assert.match(text, /submitted under this idempotencyKey.*new request use a new key/)
      assert.notInclude(text, "secret of the test")
    }).pipe(Effect.scoped)
  )

  it.effect("treats a key used over HTTP as used", () =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const idempotency = { key: "a key", requestHash: "hmac.of the body" }
      const requests = yield* Requests
      yield* requests.submit(Facts.submission({ caller, endpoint: "sandbox/echo", idempotency }))
      const text = yield* refused(client, "run_model", { ...echo, idempotencyKey: "a key" })
      assert.include(text, "submitted under this idempotencyKey")
    }).pipe(Effect.scoped)
  )

  it.effect("reports where the input violates the schema, without its values", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const call = (input: unknown) => refused(client, "run_model", { modelEndpoint: "test/photo", input })
      const text = yield* call({
        image: 5,
        sizes: [1, "secret of the test"],
        "an\nother": "secret of the test"
      })
      assert.sameMembers(text.split("\n"), [
        "The input is not valid for the model. Nothing was run.",
        "- image: must be string",
        "- sizes[1]: must be integer",
        "- an other: must NOT have additional properties",
        "get_model_raw_schema shows the schema: correct the input, then call run_model again."
      ])
      const many = (yield* call({ sizes: Array.from({ length: 30 }, () => "secret of the test") })).split(
        "\n"
      )
      assert.lengthOf(many, 23)
      assert.strictEqual(many.at(-2), "- and 11 more")
      assert.notInclude(many.join(), "secret of the test")
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["a data URI", true, "data:image/png;base64,iVBORw0KGgo="],
    ["base64", true, Buffer.alloc(300, 7).toString("base64")],
    ["words", false, "a picture of a cat"]
  ] as const)("explains how to pass files when there is %s in place of a URL: %s", ([, isHinted, image]) =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const text = yield* refused(client, "run_model", { modelEndpoint: "test/photo", input: { image } })
      assert.include(text, "- image: must match pattern")
      assert.strictEqual(text.includes("upload_file"), isHinted)
      assert.notInclude(text, image)
    }).pipe(Effect.scoped)
  )

  it.effect("suggests models with similar names for an unknown one", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const text = yield* refused(client, "run_model", { ...echo, modelEndpoint: "sandbox/ecko" })
      assert.include(text, "`sandbox/echo`")
      assert.notInclude(text, "ecko")
    }).pipe(Effect.scoped)
  )

  it.effect("needs a key with the scope to submit to the model, existing or not", () =>
    Effect.gen(function* () {
      const reading = yield* newClient({ grant: { scopes: ["requests:read"] } })
      assert.include(yield* refused(reading.client, "run_model", echo), "`requests:write`")
      const { client } = yield* newClient({ grant: { modelEndpoints: [ModelEndpoint.make("sandbox/slow")] } })
      const text = yield* refused(client, "run_model", echo)
      assert.match(text, /not granted this model\. It is granted sandbox\/slow\. Calling again will not help/)
      assert.strictEqual(
        yield* refused(client, "run_model", { ...echo, modelEndpoint: "sandbox/none" }),
        text
      )
    }).pipe(Effect.scoped)
  )

  it.effect("reports what is missing in the balance and in the budget, and who can help", () =>
    Effect.gen(function* () {
      const poor = yield* newClient({ balance: "0.0005" })
      assert.match(
        yield* refused(poor.client, "run_model", echo),
        /balance is insufficient: this run may cost 0\.001 USD, and 0\.0005 USD is available.*tell the user/
      )
      const { client } = yield* newClient({ grant: { monthlyBudget: usd("0.0015") } })
      yield* ran(client)
      assert.match(
        yield* refused(client, "run_model", echo),
        /may cost 0\.001 USD; 0\.001 USD of 0\.0015 USD is spent or held.*tell the user.*begins at \d{4}-\d\d-01T00:00:00\.000Z/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("reports how long to wait when the queue is full", () =>
    Effect.gen(function* () {
      const { client, name } = yield* newClient()
      const call = (modelEndpoint: string) => refused(client, "run_model", { ...echo, modelEndpoint })
      assert.match(yield* call("test/full"), /queue is full: 3 requests wait.*Wait 5 seconds.*idempotencyKey/)
      const health = yield* ProviderHealth
      health.begin(upstream).ended({ _tag: "RateLimited", retryAfterMs: 900_000 })
      assert.match(
        yield* call("test/refusing"),
        /its provider accepts no more runs for now.*Wait (900|899) seconds/
      )
      yield* GrantedKeys.limit(name, { maxOpenRequests: 1 })
      yield* ran(client)
      assert.match(
        yield* call("sandbox/echo"),
        /have not ended as may be open at once \(1\).*wait_for_request/
      )
    }).pipe(Effect.scoped)
  )

  const labels = (count: number, value = "x") =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`label${index}`, value]))

  it.effect.each([
    ["a webhook", { input: { value: 1, webhook: "https://hooks.acme.dev" } }, /`webhook`.*wait_for_request/],
    ["a webhook's filter", { input: { webhook_events_filter: ["start"] } }, /not taken here/],
    [
      "too many labels",
      { metadata: labels(17) },
      /^The metadata is not valid\. Nothing was run\.\n- metadata: must have at most 16 keys\nCorrect it.*call run_model again\.$/
    ],
    [
      "labels that are too long",
      { metadata: labels(2, "x".repeat(2_000)) },
      /metadata: must not exceed 2048 bytes/
    ],
    [
      "a label that is not text",
      { metadata: { a: 1 } },
      /^`metadata` must be an object whose values are text\.$/m
    ],
    ["an empty key", { idempotencyKey: "" }, /^`idempotencyKey` must be text of 1 to 255 characters\.$/m],
    ["a key that is too long", { idempotencyKey: "k".repeat(256) }, /text of 1 to 255 characters\.$/m],
    ["a key that is not ASCII", { idempotencyKey: "schlüssel" }, /^idempotencyKey: .*printable ASCII/],
    ["an input that is not an object", { input: [1] }, /^`input` must be an object, not a list\.$/m]
  ] as const)("rejects %s", ([, changes, expected]) =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const before = yield* available(caller)
      assert.match(yield* refused(client, "run_model", { ...echo, ...changes }), expected)
      assert.strictEqual(yield* available(caller), before)
    }).pipe(Effect.scoped)
  )

  it.effect.each(["KeyReserved", "RequestSubmitted"])(
    "completes the submit for a client that disconnects before %s, and finds the request by its key",
    (type) =>
      Effect.gen(function* () {
        const { caller, client } = yield* newClient()
        const before = yield* available(caller)
        const reached = yield* Deferred.make<void>()
        const opened = yield* Deferred.make<void>()
        gate.type = type
        gate.before = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened))
        const call = { ...echo, idempotencyKey: "a key" }
        const broken = yield* Effect.forkChild(client.call("run_model", call))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(broken)
        // Answered after the server has learned of the end.
        yield* client.client.ping
        yield* Deferred.succeed(opened, undefined)
        assert.deepInclude(yield* given(client, "run_model", call), { replayed: true })
        assert.strictEqual(before - (yield* available(caller)), usd("0.001"))
      }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["is certainly not on the log", true, false],
    ["may have been stored", false, true]
  ] as const)("releases the hold of a request that could not be stored: it %s", ([, isAbsent, isOpen]) =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const before = yield* available(caller)
      gate.type = "RequestSubmitted"
      gate.before = Effect.fail(new EventStoreError({ reason: "The disk is full", isAbsent }))
      const text = yield* refused(client, "run_model", echo)
      gate.before = Effect.void
      assert.match(text, /cannot reach its storage.*Wait 5 seconds/)
      assert.strictEqual(text.includes("look at list_my_requests"), isOpen)
      assert.notInclude(text, "disk")
      assert.strictEqual(yield* available(caller), before)
    }).pipe(Effect.scoped)
  )
})
