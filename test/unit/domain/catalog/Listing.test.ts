import { assert, describe, it } from "@effect/vitest"
import type { DomainEvent } from "#domain/EventCodec.ts"
import * as Listing from "#domain/catalog/Listing.ts"
import { collection, gpu, template } from "#test/support/CatalogDefinitions.ts"
import { given } from "#test/support/Scenario.ts"

interface Case<Definition, Event extends DomainEvent> {
  readonly listing: Listing.Listing<Definition, Event>
  readonly first: Definition
  readonly second: Definition
  readonly published: (definition: Definition, at: number) => Event
  readonly withdrawn: (at: number) => Event
}

const source = "command"

const publish = <Definition>(definition: Definition, at: number, reactivates = false) =>
  ({ _tag: "Publish", at, source: "command", definition, reactivates }) as const
const withdraw = (at: number) => ({ _tag: "Withdraw", at, source }) as const

const behaves = <Definition, Event extends DomainEvent>(
  name: string,
  { first, listing, published, second, withdrawn }: Case<Definition, Event>
) =>
  describe(name, () => {
    it("is published if it is new or has changed", () => {
      given(listing)
        .when(publish(first, 1))
        .expectEvents(published(first, 1))
        .when(publish(first, 2))
        .expectNothing()
        .when(publish(first, 2, true))
        .expectNothing()
        .when(publish(second, 3))
        .expectEvents(published(second, 3))
        .when(publish(first, 4))
        .expectEvents(published(first, 4))
    })

    it("is withdrawn once, and listed again if it has changed or on request", () => {
      given(listing, [published(first, 1)])
        .when(withdraw(2))
        .expectEvents(withdrawn(2))
        .when(withdraw(3))
        .expectRejection("ItemNotFound")
        .when(publish(first, 4))
        .expectNothing()
        .when(publish(first, 5, true))
        .expectEvents(published(first, 5))
        .when(withdraw(6))
        .expectEvents(withdrawn(6))
        .when(publish(second, 7))
        .expectEvents(published(second, 7))
        .expectView((state) => state, { _tag: "Published", definition: second, isWithdrawn: false })
    })

    it("that was never published is not found", () => {
      given(listing).when(withdraw(1)).expectRejection("ItemNotFound")
    })

    it("accepts any event on the log in any state", () => {
      const { evolve, initial } = listing.decider
      assert.strictEqual(evolve(initial, withdrawn(1)), initial)
    })
  })

behaves("A collection", {
  listing: Listing.collections,
  first: collection("start", ["acme/flux"]),
  second: collection("start", ["acme/flux", "acme/logo"]),
  published: (collection, at) => Listing.CollectionPublished.make({ at, source, collection }),
  withdrawn: (at) => Listing.CollectionWithdrawn.make({ at, source })
})

behaves("A GPU", {
  listing: Listing.gpus,
  first: gpu("rtx-4090"),
  second: gpu("rtx-4090", 4),
  published: (gpu, at) => Listing.GpuPublished.make({ at, source, gpu }),
  withdrawn: (at) => Listing.GpuWithdrawn.make({ at, source })
})

behaves("A deployment template", {
  listing: Listing.deploymentTemplates,
  first: template("vllm"),
  second: template("vllm", 2),
  published: (template, at) => Listing.DeploymentTemplatePublished.make({ at, source, template }),
  withdrawn: (at) => Listing.DeploymentTemplateWithdrawn.make({ at, source })
})

describe("The variables of a deployment template", () => {
  const ordered = (env: Readonly<Record<string, string>>) => ({ ...template("vllm"), env })

  it("are shown in the order of the manifest, which the log keeps as text", () => {
    const definition = ordered({ ZONE: "a", LEVEL: "info" })
    const texts = { env: '{"ZONE":"a","LEVEL":"info"}' }
    const stored = ordered({ LEVEL: "info", ZONE: "a" })
    const event = Listing.DeploymentTemplatePublished.make({ at: 1, source, template: stored, texts })
    given(Listing.deploymentTemplates, [event]).expectView(
      (state) => JSON.stringify(state._tag === "Published" ? state.definition.env : null),
      texts.env
    )
    given(Listing.deploymentTemplates, [event])
      .when(publish(definition, 2))
      .expectNothing()
      .when(publish(stored, 3))
      .expectEvents(Listing.DeploymentTemplatePublished.make({ at: 3, source, template: stored }))
  })
})
