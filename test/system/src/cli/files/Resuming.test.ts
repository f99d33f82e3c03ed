import * as fs from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Environment from "#test/support/src/cli/files/Environment.ts"
import * as FaultyServer from "#test/support/src/cli/files/FaultyServer.ts"

class Server extends Context.Service<Server, FaultyServer.FaultyServer>()("test/Server") {}

const { inParts, isPut, MiB, puts, urlIn } = Environment

/** Timeout in ms, because some tests run a dozen processes. */
const timeout = 60_000

const setUp = Effect.gen(function* () {
  const server = yield* Server
  return { server, cli: yield* Environment.make(server) }
})

layer(Layer.effect(Server, FaultyServer.make), { timeout })("files upload, interrupted,", (it) => {
  it.effect(
    "resumes after Ctrl-C with the missing parts",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(22 * MiB)
        const path = cli.file("large.bin", body)
        const held = Promise.withResolvers<void>()
        const reached = Promise.withResolvers<void>()
        server.faults((request) => {
          if (!isPut(request) || puts(server) < 3) return null
          reached.resolve()
          return { _tag: "Hold", until: held.promise }
        })
        const command = cli.begin("upload", path, ...inParts, "--concurrency", "1")
        yield* Effect.promise(() => reached.promise)
        command.kill("SIGINT")
        const { code, stderr, stdout } = yield* Effect.promise(() => command.ended)
        assert.deepStrictEqual([code, stdout], [130, ""])
        assert.match(stderr, /Run the same command again/)

        const [state = "", ...others] = cli.states()
        assert.lengthOf(others, 0)
        assert.strictEqual(fs.statSync(state).mode & 0o777, 0o600)
        assert.notInclude(fs.readFileSync(state, "utf8"), Environment.secret)

        server.faults(() => null)
        const url = urlIn(yield* cli.run("upload", path, ...inParts))
        assert.strictEqual(puts(server), 3)
        assert.lengthOf(
          server.seen().filter(({ path }) => path.endsWith("/initiate-multipart")),
          0
        )
        assert.strictEqual(
          Environment.digest((yield* Environment.fetched(url)).body),
          Environment.digest(body)
        )
        assert.lengthOf(cli.states(), 0)
      }).pipe(Effect.scoped),
    timeout
  )

  /** An upload with only its first part stored. */
  const cutOff = Effect.fnUntraced(function* (
    cli: Environment.Environment,
    server: FaultyServer.FaultyServer,
    path: string
  ) {
    server.faults((request) =>
      isPut(request) && puts(server) > 1 ? { _tag: "Answer", status: 400, body: { error: "no" } } : null
    )
    const ended = yield* cli.run("upload", path, ...inParts, "--concurrency", "1")
    assert.strictEqual(ended.code, 1)
    assert.match(ended.stderr, /Run the same command again/)
    server.faults(() => null)
  })

  it.effect(
    "never combines a changed file with parts of its previous version",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const time = new Date("2026-01-01T00:00:00Z")
        const path = cli.file("large.bin", Environment.bytes(11 * MiB))
        fs.utimesSync(path, time, time)
        yield* cutOff(cli, server, path)
        const changed = Environment.bytes(11 * MiB)
        fs.writeFileSync(path, changed)
        fs.utimesSync(path, time, time)
        const url = urlIn(yield* cli.run("upload", path, ...inParts))
        assert.strictEqual(puts(server), 3)
        assert.lengthOf(
          server.seen().filter(({ path }) => path.includes("/storage/upload/parts?")),
          1
        )
        assert.strictEqual(
          Environment.digest((yield* Environment.fetched(url)).body),
          Environment.digest(changed)
        )
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "starts again when the server does not know the upload",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(11 * MiB)
        const path = cli.file("large.bin", body)
        yield* cutOff(cli, server, path)
        server.faults(({ path }) =>
          path.includes("/storage/upload/parts?")
            ? { _tag: "Answer", status: 404, body: { error: "no" } }
            : null
        )
        const url = urlIn(yield* cli.run("upload", path, ...inParts))
        assert.strictEqual(puts(server), 3)
        assert.strictEqual(
          Environment.digest((yield* Environment.fetched(url)).body),
          Environment.digest(body)
        )
        assert.lengthOf(cli.states(), 0)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "treats an upload as done if the server completed it and the answer was lost",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(6 * MiB)
        const path = cli.file("large.bin", body)
        const completed = Promise.withResolvers<void>()
        server.faults(({ path }) => {
          if (!path.endsWith("/complete")) return null
          completed.resolve()
          return { _tag: "CutAnswer", after: 0 }
        })
        const command = cli.begin("upload", path, ...inParts)
        yield* Effect.promise(() => completed.promise)
        command.kill("SIGKILL")
        yield* Effect.promise(() => command.ended)
        assert.lengthOf(cli.states(), 1)

        server.faults(() => null)
        const url = urlIn(yield* cli.run("upload", path, ...inParts))
        assert.strictEqual(puts(server), 0)
        assert.strictEqual(
          Environment.digest((yield* Environment.fetched(url)).body),
          Environment.digest(body)
        )
        assert.lengthOf(cli.states(), 0)
      }).pipe(Effect.scoped),
    timeout
  )
})
