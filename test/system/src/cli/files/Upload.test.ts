import * as fs from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
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

/** Whether the output is one line and readable without a key. */
const assertOneLine = ({ stderr, stdout }: Inferlog.Ended, expected: RegExp) => {
  assert.match(stderr, expected)
  assert.match(stderr, /^inferlog: [^\n]+\n$/)
  assert.notInclude(stderr + stdout, Environment.secret)
}

layer(Layer.effect(Server, FaultyServer.make), { timeout })("files upload", (it) => {
  it.effect(
    "sends a small file in one PUT with its type and no key, and prints its URL",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(100_000)
        const uploaded = yield* cli.run("upload", cli.file("müll & co.csv", body))
        const found = yield* Environment.fetched(urlIn(uploaded))
        assert.strictEqual(found.status, 200)
        assert.match(found.contentType ?? "", /^text\/csv/)
        assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
        assert.match(urlIn(uploaded), /-m%C3%BCll%20%26%20co\.csv$/)
        const [put] = server.seen().filter(isPut)
        assert.strictEqual(put?.headers["content-type"], "text/csv")
        assert.isUndefined(put?.headers.authorization)
        assert.lengthOf(cli.states(), 0)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "sends several files in order, also an empty one, and prints a line of JSON for each",
    () =>
      Effect.gen(function* () {
        const { cli } = yield* setUp
        const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
        const paths = [cli.file("empty.txt", ""), cli.file("picture", png)]
        const { code, stderr, stdout } = yield* cli.run("upload", ...paths, "--json")
        assert.deepStrictEqual([code, stderr], [0, ""])
        const uploaded = stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.deepStrictEqual(
          uploaded.map(({ contentType, fileName, path, size }) => [path, fileName, contentType, size]),
          [
            [paths[0], "empty.txt", "text/plain", 0],
            [paths[1], "picture", "image/png", png.length]
          ]
        )
        for (const { fileId, fileUrl } of uploaded) assert.include(fileUrl, `/media/${fileId}/`)
        assert.lengthOf((yield* Environment.fetched(uploaded[0].fileUrl)).body, 0)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "sends a large file in parts with the given name and content type",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(11 * MiB + 7)
        const path = cli.file("large.bin", body)
        const url = urlIn(
          yield* cli.run("upload", path, ...inParts, "--name", "film.mp4", "--content-type", "video/mp4")
        )
        const found = yield* Environment.fetched(url)
        assert.strictEqual(found.contentType, "video/mp4")
        assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
        assert.match(url, /-film\.mp4$/)
        assert.strictEqual(puts(server), 3)
        assert.lengthOf(cli.states(), 0)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "sends a part again when its connection breaks, the server is busy, or its URL has expired",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(16 * MiB)
        const expired = { error: "The URL has expired.", request_id: "r", details: { code: "URL_EXPIRED" } }
        server.faults((request) => {
          if (!isPut(request)) return null
          if (puts(server) === 1) return { _tag: "CutRequest", after: MiB }
          if (puts(server) === 2) return { _tag: "Answer", status: 503, headers: { "retry-after": "1" } }
          if (puts(server) === 3) return { _tag: "Answer", status: 403, body: expired }
          return null
        })
        const uploaded = yield* cli.run("upload", cli.file("large.bin", body), ...inParts)
        const found = yield* Environment.fetched(urlIn(uploaded))
        assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
        assert.strictEqual(puts(server), 4 + 3)
        const asked = server.seen().filter(({ path }) => path.includes("/multipart-url?"))
        // Only an expired URL is replaced.
        assert.lengthOf(asked, 4 + 1)
        assert.match(uploaded.stderr, /Refused with 503: .+; next try in [1-2] s\.\n/)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "announces a small file again when its URL has expired, and recovers from a lost answer",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(1_000)
        const expired = { error: "The URL has expired.", request_id: "r", details: { code: "URL_EXPIRED" } }
        server.faults((request) => {
          if (!isPut(request)) return null
          if (puts(server) === 1) return { _tag: "Answer", status: 403, body: expired }
          return puts(server) === 2 ? { _tag: "CutAnswer", after: 0 } : null
        })
        const url = urlIn(yield* cli.run("upload", cli.file("small.bin", body)))
        assert.strictEqual(
          Environment.digest((yield* Environment.fetched(url)).body),
          Environment.digest(body)
        )
        const initiated = server.seen().filter(({ path }) => path.endsWith("/initiate"))
        assert.lengthOf(initiated, 2)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "recovers from a lost answer to complete",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const body = Environment.bytes(6 * MiB)
        server.faults(({ path }, turn) =>
          path.endsWith("/complete") && turn === 1 ? { _tag: "CutAnswer", after: 0 } : null
        )
        const url = urlIn(yield* cli.run("upload", cli.file("large.bin", body), ...inParts))
        assert.strictEqual(
          Environment.digest((yield* Environment.fetched(url)).body),
          Environment.digest(body)
        )
        assert.lengthOf(cli.states(), 0)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "detects that a file changes while it is read, and stores no file",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const path = cli.file("large.bin", Environment.bytes(11 * MiB))
        const changed = Promise.withResolvers<void>()
        server.faults((request) => {
          if (!isPut(request) || puts(server) > 1) return null
          fs.appendFileSync(path, "more")
          changed.resolve()
          return { _tag: "Hold", until: changed.promise }
        })
        const { code, stderr, stdout } = yield* cli.run("upload", path, ...inParts)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, /^inferlog: .+large\.bin: changed during the upload/m)
        assert.lengthOf(
          server.seen().filter(({ path }) => path.endsWith("/complete")),
          0
        )
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "reports in one line why nothing was uploaded, without the key",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const path = cli.file("small.bin", "x")
        const wrongKey = yield* cli.run("upload", path, "--key", `nobody:${Environment.secret}`)
        assert.strictEqual(wrongKey.code, 1)
        assertOneLine(wrongKey, /Refused with 401: .+INFERLOG_API_KEY/)

        const port = yield* Effect.promise(ServerProcess.freePort)
        const nobody = yield* cli.run("upload", path, "--url", `http://127.0.0.1:${port}`)
        assert.strictEqual(nobody.code, 1)
        assertOneLine(nobody, new RegExp(`http://127\\.0\\.0\\.1:${port} does not answer: .*ECONNREFUSED`))

        const details = { code: "QUOTA_EXCEEDED" }
        server.faults(() => ({
          _tag: "Answer",
          status: 413,
          body: { error: "Too much.", request_id: "r", details }
        }))
        const quota = yield* cli.run("upload", path)
        assert.strictEqual(quota.code, 1)
        assertOneLine(quota, /Refused with 413 QUOTA_EXCEEDED: Too much\./)
        assert.lengthOf(server.seen(), 1)

        const missing = yield* cli.run("upload", cli.at("nothing"))
        assert.strictEqual(missing.code, 1)
        assertOneLine(missing, /nothing: cannot be read: ENOENT/)
        const folder = yield* cli.run("upload", cli.at("."))
        assert.strictEqual(folder.code, 1)
        assertOneLine(folder, /not a regular file/)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "exits with 2 for wrong arguments, and prints neither key nor address",
    () =>
      Effect.gen(function* () {
        const { cli } = yield* setUp
        const path = cli.file("small.bin", "x")
        const wrong: ReadonlyArray<ReadonlyArray<string>> = [
          ["upload"],
          ["upload", path, path, "--name", "one"],
          ["upload", path, "--part-size", "4MiB"],
          ["upload", path, "--part-size", "huge"],
          ["upload", path, "--content-type", "picture"],
          ["upload", path, "--concurrency", "0"],
          ["upload", path, "--url", "ftp://user:hunter2@host"],
          ["upload", path, "--key", "hunter2 with spaces"]
        ]
        const ends = yield* Effect.forEach(wrong, (args) => cli.run(...args), { concurrency: 4 })
        for (const [index, { code, stderr, stdout }] of ends.entries()) {
          assert.strictEqual(code, 2, wrong[index]?.join(" "))
          assert.notMatch(stderr + stdout, /hunter2|\n\s+at /)
        }
        const typed = ends[wrong.findIndex((args) => args.includes("--content-type"))]
        assert.match(typed?.stderr ?? "", /Expected a media type such as image\/png/)
        assert.notInclude(typed?.stderr ?? "", "RegExp")
        const { INFERLOG_API_KEY: _key, ...keyless } = cli.settings
        const ended = yield* Inferlog.run(["files", "upload", path], keyless)
        assert.strictEqual(ended.code, 2)
        assertOneLine(ended, /INFERLOG_API_KEY: Expected an API key/)
      }).pipe(Effect.scoped),
    timeout
  )
})
