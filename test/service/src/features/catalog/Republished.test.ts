/** Requests during changes of the catalog. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Publishing } from "#src/features/catalog/Publishing.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { definitions, model, wrapper } from "#test/support/CatalogDefinitions.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const node = TestNode.layer({
  catalogOnLog: true,
  providers: (provider) => [{ ...provider, adapter: "http" }]
})

const endpoint = "acme/flux"
const flux = model(endpoint, { concurrency: 1 })
const counting = model(endpoint, {
  concurrency: 1,
  outputSchema: { type: "object", properties: { value: { type: "integer" } }, required: ["value"] }
})

const publish = (some: Parameters<typeof definitions>[0]) =>
  Effect.flatMap(Publishing, (publishing) =>
    publishing.publish(definitions(some), { source: "command", reactivates: false })
  )

/** Ends the next run with the text `out`. */
const endNext = Effect.gen(function* () {
  const run = yield* (yield* TestProvider).next
  yield* run.ends(succeeded({ value: "out" }))
})

const endOf = (id: Parameters<typeof Facts.untilEnd>[0]) =>
  Effect.map(Facts.untilEnd(id), (all) => {
    const [end] = Facts.terminal(all)
    return end?._tag === "RequestCompleted" ? `${end._tag} ${end.billing.status}` : end?._tag
  })

describe("A request", () => {
  it.effect("keeps its version when another one is published meanwhile", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux] })
      const running = yield* Facts.submit({ endpoint })
      const run = yield* (yield* TestProvider).next
      const before = yield* Facts.submit({ endpoint })
      yield* publish({ models: [counting] })
      const after = yield* Facts.submit({ endpoint })
      yield* run.ends(succeeded({ value: "out" }))
      yield* endNext
      yield* endNext
      assert.strictEqual(yield* endOf(running), "RequestCompleted charged")
      assert.strictEqual(yield* endOf(before), "RequestCompleted charged")
      assert.strictEqual(yield* endOf(after), "RequestCompleted failed")
      const [submitted] = yield* Facts.events(before)
      assert.isTrue(submitted?._tag === "RequestSubmitted" && submitted.modelVersion === flux.version)
    }).pipe(Effect.provide(node))
  )

  it.effect("of a deprecated model is accepted and runs", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux] })
      yield* (yield* Publishing).deprecate(endpoint, "command")
      const id = yield* Facts.submit({ endpoint })
      yield* endNext
      assert.strictEqual(yield* endOf(id), "RequestCompleted charged")
    }).pipe(Effect.provide(node))
  )

  it.effect("of a withdrawn model is rejected, and earlier ones still end, running or waiting", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux] })
      const running = yield* Facts.submit({ endpoint })
      const run = yield* (yield* TestProvider).next
      const waiting = yield* Facts.submit({ endpoint })
      yield* (yield* Publishing).withdraw("model", endpoint, "command")
      const refused = yield* Effect.flip((yield* Requests).submit(Facts.submission({ endpoint })))
      assert.strictEqual(refused._tag, "ModelNotFound")
      yield* run.ends(succeeded({ value: "out" }))
      yield* endNext
      assert.strictEqual(yield* endOf(running), "RequestCompleted charged")
      assert.strictEqual(yield* endOf(waiting), "RequestCompleted charged")
    }).pipe(Effect.provide(node))
  )

  it.effect("of a wrapper runs its model, with the template at that time", () =>
    Effect.gen(function* () {
      yield* publish({ models: [flux], wrappers: [wrapper("acme/logo", endpoint)] })
      const input = { name: "you" }
      const first = yield* Facts.submit({ endpoint: "acme/logo", input })
      const run = yield* (yield* TestProvider).next
      assert.deepStrictEqual(run.job.input, { value: "hello you" })
      yield* (yield* Publishing).withdraw("wrapper", "acme/logo", "command")
      yield* run.ends(succeeded({ value: "out" }))
      assert.strictEqual(yield* endOf(first), "RequestCompleted charged")
    }).pipe(Effect.provide(node))
  )
})
