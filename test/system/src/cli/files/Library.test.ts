import * as fs from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as Environment from "#test/support/src/cli/files/Environment.ts"
import * as FaultyServer from "#test/support/src/cli/files/FaultyServer.ts"

class Server extends Context.Service<Server, FaultyServer.FaultyServer>()("test/Server") {}

const { MiB } = Environment

/** Timeout in ms, because some tests run a dozen processes. */
const timeout = 60_000

interface Uploaded {
  readonly fileId: string
  readonly fileUrl: string
}

const setUp = Effect.gen(function* () {
  const server = yield* Server
  const cli = yield* Environment.make(server)
  const upload = Effect.fnUntraced(function* (name: string, body: Uint8Array | string) {
    const { code, stderr, stdout } = yield* cli.run("upload", cli.file(name, body), "--json")
    assert.strictEqual(code, 0, stderr)
    return JSON.parse(stdout) as Uploaded
  })
  return { server, cli, upload }
})

const jsonOf = ({ code, stderr, stdout }: Inferlog.Ended) => {
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

layer(Layer.effect(Server, FaultyServer.make), { timeout })("files", (it) => {
  it.effect(
    "list, show and delete uploads",
    () =>
      Effect.gen(function* () {
        const { cli, upload } = yield* setUp
        const first = yield* upload("a.txt", "first")
        const second = yield* upload("b.png", "second")

        const listed = jsonOf(yield* cli.run("list", "--limit", "2", "--json"))
        assert.deepStrictEqual(
          listed.files.map(({ fileName, id }: { fileName: string; id: string }) => [id, fileName]),
          [
            [second.fileId, "b.png"],
            [first.fileId, "a.txt"]
          ]
        )
        const one = yield* cli.run("list", "--limit", "1")
        assert.include(one.stdout, "b.png")
        assert.notInclude(one.stdout, "a.txt")
        assert.match(one.stderr, /^\d+ files match: raise --limit/)
        const outputs = yield* cli.run("list", "--source", "output")
        assert.deepStrictEqual([outputs.code, outputs.stderr], [0, "No file matches.\n"])

        const shown = jsonOf(yield* cli.run("show", "--json", "--", first.fileId))
        assert.strictEqual(shown.checksums.sha256, Environment.digest(Buffer.from("first")))
        const text = yield* cli.run("show", first.fileUrl)
        assert.match(text.stdout, /\nsize {2,}5 bytes\n/)

        const deleted = jsonOf(yield* cli.run("delete", first.fileUrl, "--json"))
        assert.deepStrictEqual(deleted, { fileId: first.fileId, deleted: true })
        assert.strictEqual((yield* Environment.fetched(first.fileUrl)).status, 410)
        const gone = yield* cli.run("show", first.fileUrl)
        assert.deepStrictEqual([gone.code, gone.stdout], [1, ""])
        assert.match(gone.stderr, /^inferlog: Refused with 410 FILE_GONE: [^\n]+\n$/)
        const unknown = yield* cli.run("delete", "A".repeat(24))
        assert.match(unknown.stderr, /^inferlog: Refused with 404: [^\n]+\n$/)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "list returns the requested number from several pages",
    () =>
      Effect.gen(function* () {
        const { cli, server } = yield* setUp
        const names = Array.from({ length: 101 }, (_, index) => `${index}.txt`)
        const announce = async (name: string) => {
          const body = JSON.stringify({ file_name: name, content_type: "text/x-list" })
          const headers = {
            authorization: `Key ${cli.settings.INFERLOG_API_KEY}`,
            "content-type": "application/json"
          }
          await fetch(`${server.url}/storage/upload/initiate`, { method: "POST", headers, body })
        }
        yield* Effect.forEach(names, (name) => Effect.promise(() => announce(name)))
        server.faults(() => null)
        const listed = jsonOf(
          yield* cli.run("list", "--limit", "101", "--content-type", "text/x-list", "--json")
        )
        assert.sameMembers(
          listed.files.map(({ fileName }: { fileName: string }) => fileName),
          names
        )
        assert.lengthOf(server.seen(), 2)
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "exit with 2 for malformed ids",
    () =>
      Effect.gen(function* () {
        const { cli } = yield* setUp
        for (const args of [
          ["show", "short"],
          ["delete", "https://example.org/elsewhere"],
          ["download", "../../etc/passwd"],
          ["list", "--limit", "0"],
          ["list", "--source", "nowhere"]
        ]) {
          const { code, stderr } = yield* cli.run(...args)
          assert.strictEqual(code, 2, args.join(" "))
          assert.notMatch(stderr, /\n\s+at /)
        }
      }).pipe(Effect.scoped),
    timeout
  )
})

layer(Layer.effect(Server, FaultyServer.make), { timeout })("files download", (it) => {
  it.effect(
    "writes the file by its id, with its checksum, and by its URL without a key",
    () =>
      Effect.gen(function* () {
        const { cli, server, upload } = yield* setUp
        const body = Environment.bytes(3 * MiB)
        const { fileId, fileUrl } = yield* upload("large.bin", body)

        const byId = jsonOf(yield* cli.run("download", "-o", cli.at("one"), "--json", "--", fileId))
        assert.deepStrictEqual(
          [byId.path, byId.size, byId.sha256, byId.isVerified],
          [cli.at("one"), body.length, Environment.digest(body), true]
        )
        server.faults(() => null)
        const { HOME, XDG_STATE_HOME } = cli.settings
        const keyless = yield* Inferlog.run(["files", "download", fileUrl, "-o", HOME], {
          HOME,
          XDG_STATE_HOME
        })
        // In a folder it gets its own name, which the uploaded file has; on request it replaces that file.
        assert.deepStrictEqual([keyless.code, keyless.stdout], [0, `${cli.at("large.bin")}\n`])
        assert.deepStrictEqual(
          server.seen().map(({ headers, method }) => [method, headers.authorization]),
          [["GET", undefined]]
        )
        for (const name of ["one", "large.bin"]) {
          assert.strictEqual(Environment.digest(fs.readFileSync(cli.at(name))), Environment.digest(body))
        }
        assert.lengthOf(
          fs.readdirSync(HOME).filter((name) => name.endsWith(".part")),
          0
        )
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "resumes where it was interrupted, in the same run and in the next one",
    () =>
      Effect.gen(function* () {
        const { cli, server, upload } = yield* setUp
        const body = Environment.bytes(8 * MiB)
        const { fileUrl } = yield* upload("large.bin", body)
        const isBytes = ({ path }: FaultyServer.Seen) => path.startsWith("/media/")
        server.faults((request, turn) =>
          isBytes(request) && turn === 1 ? { _tag: "CutAnswer", after: MiB } : null
        )
        const target = cli.at("copy")
        jsonOf(yield* cli.run("download", fileUrl, "-o", target, "--json"))
        assert.strictEqual(Environment.digest(fs.readFileSync(target)), Environment.digest(body))
        const ranges = server.seen().flatMap(({ headers }) => headers.range ?? [])
        assert.lengthOf(ranges, 1)
        assert.match(ranges[0] ?? "", /^bytes=[1-9]\d{4,}-$/)

        fs.rmSync(target)
        server.faults((request, turn) =>
          isBytes(request)
            ? turn === 1
              ? { _tag: "CutAnswer", after: 2 * MiB }
              : { _tag: "Answer", status: 403, body: { error: "no" } }
            : null
        )
        assert.strictEqual((yield* cli.run("download", fileUrl, "-o", target)).code, 1)
        assert.isFalse(fs.existsSync(target))
        // Downloads only enough to find out whether the file is the same.
        server.faults((request, turn) =>
          isBytes(request) && turn === 1 ? { _tag: "CutAnswer", after: 1 } : null
        )
        jsonOf(yield* cli.run("download", fileUrl, "-o", target, "--json"))
        assert.strictEqual(Environment.digest(fs.readFileSync(target)), Environment.digest(body))
        assert.deepStrictEqual(
          server
            .seen()
            .filter(isBytes)
            .map(({ headers }) => headers.range !== undefined),
          [false, true]
        )
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect("names the host of the file when its connection breaks", () =>
    Effect.gen(function* () {
      const { cli } = yield* setUp
      const { port } = yield* Receiver.http((_, response) => {
        response.writeHead(200, { "content-length": "10" })
        response.write("1", () => response.socket?.destroy())
      })
      const args = ["files", "download", `http://127.0.0.1:${port}/file`, "-o", cli.at("cut")]
      const { code, stderr } = yield* Inferlog.run(args, cli.settings)
      assert.strictEqual(code, 1)
      assert.include(stderr, `inferlog: http://127.0.0.1:${port} does not answer: `)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "deletes a file whose checksum is wrong",
    () =>
      Effect.gen(function* () {
        const { cli, server, upload } = yield* setUp
        const { fileId } = yield* upload("small.bin", "as it was")
        server.faults(({ path }) => (path.startsWith("/media/") ? { _tag: "Damage" } : null))
        const { code, stderr, stdout } = yield* cli.run("download", "-o", cli.at("copy"), "--", fileId)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(
          stderr,
          /^inferlog: .+copy: expected SHA-256 [0-9a-f]{64}, got [0-9a-f]{64}: the download was discarded\n$/
        )
        assert.notInclude(fs.readdirSync(cli.at(".")).join(), "copy")
      }).pipe(Effect.scoped),
    timeout
  )
})
