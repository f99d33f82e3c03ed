/** The manifests in `docs/operators/providers` are valid and match their protocols. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import * as OpenaiProvider from "#src/features/providers/openai/OpenaiProvider.ts"
import * as ReplicateProvider from "#src/features/providers/replicate/ReplicateProvider.ts"
import * as ManifestFolder from "#test/support/src/features/manifests/ManifestFolder.ts"
import {
  type AdapterUnderTest,
  jobOf
} from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import type { Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Openai from "#test/support/upstreams/Openai.ts"
import * as Replicate from "#test/support/upstreams/Replicate.ts"
import * as MappedRuns from "#test/support/MappedRuns.ts"

const examplesOf = (doc: string): ReadonlyArray<string> => {
  const text = fs.readFileSync(
    new URL(`../../../../../docs/operators/providers/${doc}.md`, import.meta.url),
    "utf8"
  )
  return [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, manifest = ""]) => manifest)
}

/** In the order of the document's examples. */
const documents: Readonly<
  Record<
    string,
    {
      readonly provider: AdapterUnderTest["provider"]
      readonly upstreams: ReadonlyArray<Effect.Effect<Upstream, never, Scope.Scope>>
    }
  >
> = {
  openai: {
    provider: OpenaiProvider.make,
    upstreams: [Openai.make("chat"), Openai.make("images")]
  },
  replicate: { provider: ReplicateProvider.make, upstreams: [Replicate.make] }
}

/** Runs the first model of a manifest with its own example at a server of its protocol. */
const runExample = Effect.fnUntraced(function* (
  manifest: string,
  { binding: served, secret }: Upstream,
  provider: AdapterUnderTest["provider"]
) {
  const { secretEnv = "UNUSED", url = "" } = served
  const { items, lines } = yield* ManifestFolder.check({ "model.yaml": manifest }, { [secretEnv]: secret })
  assert.deepStrictEqual(lines, [])
  const [item] = items
  if (item?.kind !== "model" || item.entry === null) return assert.fail("expected a model")
  const { entry } = item
  const [documented] = entry.model.providers
  assert.strictEqual(documented.adapter, served.adapter)
  const model = served.options?.["model"]
  const binding = {
    ...documented,
    url,
    secretEnv,
    options: { ...documented.options, ...(model !== undefined && { model }) }
  }
  const surroundings = yield* Layer.build(Surroundings.layer({ [secretEnv]: secret }))
  const { run } = yield* Effect.provide(provider, surroundings)
  const { control } = yield* RecordedControl.make
  const submitted = entry.model.exampleInput
  const outcome = yield* MappedRuns.around({ entry, binding, submitted }, 1, (input) =>
    run(jobOf(binding, input), control)
  )
  return { entry, outcome }
})

describe("The examples of the providers' documents", () => {
  for (const [name, { provider, upstreams }] of Object.entries(documents)) {
    const examples = examplesOf(name)

    it(`are all listed, those of ${name}`, () => assert.lengthOf(examples, upstreams.length))

    for (const [index, start] of upstreams.entries()) {
      it.live(`run, number ${index + 1} of ${name}`, () =>
        Effect.gen(function* () {
          const ran = yield* runExample(examples[index] ?? "", yield* start, provider)
          assert.isDefined(ran)
          if (ran === undefined) return
          const { entry, outcome } = ran
          assert.strictEqual(outcome._tag, "Succeeded", JSON.stringify(outcome._tag))
          if (outcome._tag !== "Succeeded") return
          assert.deepStrictEqual(entry.validateOutput(outcome.output), [])
          assert.isTrue(outcome.delivered > 0n)
          const isPicture = entry.model.category === "image"
          assert.deepStrictEqual(entry.mediaPointers(outcome.output), isPicture ? ["/images/0/url"] : [])
        })
      )
    }
  }
})
