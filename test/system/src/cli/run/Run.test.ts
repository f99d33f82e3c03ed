/** `inferlog run` at a server with the built-in models. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FaultyServer from "#test/support/src/cli/files/FaultyServer.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

class Server extends Context.Service<Server, FaultyServer.FaultyServer>()("test/Server") {}

const timeout = 60_000

const setUp = Effect.gen(function* () {
  const server = yield* Server
  const directory = yield* TempDirectory.make
  server.faults(() => null)
  const settings = { HOME: directory, INFERLOG_URL: server.url, INFERLOG_API_KEY: ServerProcess.apiKey }
  return {
    server,
    settings,
    at: (name: string) => path.join(directory, name),
    file: (name: string, bytes: Uint8Array | string) => {
      fs.writeFileSync(path.join(directory, name), bytes)
      return path.join(directory, name)
    },
    run: (...args: ReadonlyArray<string>) => Inferlog.run(["run", ...args], settings),
    piped: (stdin: string, ...args: ReadonlyArray<string>) => Inferlog.run(["run", ...args], settings, stdin),
    status: (id: string) =>
      Effect.promise(async () => {
        const { authorization } = ServerProcess.authorization
        const answer = await fetch(`${server.url}/requests/${id}`, { headers: { authorization } })
        return ((await answer.json()) as { readonly status: string }).status
      })
  }
})

const jsonOf = ({ code, stderr, stdout }: Inferlog.Ended) => {
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

/** A picture of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

layer(Layer.effect(Server, FaultyServer.make), { timeout })("run", (it) => {
  it.effect("makes the input from objects, stdin and fields, and prints the output", () =>
    Effect.gen(function* () {
      const { file, piped, run } = yield* setUp
      const object = file("input.json", '{"value":{"from":"file"},"delayMs":0}')
      const json = jsonOf(
        yield* run(
          "sandbox/echo",
          "value.n=5",
          "value.list[]=true",
          "value.list[]=a b",
          "--input",
          `@${object}`,
          "--json"
        )
      )
      assert.deepStrictEqual(json.output, { value: { from: "file", n: 5, list: [true, "a b"] } })
      const metadata = ["--metadata", "customer=c=1", "--metadata", "b=2"]
      const text = yield* piped('{"value":1}', "sandbox/echo", "@-", "value=@@me", ...metadata)
      assert.deepStrictEqual([text.code, text.stdout], [0, '{\n  "value": "@me"\n}\n'])
      assert.match(text.stderr, /^Request \S{21}: succeeded, \d+ ms, \$0\.001\n$/)
    }).pipe(Effect.scoped)
  )

  it.effect("writes the text of a model as it comes, without control characters", () =>
    Effect.gen(function* () {
      const { run, server } = yield* setUp
      // The first connection breaks within the text.
      server.faults(({ method }, turn) =>
        method === "POST" && turn === 1 ? { _tag: "CutAnswer", after: 600 } : null
      )
      const said = "12 \u001b[31mred\u009b words\tand\nlines"
      const live = yield* run("sandbox/stream", `text=${said}`, "delayMs=5")
      assert.deepStrictEqual(
        [live.code, live.stdout],
        [0, "12 \ufffd[31mred\ufffd words\tand\nlines\n"],
        live.stderr
      )
      // The schema asks for a text.
      const number = yield* run("sandbox/stream", "text=12", "delayMs=0", "--events")
      const events = number.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["request", "chunk", "done", "ended"]
      )
      assert.strictEqual(events[1].data, "12")
      assert.deepInclude(events[3].data, { outcome: "succeeded", output: "12" })
    }).pipe(Effect.scoped)
  )

  it.effect("uploads files of the input, and downloads those of the output without replacing any", () =>
    Effect.gen(function* () {
      const { at, file, run } = yield* setUp
      const picture = file("a dot.png", png)
      fs.mkdirSync(at("out"))
      const args = ["vision/convert", `image=@${picture}`, "format=png", "--out", at("out"), "--json"]
      const first = jsonOf(yield* run(...args))
      assert.match(first.input.image, /\/media\/.+-a%20dot\.png$/)
      const [saved] = first.files
      assert.strictEqual(path.dirname(saved.path), at("out"))
      assert.strictEqual(saved.url, first.media[0].url)
      const bytes = fs.readFileSync(saved.path)
      assert.strictEqual(bytes.subarray(1, 4).toString(), "PNG")
      fs.writeFileSync(saved.path, "mine")
      const second = jsonOf(yield* run(...args))
      assert.strictEqual(fs.readFileSync(saved.path, "utf8"), "mine")
      assert.match(second.files[0].path, /-2\.png$/)
      assert.isTrue(fs.readFileSync(second.files[0].path).equals(bytes))
      assert.lengthOf(fs.readdirSync(at("out")), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("tells by the exit code whether there is an output, and names what is wrong", () =>
    Effect.gen(function* () {
      const { run, settings } = yield* setUp
      const expected: ReadonlyArray<readonly [number, RegExp, ReadonlyArray<string>]> = [
        [1, /ended without an output: failed: no\n$/, ["sandbox/fail", "message=no"]],
        [1, /ended without an output: provider_failed: /, ["sandbox/provider-fail"]],
        [1, /^inferlog: Refused with 404: /, ["sandbox/nothing"]],
        [1, /^inferlog: Refused with 401: .+INFERLOG_API_KEY/, ["sandbox/echo", "value=1", "--key", "a:b"]],
        [2, /^inferlog: The input is not valid: seconds must be number\n$/, ["sandbox/slow", "seconds=x"]],
        [2, /^inferlog: input: Expected a JSON object\n$/, ["sandbox/echo", "{value}"]],
        [2, /Expected key=value/, ["sandbox/echo", "value"]],
        [2, /Expected a model/, ["echo"]],
        [2, /nowhere.json cannot be read/, ["sandbox/echo", "@nowhere.json"]],
        [2, /--no-wait: Expected no --events/, ["sandbox/echo", "value=1", "--no-wait", "--events"]],
        [1, /nothing.png: cannot be read: ENOENT/, ["vision/ocr", "image=@nothing.png"]]
      ]
      for (const [code, message, args] of expected) {
        const ended = yield* run(...args)
        assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
        assert.match(ended.stderr, message)
      }
      const { INFERLOG_API_KEY: _key, ...keyless } = settings
      const ended = yield* Inferlog.run(["run", "sandbox/echo", "value=1"], keyless)
      assert.strictEqual(ended.code, 2)
      const failed = yield* run("sandbox/fail", "--json")
      assert.strictEqual(failed.code, 1)
      assert.strictEqual(JSON.parse(failed.stdout).outcome, "failed")
    }).pipe(Effect.scoped)
  )

  it.effect("is one request for one idempotency key, with and without waiting", () =>
    Effect.gen(function* () {
      const { run } = yield* setUp
      const args = ["sandbox/echo", "value=once", "--idempotency-key", "order-17"]
      const accepted = yield* run(...args, "--no-wait")
      assert.match(accepted.stdout, /^\S{21}\n$/)
      const waited = jsonOf(yield* run(...args, "--json"))
      assert.strictEqual(waited.id, accepted.stdout.trim())
      assert.deepStrictEqual(waited.output, { value: "once" })
    }).pipe(Effect.scoped)
  )

  it.effect("cancels the request after Ctrl-C, and when its time is up", () =>
    Effect.gen(function* () {
      const { run, settings, status } = yield* setUp
      const command = InProcess.follow(["run", "sandbox/slow", "seconds=60", "--events"], settings)
      const { stdout } = yield* Effect.promise(() => command.until(({ stdout }) => stdout.includes("\n")))
      const id: string = JSON.parse(stdout.split("\n")[0] ?? "").data.request_id
      const stopped = yield* Effect.promise(() => command.stop())
      assert.strictEqual(stopped.code, 130)
      assert.match(stopped.stderr, new RegExp(`Request ${id} (is CANCELLED|will be cancelled)`))
      const late = yield* run("sandbox/slow", "seconds=60", "--timeout", "1s")
      assert.strictEqual(late.code, 1)
      assert.match(late.stderr, /inferlog: The request has not ended within 1 s\n$/)
      const [, other = ""] = /Request (\S{21}) /.exec(late.stderr) ?? []
      for (const cancelled of [id, other]) assert.strictEqual(yield* status(cancelled), "CANCELLED")
    }).pipe(Effect.scoped)
  )

  it.effect("leaves at once after a second Ctrl-C", () =>
    Effect.gen(function* () {
      const { server, settings } = yield* setUp
      const submitted = Promise.withResolvers<void>()
      const cancelled = Promise.withResolvers<void>()
      server.faults(({ method, path }) => {
        if (method === "POST" && path === "/sandbox/slow") submitted.resolve()
        if (!path.endsWith("/cancel")) return null
        cancelled.resolve()
        return { _tag: "Hold", until: new Promise(() => {}) }
      })
      const command = Inferlog.begin(["run", "sandbox/slow", "seconds=60"], settings)
      yield* Effect.promise(() => submitted.promise)
      command.kill("SIGINT")
      yield* Effect.promise(() => cancelled.promise)
      command.kill("SIGINT")
      const { code, stderr } = yield* Effect.promise(() => command.ended)
      assert.strictEqual(code, 130)
      assert.include(stderr, "Ctrl-C again leaves at once")
    }).pipe(Effect.scoped)
  )
})
