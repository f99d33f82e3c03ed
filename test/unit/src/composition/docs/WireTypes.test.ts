import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#clients/typescript/effect/Api.ts"
import * as EffectApi from "#src/composition/docs/EffectApi.ts"
import * as WireDocument from "#src/composition/docs/WireDocument.ts"
import * as WireTypes from "#src/composition/docs/WireTypes.ts"

const written = (file: string) => fs.readFileSync(new URL(`../../../../../${file}`, import.meta.url), "utf8")

describe("The types that clients have of what travels", () => {
  it("are as the server declares them, in TypeScript (npm run docs)", () => {
    assert.strictEqual(written(WireTypes.typeScriptFile), WireTypes.typeScriptText())
  })

  it("are as the server declares them, in Python (npm run docs)", () => {
    assert.strictEqual(written(WireTypes.pythonFile), WireTypes.pythonText())
  })

  it("are as the server declares them, for Effect (npm run docs)", () => {
    assert.strictEqual(written(EffectApi.schemasFile), EffectApi.schemasText())
    assert.strictEqual(written(EffectApi.apiFile), EffectApi.apiText())
  })
})

type Json = Readonly<Record<string, unknown>>

/** Names of fields, which of them have to be there, and what holds below them. */
const outlineIn = (components: Json) => {
  const outline = (schema: unknown): unknown => {
    if (!Predicate.isObject(schema)) return null
    const { $ref: ref, anyOf, items, properties, required }: Json = { ...schema }
    if (typeof ref === "string") return outline(components[ref.slice(ref.lastIndexOf("/") + 1)])
    if (Array.isArray(anyOf)) {
      const members = anyOf.filter((member) => !isNull(member)).map(outline)
      return members.length === 1 ? members[0] : { members }
    }
    const fields = Predicate.isObject(properties) ? Object.entries(properties) : []
    return {
      ...(Predicate.isObject(items) && { items: outline(items) }),
      fields: fields.map(([name, property]) => [name, outline(property)]).toSorted(),
      required: Array.isArray(required) ? required.toSorted() : []
    }
  }
  return outline
}

const isNull = (schema: unknown) => Predicate.hasProperty(schema, "type") && schema.type === "null"

describe("The API for Effect", () => {
  it("has the operations and the bodies of the server's", () => {
    const server = WireDocument.read().document
    const own = OpenApi.fromApi(Api)
    const operations = WireDocument.operationsOf(server).map(({ operationId }) => operationId)
    const ids = Object.values(own.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) =>
        Predicate.hasProperty(operation, "operationId")
          ? [String(operation.operationId).split(".").at(-1)]
          : []
      )
    )
    assert.sameMembers(ids, operations)
    const components = Object.fromEntries(
      WireDocument.entriesOf(server["components"]).flatMap(([, all]) => WireDocument.entriesOf(all))
    )
    const ofServer = outlineIn(components)
    const ofOwn = outlineIn(own.components.schemas)
    const names = Object.keys(components).filter((name) => name in own.components.schemas)
    assert.isAbove(names.length, 60)
    for (const name of names)
      assert.deepStrictEqual(ofOwn({ $ref: `/${name}` }), ofServer({ $ref: `/${name}` }), name)
  })
})
