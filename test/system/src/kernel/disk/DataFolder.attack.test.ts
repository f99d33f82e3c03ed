/**
 * The real program refuses or repairs a faulty `DATA_DIR` at start and never ignores the fault.
 * @cost Each fault of a data folder needs a start of its own.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const modeOf = (file: string) => fs.statSync(file).mode & 0o777

const settingsOf = (directory: string): Inferlog.Settings => ({
  DATA_DIR: directory,
  BOOTSTRAP_API_KEY: ServerProcess.apiKey
})

const start = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () =>
      ServerProcess.start({ dataDirectory: directory, port: await ServerProcess.freePort() })
    ),
    (server) => Effect.promise(() => server.kill("SIGKILL"))
  )

/** A directory in which the first server ran and was killed, and what that server printed. */
const made = Effect.gen(function* () {
  const directory = path.join(yield* TempDirectory.make, "data")
  const output = yield* Effect.scoped(Effect.map(start(directory), (server) => server.output()))
  return { directory, output }
})

const scope = Scope.makeUnsafe()
let first: Effect.Success<typeof made>
beforeAll(async () => {
  first = await Effect.runPromise(made.pipe(Effect.provideService(Scope.Scope, scope)))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** A copy of the first server's directory. */
const used = Effect.map(TempDirectory.make, (parent) => {
  const directory = path.join(parent, "data")
  fs.cpSync(first.directory, directory, { recursive: true, preserveTimestamps: true })
  return directory
})

/** Expects that the server refuses to start, and returns its errors. */
const refused = (directory: string, settings: Inferlog.Settings = {}) =>
  Effect.map(
    Inferlog.spawn(["serve"], { ...settingsOf(directory), PORT: "1", ...settings }),
    ({ code, stderr }) => {
      assert.strictEqual(code, 1)
      return stderr
    }
  )

const signingSecret = (url: string) =>
  fetch(`${url}/webhooks/default/secret`, { headers: ServerProcess.authorization })

describe("B4: a truncated log.head", () => {
  it.live("prevents the start and stays unchanged until it is accepted", () =>
    Effect.gen(function* () {
      const directory = yield* used
      const head = path.join(directory, "log.head")
      fs.truncateSync(head, 1)
      assert.match(yield* refused(directory), /log\.head is damaged.*inferlog log accept-head/)
      assert.strictEqual(fs.statSync(head).size, 1)
      const { code } = yield* Inferlog.spawn(["log", "accept-head"], { DATA_DIR: directory })
      assert.strictEqual(code, 0)
      const { stdout } = yield* Inferlog.run(["log", "tail", "--json", "--type", "LogHeadAccepted"], {
        DATA_DIR: directory
      })
      assert.include(stdout, '"fault":"damaged"')
      yield* Inferlog.serve(settingsOf(directory))
    }).pipe(Effect.scoped)
  )
})

describe("B5: files in DATA_DIR that other users may read", () => {
  it.live("lose the permissions of other users at start, with a warning for each", () =>
    Effect.gen(function* () {
      const directory = yield* used
      for (const name of ["archive", "archive-cache"]) fs.mkdirSync(path.join(directory, name))
      const names = ["master.key", "log.sqlite", "projections.sqlite", "archive", "archive-cache", "."]
      const files = names.map((name) => path.join(directory, name))
      for (const file of files) fs.chmodSync(file, 0o755)
      const server = yield* start(directory)
      for (const file of files) {
        assert.strictEqual(modeOf(file) & 0o077, 0, file)
        assert.include(server.output(), `${path.normalize(file).replace(/\/$/, "")} was open to other users`)
      }
    }).pipe(Effect.scoped)
  )
})

describe("E6: a missing DATA_DIR", () => {
  it.live("is rejected, empty or missing, if data is expected, and nothing is created", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const directory = path.join(parent, "data")
      const expecting = { EXPECT_DATA: "true" }
      assert.match(yield* refused(directory, expecting), /EXPECT_DATA: there is no log in .*inferlog init/)
      fs.mkdirSync(directory)
      assert.match(yield* refused(directory, expecting), /EXPECT_DATA: there is no log in/)
      assert.deepStrictEqual(fs.readdirSync(directory), [])
      const accounts = ["accounts", "create", "--name", "a", "--balance", "1"]
      const { code } = yield* Inferlog.run(accounts, { DATA_DIR: directory, ...expecting })
      assert.strictEqual(code, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is created once by init, and then a server uses it", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* TempDirectory.make, "data")
      const settings = { ...settingsOf(directory), EXPECT_DATA: "true" }
      assert.strictEqual((yield* Inferlog.spawn(["init"], settings)).code, 0)
      const again = yield* Inferlog.run(["init"], settings)
      assert.deepStrictEqual([again.code, again.stdout], [1, ""])
      assert.include(again.stderr, "already contains a log")
      yield* Inferlog.serve(settings)
    }).pipe(Effect.scoped)
  )

  it.live("is reported in one line when the first start creates the log", () =>
    Effect.gen(function* () {
      const lines = (output: string) =>
        output.split("\n").filter((line) => line.includes("contains no log: creating"))
      assert.strictEqual(lines(first.output).length, 1)
      const second = yield* start(yield* used)
      assert.deepStrictEqual(lines(second.output()), [])
    }).pipe(Effect.scoped)
  )
})

describe("E7: a lost master.key", () => {
  it.live("prevents the start if the log holds secrets that are sealed with it", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* TempDirectory.make, "data")
      const server = yield* Inferlog.serve(settingsOf(directory))
      yield* Effect.promise(() => signingSecret(server.url))
      yield* server.kill("SIGKILL")
      const file = path.join(directory, "master.key")
      const key = fs.readFileSync(file, "utf8").trim()
      fs.rmSync(file)
      assert.match(yield* refused(directory), /master\.key is missing, and the log holds secrets/)
      assert.isFalse(fs.existsSync(file))
      yield* Inferlog.serve({ ...settingsOf(directory), MASTER_KEY: key })
    }).pipe(Effect.scoped)
  )

  it.live("is created again if the log holds no such secrets", () =>
    Effect.gen(function* () {
      const directory = yield* used
      fs.rmSync(path.join(directory, "master.key"))
      yield* Inferlog.serve(settingsOf(directory))
    }).pipe(Effect.scoped)
  )
})
