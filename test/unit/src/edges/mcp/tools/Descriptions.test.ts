import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { McpServer, Toolkit } from "effect/ai"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ToolCaller } from "#src/edges/mcp/ToolCaller.ts"
import * as AllTools from "#src/edges/mcp/AllTools.ts"
import * as ToolRegistration from "#src/edges/mcp/tools/ToolRegistration.ts"
import * as ToolClients from "#test/support/src/edges/mcp/tools/ToolClients.ts"

/**
 * The tools and arguments in the contract's table ("Assistant-tool server"), and the additional ones. `!` is
 * required.
 */
const contract: Readonly<Record<string, ReadonlyArray<string>>> = {
  list_models: ["search", "category", "page", "limit"],
  recommended_models: ["category"],
  get_model: ["modelEndpoint!"],
  get_model_raw_schema: ["modelEndpoint!"],
  list_wrappers: ["search", "category", "page", "limit"],
  recommended_wrappers: ["category"],
  get_wrapper: ["modelEndpoint!"],
  search: ["query!", "limit"],
  run_model: ["modelEndpoint!", "input!", "idempotencyKey", "metadata"],
  get_request: ["requestId!", "maxOutputBytes", "includeInput"],
  wait_for_request: ["requestId!", "timeoutSeconds", "pollIntervalSeconds", "maxOutputBytes"],
  upload_file: ["url", "data", "fileName", "contentType"],
  list_my_requests: ["status", "modelEndpoint", "page", "limit"]
}

const changing = new Set(["run_model", "upload_file"])

/** Fields of answers that need no description, because the server's instructions explain them. */
const plain = new Set(
  [
    ["requestId", "modelEndpoint", "displayName", "kind", "description", "category", "tags", "baseModel"],
    ["unit", "unitPrice", "minimumCharge", "currency", "pricing", "expectedSeconds", "createdAt", "metadata"],
    ["page", "limit", "total", "data", "stillRunning"],
    ["name", "required", "default", "message"],
    ["fileId", "fileName", "contentType", "sha256"]
  ].flat()
)

const uncalled = () => Effect.die("only listed")

const toolkit = Toolkit.merge(AllTools.catalogToolkit, AllTools.requestToolkit, AllTools.fileToolkit)

/** All tools as they are registered, without the services that would answer. */
const registrations = ToolRegistration.layer(toolkit).pipe(
  Layer.provide(
    toolkit.toLayer({
      list_models: uncalled,
      recommended_models: uncalled,
      get_model: uncalled,
      get_model_raw_schema: uncalled,
      list_wrappers: uncalled,
      recommended_wrappers: uncalled,
      get_wrapper: uncalled,
      search: uncalled,
      run_model: uncalled,
      get_request: uncalled,
      wait_for_request: uncalled,
      upload_file: uncalled,
      list_my_requests: uncalled
    })
  ),
  Layer.provide(McpServer.middleware<{ provides: ToolCaller }>()(uncalled).layer)
)

const listed = Effect.gen(function* () {
  const { client } = yield* ToolClients.connect(registrations)
  return (yield* client.listTools()).tools
})

/** Every schema within a schema, including itself, with its path. */
const schemasIn = function* (value: Json, path: string): Generator<readonly [string, JsonObject]> {
  if (!isObject(value)) return
  yield [path, value]
  for (const [keyword, inner] of Object.entries(value)) {
    if (keyword === "examples" || keyword === "default" || keyword === "enum") continue
    if (keyword === "properties" && isObject(inner)) {
      for (const [name, property] of Object.entries(inner)) yield* schemasIn(property, `${path}.${name}`)
    } else if (Array.isArray(inner)) {
      for (const one of inner) yield* schemasIn(one, path)
    } else yield* schemasIn(inner, path)
  }
}

const json = (value: unknown): JsonObject => {
  const parsed: Json = JSON.parse(JSON.stringify(value))
  assert.isTrue(isObject(parsed))
  return isObject(parsed) ? parsed : {}
}

describe("The list of all tools", () => {
  it.effect("contains the thirteen tools of the contract with their arguments", () =>
    Effect.gen(function* () {
      const tools = yield* listed
      assert.deepStrictEqual(
        Object.fromEntries(
          tools.map(({ inputSchema, name }) => {
            const { additionalProperties, properties, required, type } = json(inputSchema)
            assert.deepStrictEqual([type, additionalProperties], ["object", false], name)
            const needed = new Set(Array.isArray(required) ? required : [])
            const names = Object.keys(isObject(properties) ? properties : {})
            return [name, names.map((argument) => (needed.has(argument) ? `${argument}!` : argument))]
          })
        ),
        contract
      )
    })
  )

  it.effect("describes the purpose and behaviour of each", () =>
    Effect.gen(function* () {
      for (const { annotations, description = "", name, title = "" } of yield* listed) {
        assert.match(title, /^[A-Z].{3,40}$/, name)
        assert.isAtLeast(description.length, 60, name)
        assert.isAtMost(description.length, 1_024, name)
        const changes = changing.has(name)
        assert.deepStrictEqual(
          { ...annotations },
          {
            title,
            readOnlyHint: !changes,
            destructiveHint: false,
            idempotentHint: !changes,
            openWorldHint: changes
          },
          name
        )
      }
    })
  )

  it.effect("describes every argument, and every answer field that its name does not explain", () =>
    Effect.gen(function* () {
      const wanting: Array<string> = []
      for (const { inputSchema, name, outputSchema } of yield* listed) {
        for (const [kind, schema] of [
          ["arguments", json(inputSchema)],
          ["answer", json(outputSchema)]
        ] as const) {
          assert.strictEqual(schema["type"], "object", `${name} ${kind}`)
          for (const [path, { $ref, maximum, properties }] of schemasIn(schema, `${name} ${kind}`)) {
            if ($ref !== undefined) wanting.push(`${path} is a reference`)
            if (maximum === Number.MAX_SAFE_INTEGER) wanting.push(`${path} has no sensible bound`)
            for (const [property, told] of Object.entries(isObject(properties) ? properties : {})) {
              if (kind === "answer" && plain.has(property)) continue
              const description = isObject(told) ? told["description"] : undefined
              if (typeof description !== "string" || description.length < 5) {
                wanting.push(`${path}.${property} is not described`)
              }
            }
          }
        }
      }
      assert.deepStrictEqual(wanting, [])
    })
  )

  it.effect("is short: each schema, and the whole list", () =>
    Effect.gen(function* () {
      const tools = yield* listed
      for (const { inputSchema, name, outputSchema } of tools) {
        assert.isBelow(JSON.stringify(inputSchema).length, 1_400, name)
        assert.isBelow(JSON.stringify(outputSchema).length, 3_900, name)
      }
      assert.isBelow(JSON.stringify(tools).length, 41_500)
    })
  )
})
