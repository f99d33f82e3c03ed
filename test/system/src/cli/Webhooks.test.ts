import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as url from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const main = url.fileURLToPath(new URL("../../../../bin/inferlog.js", import.meta.url))

const key = Buffer.alloc(32, 9)
const secret = StandardWebhooks.secretText(key)
const body = `{"event":"completed","error":null}`
const id = "msg_0123456789abcdefABCDEF"
const timestamp = "1767225600"
const signature = StandardWebhooks.signature(key, { id, timestamp, body: Buffer.from(body) })

const head = [
  "POST /hooks HTTP/1.1",
  `webhook-id: ${id}`,
  `webhook-timestamp: ${timestamp}`,
  `webhook-signature: ${signature}`
].join("\r\n")

/** A folder with a secret and a genuine request. */
const files = Effect.map(TempDirectory.make, (directory) => {
  const file = (name: string, text: string) => {
    fs.writeFileSync(path.join(directory, name), text)
    return path.join(directory, name)
  }
  return {
    file,
    directory,
    secretFile: file("secret.txt", `${secret}\n`),
    request: file("saved.http", `${head}\r\n\r\n${body}`)
  }
})

const verify = (args: ReadonlyArray<string>, settings: Inferlog.Settings = {}) =>
  Inferlog.run(["webhooks", "verify", ...args], settings)

const fromStdin = (args: ReadonlyArray<string>, input: string) =>
  childProcess.spawnSync(process.execPath, [main, "webhooks", "verify", ...args], {
    env: { ...Inferlog.environment, WEBHOOK_SECRET: secret },
    input,
    encoding: "utf8"
  })

const at = ["--at", timestamp]

describe("webhooks verify", () => {
  it.effect("accepts a genuine request, with the secret from a file, the environment or the flag", () =>
    Effect.gen(function* () {
      const { directory, request, secretFile } = yield* files
      const DATA_DIR = path.join(directory, "data")
      const given = ["--request", request, ...at]
      const ends = yield* Effect.all([
        verify([...given, "--secret-file", secretFile], { DATA_DIR, WEBHOOK_SECRET: "hunter2" }),
        verify(given, { DATA_DIR, WEBHOOK_SECRET: secret }),
        verify([...given, "--secret", secret], { DATA_DIR })
      ])
      for (const { code, stderr, stdout } of ends) {
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.deepStrictEqual(
          stdout.split("\n").map((line) => line.split(/ {2,}/)[1]),
          ["RESULT", "ok", "ok", "ok", "ok", "ok", "ok", "ok", undefined]
        )
        assert.notInclude(stdout, secret.slice("whsec_".length))
      }
      assert.isFalse(fs.existsSync(DATA_DIR))
    }).pipe(Effect.scoped)
  )

  it.effect("exits with 1 and names the failed check, with a hint", () =>
    Effect.gen(function* () {
      const { file, request, secretFile } = yield* files
      const changed = file("changed.http", `${head}\r\n\r\n${body}\n`)
      const [old, rewritten] = yield* Effect.all([
        verify(["--request", request, "--secret-file", secretFile]),
        verify(["--request", changed, "--secret-file", secretFile, ...at])
      ])
      assert.strictEqual(old.code, 1)
      assert.match(
        old.stderr,
        /^inferlog: The request is not verified: tolerance: \d+ s old, 300 s allowed\n$/
      )
      assert.match(old.stdout, /\ntolerance {2,}FAILED {2}/)
      assert.match(old.stdout, /\nmatch {2,}ok {2,}/)
      assert.include(old.stdout, `--at ${timestamp}`)

      assert.strictEqual(rewritten.code, 1)
      assert.match(rewritten.stderr, /^inferlog: The request is not verified: match: [^\n]+\n$/)
      assert.match(rewritten.stdout, /\nHint: The body matches without the newline at its end\./)
    }).pipe(Effect.scoped)
  )

  it.effect("uses the same check names as its JSON and its documentation", () =>
    Effect.gen(function* () {
      const { request, secretFile } = yield* files
      const given = ["--request", request, "--secret-file", secretFile, ...at]
      const [table, json] = yield* Effect.all([verify(given), verify([...given, "--json"])])
      const names = JSON.parse(json.stdout).checks.map(({ name }: StandardWebhooks.Check) => name)
      const [, ...rows] = table.stdout.trimEnd().split("\n")
      assert.deepStrictEqual(
        rows.map((row) => row.split(" ")[0]),
        names
      )
      const docs = fs.readFileSync(new URL("../../../../docs/reference/cli.md", import.meta.url), "utf8")
      const [, section = ""] = docs.split("| Check | Fails when |")
      const [documented = ""] = section.split("\n\n")
      assert.deepStrictEqual(
        Array.from(documented.matchAll(/^\| `([\w-]+)` \|/gm), ([, name]) => name),
        names
      )
    }).pipe(Effect.scoped)
  )

  it.effect("skips the match of a malformed timestamp, and gives no other hint", () =>
    Effect.gen(function* () {
      const { file } = yield* files
      const parts = ["--id", id, "--timestamp", "abc", "--signature", signature]
      const { code, stdout } = yield* verify([
        ...parts,
        "--body",
        file("body.json", body),
        "--secret",
        secret
      ])
      assert.strictEqual(code, 1)
      assert.match(stdout, /\nwebhook-timestamp {2,}FAILED {2}/)
      assert.match(stdout, /\nmatch {2,}-/)
      assert.lengthOf(stdout.match(/^Hint: /gm) ?? [], 1)
    }).pipe(Effect.scoped)
  )

  it.effect("prints the checks as JSON", () =>
    Effect.gen(function* () {
      const { request, secretFile } = yield* files
      const given = ["--request", request, "--json"]
      const [good, bad] = yield* Effect.all([
        verify([...given, ...at, "--secret-file", secretFile]),
        verify([...given, "--at", "2026-01-01T00:05:01Z"], { WEBHOOK_SECRET: "hunter2" })
      ])
      const told = JSON.parse(good.stdout)
      assert.deepInclude(told, { ok: true, failed: null, hints: [] })
      assert.deepStrictEqual(told.checks.at(-1), {
        name: "match",
        outcome: "ok",
        detail: "signed with this secret"
      })
      assert.strictEqual(bad.code, 1)
      const failed = JSON.parse(bad.stdout)
      assert.deepInclude(failed, { ok: false, failed: "tolerance" })
      assert.deepStrictEqual(
        failed.checks.map(({ outcome }: StandardWebhooks.Check) => outcome),
        ["ok", "ok", "ok", "failed", "failed", "ok", "skipped"]
      )
      assert.lengthOf(failed.hints, 2)
      assert.notInclude(bad.stdout + bad.stderr, "hunter2")
    }).pipe(Effect.scoped)
  )

  it.effect("reads a request, or the body beside its headers, from stdin", () =>
    Effect.gen(function* () {
      const { file } = yield* files
      const parts = ["--id", id, "--timestamp", timestamp, "--signature", signature, ...at]
      assert.strictEqual(fromStdin(["--request", "-", ...at], `${head}\r\n\r\n${body}`).status, 0)
      assert.strictEqual(fromStdin([...parts, "--body", "-"], body).status, 0)
      assert.strictEqual(fromStdin([...parts, "--body", "-"], `${body} `).status, 1)
      const { code } = yield* verify([...parts, "--body", file("body.json", body)], {
        WEBHOOK_SECRET: secret
      })
      assert.strictEqual(code, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("exits with 2 when there is nothing to check, and prints no secret", () =>
    Effect.gen(function* () {
      const { directory, file, request, secretFile } = yield* files
      const settings = { WEBHOOK_SECRET: secret }
      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, Inferlog.Settings]> = [
        [[], settings],
        [["--request", request], {}],
        [["--request", request], { WEBHOOK_SECRET: "" }],
        [["--request", request, "--body", request], settings],
        [["--id", id], settings],
        [["--request", path.join(directory, "nowhere")], settings],
        [["--request", directory], settings],
        [["--request", file("no-request", body)], settings],
        [["--request", request, "--secret-file", path.join(directory, "nowhere")], {}],
        [["--request", request, "--secret-file", secretFile, "--secret", secret], {}],
        [["--request", request, "--tolerance=-1"], settings],
        [["--request", request, "--at", "noon"], settings]
      ]
      const ends = yield* Effect.forEach(wrong, ([args, settings]) => verify(args, settings), {
        concurrency: 2
      })
      for (const [index, { code, stderr, stdout }] of ends.entries()) {
        assert.strictEqual(code, 2, `${index}: ${stderr}`)
        assert.strictEqual(stdout, "")
        assert.match(stderr, /^inferlog: /)
        assert.notMatch(stderr, /\n\s+at /)
        assert.notInclude(stderr, secret)
      }
    }).pipe(Effect.scoped)
  )
})
