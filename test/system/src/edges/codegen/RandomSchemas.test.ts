/** Types of random schemas compile, and take what the schemas accept. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as ModelTypes from "#src/edges/codegen/ModelTypes.ts"
import * as PythonModels from "#src/edges/codegen/PythonModels.ts"
import * as TypeScriptTypes from "#src/edges/codegen/TypeScriptTypes.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as RandomSchemas from "#test/support/src/edges/codegen/RandomSchemas.ts"

const seed = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31))
const numRuns = 60

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

const found = fc.sample(RandomSchemas.samples, { seed, numRuns })

const models = found.map(({ schema }, index): ModelTypes.CatalogModel => ({
  modelEndpoint: `test/m${String(index).padStart(4, "0")}`,
  description: RandomSchemas.hostile[index % RandomSchemas.hostile.length] ?? "",
  isDeprecated: index % 7 === 0,
  stream: [null, "items", "last"][index % 3] ?? null,
  input: schema,
  output: schema
}))

/**
 * The same, where objects have only the fields that are described: generated types have no others, unless `additionalProperties` says so.
 * Parts of `allOf` are one object.
 */
const closed = (schema: unknown, isPart = false): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => closed(one))
  if (typeof schema !== "object" || schema === null) return schema
  const inner = Object.entries(schema).map(([key, value]) => {
    if (key === "enum" || key === "const" || key === "required") return [key, value]
    if (key === "properties" || key === "$defs")
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))]
    return [key, key === "allOf" ? value.map((one: unknown) => closed(one, true)) : closed(value)]
  })
  const isObject = "properties" in schema || "allOf" in schema
  const isOpen = isObject && !isPart && !("additionalProperties" in schema)
  return { ...Object.fromEntries(inner), ...(isOpen && { unevaluatedProperties: false }) }
}

/** The values that the schema accepts. A schema that does not compile accepts none. */
const valid = ({ schema, values }: RandomSchemas.Sample): ReadonlyArray<RandomSchemas.Json> => {
  try {
    const validate = [schema, closed(schema)].map((schema) => ajv.compile(schema as boolean | object))
    return values.filter((value) => validate.every((accepts) => accepts(value)))
  } catch {
    return []
  }
}

const typeScript = (): string => {
  const parts = ModelTypes.typed(models, TypeScriptTypes.reserved).flatMap(
    ({ input, inputs, output, outputs }, index) => {
      const values = valid(found[index] ?? { schema: false, values: [] })
      return [
        ...inputs.map((definition) => TypeScriptTypes.definition(definition, { isInput: true })),
        ...outputs.map((definition) => TypeScriptTypes.definition(definition, { isInput: false })),
        ...values.flatMap((value, at) => [
          `export const i${index}_${at}: ${input} = ${JSON.stringify(value)}`,
          `export const o${index}_${at}: ${output} = ${JSON.stringify(value)}`
        ])
      ]
    }
  )
  return parts.join("\n")
}

const run = (command: string, args: ReadonlyArray<string>, cwd: string) => {
  const { status, stderr, stdout } = childProcess.spawnSync(command, args, { cwd, encoding: "utf8" })
  return { status, text: `${stdout}${stderr}` }
}

const tsc = path.resolve(import.meta.dirname, "../../../../../node_modules/typescript/bin/tsc")

describe(`Types of ${numRuns} random schemas (SEED=${seed})`, () => {
  it.effect("compile strictly, and take each value that the schema accepts", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const text = typeScript()
      fs.writeFileSync(`${folder}/types.ts`, text)
      assert.isAbove(text.split("\n").filter((line) => line.startsWith("export const ")).length, numRuns)
      const flags = [
        "--strict",
        "--exactOptionalPropertyTypes",
        "--noEmit",
        "--types",
        "",
        "--lib",
        "ES2024,DOM"
      ]
      const { text: problems } = run(process.execPath, [tsc, ...flags, "types.ts"], folder)
      assert.strictEqual(problems, "")
    }).pipe(Effect.scoped)
  )

  it.effect("are modules of Python that compile", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      fs.writeFileSync(
        `${folder}/types.py`,
        PythonModels.text({ models, url: "http://127.0.0.1", version: "1" })
      )
      const check = "import ast; ast.parse(open('types.py', encoding='utf-8').read())"
      assert.strictEqual(run("python3", ["-I", "-c", check], folder).text, "")
    }).pipe(Effect.scoped)
  )
})
