/** Runs the tests of the Python package with the system's Python, against a server in this process. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as PythonDriver from "#test/support/clients/PythonDriver.ts"
import * as Python from "./Python.ts"
import * as RunningServer from "#test/support/clients/RunningServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { TestServer } from "#test/support/TestServer.ts"

const { folder, python } = PythonDriver

const pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]

interface Outcome {
  readonly id: string
  readonly outcome: "passed" | "failed" | "skipped"
  readonly text: string
}

/** The names of all cases, such as `tests/test_client.py::test_shows_its_key_nowhere`. */
const names = (): ReadonlyArray<string> => {
  if (python === undefined) return []
  const { stdout } = childProcess.spawnSync(python, [...pytest, "--collect-only"], {
    cwd: folder,
    env: PythonDriver.environment,
    encoding: "utf8"
  })
  return stdout.split("\n").filter((line) => line.includes("::"))
}

const run = (
  program: string,
  server: TestServer["Service"],
  report: string
): Promise<ReadonlyArray<Outcome>> =>
  new Promise((resolve) => {
    const child = childProcess.spawn(program, pytest, {
      cwd: folder,
      env: {
        ...PythonDriver.environment,
        MYPY_CACHE_DIR: Python.mypyCache,
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
  it.effect.skipIf(python === undefined)("has tests", () =>
    Effect.sync(() => assert.isAbove(names().length, 20))
  )

  it.effect.each(names())("%s", (name) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const directory = yield* TempDirectory.make
      const all = yield* Effect.promise(
        () => (outcomes ??= run(python ?? "", server, path.join(directory, "report.jsonl")))
      )
      const found = all.find(({ id }) => id === name)
      // A machine may lack mypy or wheel; CI has them.
      const isLacking = found?.outcome === "skipped" && found.text.includes("could not import")
      if (!isLacking) assert.strictEqual(found?.outcome, "passed", found?.text ?? "it did not run")
    })
  )
})
