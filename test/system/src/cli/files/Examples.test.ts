import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Environment from "#test/support/src/cli/files/Environment.ts"

class Server extends Context.Service<Server, ServerProcess.ServerProcess>()("test/Server") {}

const served = Layer.effect(
  Server,
  Effect.gen(function* () {
    const dataDirectory = yield* TempDirectory.make
    const port = yield* Effect.promise(ServerProcess.freePort)
    return yield* Effect.acquireRelease(
      Effect.promise(() => ServerProcess.start({ dataDirectory, port })),
      (server) => Effect.promise(() => server.kill("SIGKILL"))
    )
  })
)

const has = (program: string) => childProcess.spawnSync(program, ["--version"]).status === 0

const { MiB } = Environment

layer(served, { timeout: 60_000 })("Examples of uploads", (it) => {
  /** Runs an example as its first lines say, and returns the bytes at the URL that it prints. */
  const run = Effect.fnUntraced(function* (program: string, example: string, body: Uint8Array, name: string) {
    const server = yield* Server
    const directory = yield* TempDirectory.make
    const file = path.join(directory, name)
    yield* Effect.sync(() => fs.writeFileSync(file, body))
    const env = {
      ...Inferlog.environment,
      INFERLOG_URL: server.url,
      INFERLOG_API_KEY: ServerProcess.apiKey
    }
    const child = childProcess.spawn(program, [path.join("examples", example), file, "image/png"], {
      cwd: ServerProcess.root,
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [code, stdout, stderr] = yield* Effect.promise(() =>
      Promise.all([once(child, "close").then(([code]) => code), text(child.stdout), text(child.stderr)])
    )
    assert.strictEqual(code, 0, stderr)
    return yield* Environment.fetched(stdout.trim())
  }, Effect.scoped)

  const names = 'a "quoted" \\ näme.png'

  it.effect.skipIf(!has("curl"))("upload.sh uploads a file in one PUT (skipped without curl)", () =>
    Effect.gen(function* () {
      const body = Environment.bytes(2 * MiB)
      const found = yield* run("sh", "upload.sh", body, names)
      assert.strictEqual(found.contentType, "image/png")
      assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
    })
  )

  it.effect.skipIf(!has("python3"))("upload_file.py uploads a file in one PUT (skipped without Python)", () =>
    Effect.gen(function* () {
      const body = Environment.bytes(2 * MiB)
      const found = yield* run("python3", "upload_file.py", body, names)
      assert.strictEqual(found.contentType, "image/png")
      assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
    })
  )

  it.effect("upload-multipart.mjs uploads a file in parts", () =>
    Effect.gen(function* () {
      const body = Environment.bytes(33 * MiB)
      const found = yield* run(process.execPath, "upload-multipart.mjs", body, names)
      assert.strictEqual(found.contentType, "image/png")
      assert.strictEqual(Environment.digest(found.body), Environment.digest(body))
    })
  )
})
