/** The programs of docs/apps/codegen.md and docs/apps/effect.md, with the server of this process. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { helloWorld } from "#src/features/catalog/models/builtin/vision/ExampleImages.ts"
import { programOf } from "#test/support/clients/Snippets.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as Python from "#test/support/clients/Python.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as GeneratedProject from "#test/support/src/edges/codegen/GeneratedProject.ts"

const page = "docs/apps/codegen.md"

/** A folder with the picture and the files that the commands of the page write. */
const folder = Effect.gen(function* () {
  const { urls } = yield* TestServer.TestServer
  const folder = yield* TempDirectory.make
  fs.writeFileSync(path.join(folder, "sign.png"), Buffer.from(helloWorld.replace(/^.*,/, ""), "base64"))
  const commands = programOf(page, "sh").trim().split("\n")
  assert.lengthOf(commands, 2)
  for (const command of commands) {
    const [name, ...args] = command.replace("models.", path.join(folder, "models.")).split(" ")
    assert.strictEqual(name, "inferlog")
    const { code } = yield* Effect.promise(() => InProcess.run(args, { INFERLOG_URL: urls.baseUrl }))
    assert.strictEqual(code, 0)
  }
  return folder
})

const environment = Effect.map(TestServer.TestServer, ({ key, urls }) => ({
  INFERLOG_URL: urls.baseUrl,
  INFERLOG_API_KEY: key.replace("Key ", "")
}))

layer(RunningServer.layer, { excludeTestServices: true, timeout: 120_000 })("The guides", (it) => {
  it.effect("run with generated TypeScript", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const env = yield* environment
      const program = programOf(page, "ts")
      const problems = yield* Effect.promise(() =>
        GeneratedProject.typeScriptProblems(cwd, { "program.ts": program })
      )
      assert.strictEqual(problems, "")
      const { text } = yield* Effect.promise(() => GeneratedProject.runTypeScript(program, cwd, env))
      assert.match(text, /Hello/i)
    })
  )

  it.effect.skipIf(!Python.has("httpx"))("run with generated Python (skipped without httpx)", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const env = yield* environment
      fs.writeFileSync(path.join(cwd, "program.py"), programOf(page, "python"))
      const { text } = yield* Effect.promise(() => GeneratedProject.runPython(["program.py"], cwd, env))
      assert.match(text, /Hello/i)
    })
  )

  it.effect("run with Effect", () =>
    Effect.gen(function* () {
      const cwd = yield* TempDirectory.make
      const env = yield* environment
      // test/system/clients/Package.test.ts checks its types.
      const program = programOf("docs/apps/effect.md", "ts")
      const { text } = yield* Effect.promise(() => GeneratedProject.runTypeScript(program, cwd, env))
      assert.match(text, /^\{ value: 'hello' \}\n\d+ completed\n$/)
    })
  )
})
