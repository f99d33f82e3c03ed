import { assert, describe, it } from "@effect/vitest"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"
import * as Offering from "#domain/catalog/Offering.ts"
import { model, wrapper } from "#test/support/CatalogDefinitions.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate } = Offering

const flux = model("acme/flux")
const better = model("acme/flux", { description: "Better." })
const logo = wrapper("acme/flux", "acme/base")

const orderOf = (definition: Parameters<typeof MemberOrder.textsOf>[0]) => {
  const texts = MemberOrder.textsOf(definition)
  return texts === null ? {} : { texts }
}

const published = (model: typeof flux, at = 1) =>
  ({ _tag: "ModelPublished", at, source: "a.yaml", model, ...orderOf(model) }) as const
const wrapperPublished = {
  _tag: "WrapperPublished",
  at: 1,
  source: "a.yaml",
  wrapper: logo,
  ...orderOf(logo)
} as const
const deprecated = { _tag: "ModelDeprecated", at: 2, source: "a.yaml" } as const
const withdrawn = { _tag: "ModelWithdrawn", at: 3, source: "command" } as const

const publish = (
  definition: Offering.Definition,
  { at = 9, reactivates = false } = {}
): Offering.Command => ({ _tag: "Publish", at, source: "a.yaml", definition, reactivates })
const publishModel = (of: typeof flux, options?: Parameters<typeof publish>[1]) =>
  publish({ kind: "model", model: of }, options)
const deprecate: Offering.Command = { _tag: "Deprecate", at: 2, source: "a.yaml" }
const withdraw: Offering.Command = { _tag: "Withdraw", at: 3, source: "command", kind: "model" }

describe("An endpoint of the catalog", () => {
  it("is published with its whole definition, and offered", () => {
    given(aggregate)
      .when(publishModel(flux, { at: 1 }))
      .expectEvents(published(flux))
      .expectView((state) => state, {
        _tag: "Published",
        kind: "model",
        version: flux.version,
        texts: MemberOrder.textsOf(flux),
        status: "active"
      })
    given(aggregate)
      .when(publish({ kind: "wrapper", wrapper: logo }, { at: 1 }))
      .expectEvents(wrapperPublished)
      .expectView((state) => state, {
        _tag: "Published",
        kind: "wrapper",
        version: logo.version,
        texts: MemberOrder.textsOf(logo),
        status: "active"
      })
  })

  it("leads to no event for an unchanged definition", () => {
    for (const reactivates of [false, true]) {
      given(aggregate, [published(flux)])
        .when(publishModel(flux, { reactivates }))
        .expectNothing()
      given(aggregate, [wrapperPublished])
        .when(publish({ kind: "wrapper", wrapper: logo }, { reactivates }))
        .expectNothing()
    }
  })

  it("is published again, as the same version, for another order of its members", () => {
    const one = { ...flux, exampleInput: { apple: 1, zebra: 2 } }
    const other = { ...flux, exampleInput: { zebra: 2, apple: 1 } }
    assert.notProperty(MemberOrder.textsOf(one) ?? {}, "exampleInput")
    assert.propertyVal(MemberOrder.textsOf(other) ?? {}, "exampleInput", '{"zebra":2,"apple":1}')
    given(aggregate, [published(one)])
      .when(publishModel(other))
      .expectEvents(published(other, 9))
      .when(publishModel(other))
      .expectNothing()
    given(aggregate, [published(one), deprecated])
      .when(publishModel(other))
      .expectNothing()
  })

  it("publishes a changed definition, also an earlier one, which becomes current again", () => {
    for (const before of [[], [deprecated], [deprecated, withdrawn]]) {
      given(aggregate, [published(flux), ...before])
        .when(publishModel(better, { at: 9 }))
        .expectEvents(published(better, 9))
        .expectState((state) => state._tag === "Published" && state.status === "active")
        .when(publishModel(flux, { at: 10 }))
        .expectEvents(published(flux, 10))
    }
  })

  it("that is deprecated or withdrawn is offered again unchanged only on request", () => {
    for (const before of [[deprecated], [withdrawn]]) {
      given(aggregate, [published(flux), ...before])
        .when(publishModel(flux))
        .expectNothing()
        .when(publishModel(flux, { reactivates: true }))
        .expectEvents({ _tag: "ModelReactivated", at: 9, source: "a.yaml" })
        .expectState((state) => state._tag === "Published" && state.status === "active")
        .when(publishModel(flux, { reactivates: true }))
        .expectNothing()
    }
  })

  it("keeps its kind, even when it was withdrawn", () => {
    for (const events of [[published(flux)], [published(flux), withdrawn]]) {
      given(aggregate, events)
        .when(publish({ kind: "wrapper", wrapper: logo }))
        .expectRejection("EndpointTaken")
    }
    given(aggregate, [wrapperPublished]).when(publishModel(flux)).expectRejection("EndpointTaken")
  })

  it("is deprecated once", () => {
    given(aggregate, [published(flux)])
      .when(deprecate)
      .expectEvents(deprecated)
      .when(deprecate)
      .expectNothing()
  })

  it("is withdrawn once, deprecated or not", () => {
    for (const before of [[], [deprecated]]) {
      given(aggregate, [published(flux), ...before])
        .when(withdraw)
        .expectEvents(withdrawn)
        .when(withdraw)
        .expectRejection("ItemNotFound")
        .when(deprecate)
        .expectRejection("ItemNotFound")
    }
  })

  it("that was never published, or is of the other kind, is not found", () => {
    given(aggregate).when(deprecate).expectRejection("ItemNotFound")
    given(aggregate).when(withdraw).expectRejection("ItemNotFound")
    given(aggregate, [wrapperPublished]).when(withdraw).expectRejection("ItemNotFound")
  })

  it("accepts any event on the log in any state", () => {
    const { evolve, initial } = aggregate.decider
    const reactivated = { _tag: "ModelReactivated", at: 1, source: "command" } as const
    for (const event of [deprecated, withdrawn, reactivated])
      assert.strictEqual(evolve(initial, event), initial)
  })
})
