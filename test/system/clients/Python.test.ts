/** Runs the tests of the Python package with the system's Python, against a server in this process. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Python from "#test/support/clients/Python.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { TestServer } from "#test/support/TestServer.ts"

interface Outcome {
  readonly id: string
  readonly outcome: "passed" | "failed" | "skipped"
  readonly text: string
}

const tests = path.join(Python.folder, "tests")

/** The ids of all tests, without their parameters, such as `tests/test_client.py::test_shows_its_key_nowhere`. */
const ids: ReadonlyArray<string> = fs
  .readdirSync(tests)
  .filter((name) => name.startsWith("test_"))
  .flatMap((name) => {
    const text = fs.readFileSync(path.join(tests, name), "utf8")
    return [...text.matchAll(/^def (test_\w+)/gm)].map(([, test = ""]) => `tests/${name}::${test}`)
  })

const run = (server: TestServer["Service"], report: string): Promise<ReadonlyArray<Outcome>> =>
  new Promise((resolve) => {
    const child = childProcess.spawn(Python.command, ["-m", "pytest", "-q", "-p", "no:cacheprovider"], {
      cwd: Python.folder,
      env: {
        ...process.env,
        ...Python.environment,
        REPORT: report,
        INFERLOG_TEST_URL: server.urls.baseUrl,
        INFERLOG_TEST_KEY: server.key.replace("Key ", "")
      },
      stdio: "ignore"
    })
    child.on("exit", () => {
      const lines = fs.existsSync(report) ? fs.readFileSync(report, "utf8").trim().split("\n") : []
      // What `clients/python/tests/conftest.py` writes.
      resolve(lines.map((line) => JSON.parse(line) as Outcome))
    })
  })

let outcomes: Promise<ReadonlyArray<Outcome>> | undefined

layer(RunningServer.layer, { excludeTestServices: true, timeout: 120_000 })("the Python package", (it) => {
  it("has tests", () => assert.isAbove(ids.length, 20))

  const test = Python.has("pytest") ? it.effect : it.effect.skip
  for (const id of ids)
    test(id, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const directory = yield* TempDirectory.make
        const all = yield* Effect.promise(
          () => (outcomes ??= run(server, path.join(directory, "report.jsonl")))
        )
        const own = all.filter((one) => one.id === id || one.id.startsWith(`${id}[`))
        assert.isNotEmpty(own, "it did not run")
        for (const { outcome, text } of own) {
          // A machine may lack wheel; CI has it.
          const isLacking = outcome === "skipped" && text.includes("could not import")
          if (!isLacking) assert.strictEqual(outcome, "passed", text)
        }
      })
    )
})
