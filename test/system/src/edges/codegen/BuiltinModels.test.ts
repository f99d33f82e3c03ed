/** Generated code for the models that ship with the server: it compiles, refuses wrong inputs, and runs. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as url from "node:url"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Inferlog, RequestOutcomeError } from "#clients/typescript/index.ts"
import { camel, pascal } from "#src/edges/codegen/Identifiers.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as GeneratedProject from "#test/support/src/edges/codegen/GeneratedProject.ts"

/** They end without an output, whatever they are given. */
const failing = ["sandbox/fail", "sandbox/invalid-output", "sandbox/provider-fail"]

const codegen = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { urls } = yield* TestServer.TestServer
  // The catalog is public: a key that the server would refuse is not sent.
  const env = { INFERLOG_API_KEY: "revoked:0123456789abcdef" }
  return yield* Effect.promise(() => InProcess.run(["codegen", "--url", urls.baseUrl, ...args], env))
})

const client = Effect.map(
  TestServer.TestServer,
  ({ key, urls }) => new Inferlog({ url: urls.baseUrl, key: key.replace("Key ", "") })
)

const examples = Effect.gen(function* () {
  const { catalog } = yield* client
  return yield* Effect.promise(async () => {
    const found: Record<string, unknown> = {}
    for await (const { exampleInput, modelEndpoint } of catalog.models()) found[modelEndpoint] = exampleInput
    for await (const { exampleInput, modelEndpoint } of catalog.wrappers())
      found[modelEndpoint] = exampleInput
    return found
  })
})

/** What applications do, right and wrong. */
const usage = `
import { Inferlog } from "@inferlog/client"
import { type Models, sandboxEcho, sandboxStreamStream, visionOcr } from "./models.ts"

const inferlog = new Inferlog<Models>()

const { text, words } = await visionOcr(inferlog, { image: new Blob(["x"]), language: "eng" }, { timeout: 1_000 })
export const sizes: ReadonlyArray<number> = words.map(({ box }) => box.width * text.length)
const { value } = await inferlog.run("sandbox/echo", { value: [1] })
export const echoed: unknown = value
for await (const event of sandboxStreamStream(inferlog, { text: "x" })) {
  if (event.type === "chunk") event.data.toUpperCase()
}

// @ts-expect-error a model that is not there
void inferlog.run("vision/ocrr", { image: "" })
// @ts-expect-error a field that is missing
void visionOcr(inferlog, { language: "eng" })
// @ts-expect-error a value that is not allowed
void visionOcr(inferlog, { image: "", language: "fr" })
// @ts-expect-error a field that is not there
void sandboxEcho(inferlog, { value: 1, delay: 1 })
// @ts-expect-error a field of another type
void sandboxEcho(inferlog, { value: 1, delayMs: "1" })
// @ts-expect-error an output that is none
void sizes.confidence
// @ts-expect-error a chunk is a text here
for await (const event of sandboxStreamStream(inferlog, {})) if (event.type === "chunk") event.data.x
`

layer(RunningServer.layer, { excludeTestServices: true, timeout: 120_000 })("inferlog codegen", (it) => {
  it.effect("writes TypeScript that takes right inputs, and refuses wrong ones", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const { code, stderr, stdout } = yield* codegen("--lang", "ts")
      assert.deepStrictEqual([code, stderr], [0, ""])
      const given = Object.entries(yield* examples)
      assert.isAbove(given.length, 15)
      const inputs = given.map(
        ([name, input]) => `export const ${camel(name)}: ${pascal(name)}Input = ${JSON.stringify(input)}\n`
      )
      const problems = yield* Effect.promise(() =>
        GeneratedProject.typeScriptProblems(folder, {
          "models.ts": stdout,
          "usage.ts": usage,
          "inputs.ts": `import type { ${given.map(([name]) => `${pascal(name)}Input`).join(", ")} } from "./models.ts"\n${inputs.join("")}`
        })
      )
      assert.strictEqual(problems, "")
    })
  )

  it.effect("writes functions that run each model", () =>
    Effect.gen(function* () {
      const file = path.join(yield* TempDirectory.make, "models.ts")
      yield* codegen("--lang", "ts", "--out", file)
      const functions: Record<string, (inferlog: unknown, input: unknown) => Promise<unknown>> =
        yield* Effect.promise(() => import(/* @vite-ignore */ url.pathToFileURL(file).href))
      const inferlog = yield* client
      const given = Object.entries(yield* examples)
      yield* Effect.forEach(
        given,
        ([name, input]) =>
          Effect.promise(async () => {
            const ran = functions[camel(name)]?.(inferlog, input)
            if (failing.includes(name)) {
              const error = await ran?.then(String, (error) => error)
              assert.instanceOf(error, RequestOutcomeError, name)
            } else assert.isDefined(await ran, name)
          }),
        { concurrency: "unbounded" }
      )
    })
  )

  it.effect("writes a file once, and says with --check whether it is up to date", () =>
    Effect.gen(function* () {
      const file = path.join(yield* TempDirectory.make, "models.py")
      const args = ["--lang", "py", "--model", "vision/ocr", "--model", "sandbox/stream", "--out", file]
      const missing = yield* codegen(...args, "--check")
      assert.deepStrictEqual([missing.code, fs.existsSync(file)], [1, false])
      const written = yield* codegen(...args)
      assert.deepStrictEqual([written.code, written.stdout], [0, ""])
      assert.include(written.stderr, "Wrote 2 models")
      const checked = yield* codegen(...args, "--check")
      assert.deepStrictEqual([checked.code, checked.stdout], [0, ""])
      fs.appendFileSync(file, "\n")
      const changed = yield* codegen(...args, "--check")
      assert.strictEqual(changed.code, 1)
      assert.match(changed.stderr, /models\.py is not up to date/)
    })
  )

  it.effect("refuses models that are not there, and --check without a file", () =>
    Effect.gen(function* () {
      const unknown = yield* codegen("--lang", "ts", "--model", "vision/nothing")
      assert.strictEqual(unknown.code, 2)
      assert.match(unknown.stderr, /There is no model vision\/nothing at http/)
      assert.strictEqual((yield* codegen("--lang", "ts", "--check")).code, 2)
      assert.strictEqual((yield* codegen("--lang", "ts", "--url", "http://u:p@127.0.0.1:1")).code, 2)
    })
  )
})
