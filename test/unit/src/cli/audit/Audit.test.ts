import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"
import * as ForgedLog from "#test/support/src/features/billing/audit/ForgedLog.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const { acme, beta } = AuditedLog

const written = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  yield* DataDirectory.own(directory, AuditedLog.write)
  return { settings: { DATA_DIR: directory } }
})

/** Runs a command that must succeed. */
const audit = (settings: Inferlog.Settings, ...args: ReadonlyArray<string>) =>
  Effect.map(Inferlog.run(["audit", ...args], settings), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr)
    return { stderr, stdout }
  })

/** The cells of the table row that begins with `name`. */
const row = (stdout: string, name: string): ReadonlyArray<string> | undefined =>
  stdout
    .split("\n")
    .find((line) => line.startsWith(name))
    ?.split(/\s\s+/)

/** Fields of RFC 4180, quoted or not. */
const csv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = text.split("\r\n")
  assert.strictEqual(lines.pop(), "")
  return lines.map((line) =>
    Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g), ([, quoted, plain]) =>
      quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"')
    )
  )
}

const json = (text: string): ReadonlyArray<Record<string, string | null>> =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string | null>)

describe("audit", () => {
  it.live("prints a statement of all accounts and of the proofs, without a server and a terminal", () =>
    Effect.gen(function* () {
      const { settings } = yield* written
      const { stderr, stdout } = yield* audit(settings)
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(row(stdout, acme), [
        acme,
        "$0",
        "$25",
        "$0.038",
        "$24.962",
        "$0.016",
        "$24.946",
        "5",
        "1",
        "9"
      ])
      assert.deepStrictEqual(row(stdout, beta)?.slice(0, 5), [beta, "$0", "$5", "$0", "$5"])
      assert.deepStrictEqual(row(stdout, "TOTAL")?.slice(0, 5), ["TOTAL", "$0", "$30", "$0.038", "$29.962"])
      assert.match(stdout, /\nRevenue: \$0.038\n/)
      assert.match(stdout, /\nThe books are right: \d+ events, .* 2 accounts, 2 open requests\.\n/)
      assert.match(stdout, /\nRead model: not compared, there is no file of read models\.\n/)
      const { digest, position } = yield* DataDirectory.verify(settings.DATA_DIR)
      assert.include(stdout, `\nAnchor: ${position}:${digest}\n`)
      assert.notInclude(stdout, "\u001b")

      yield* AuditedLog.project(settings.DATA_DIR)
      assert.include((yield* audit(settings)).stdout, `Read model: it agrees as of position ${position}.\n`)
    }).pipe(Effect.scoped)
  )

  it.live("shows one account and a period, and verifies the whole log", () =>
    Effect.gen(function* () {
      const { settings } = yield* written
      const january2 = yield* audit(
        settings,
        "--from",
        "2026-01-02",
        "--to",
        "2026-01-04T00:00:00Z",
        "--account",
        acme
      )
      assert.deepStrictEqual(row(january2.stdout, acme), [
        acme,
        "$15",
        "$10",
        "$0.008",
        "$24.992",
        "$0",
        "$24.992",
        "1",
        "0",
        "0"
      ])
      assert.isUndefined(row(january2.stdout, beta))
      assert.include(january2.stdout, "2 accounts")

      const journal = yield* audit(settings, "--format", "json", "--from", "2026-01-03", "--to", "2026-01-04")
      assert.deepStrictEqual(
        json(journal.stdout).map(({ kind, request }) => [kind, request]),
        [
          ["hold", AuditedLog.requestId("charged")],
          ["charge", AuditedLog.requestId("charged")]
        ]
      )
      const zone = yield* audit(settings, "--format", "json", "--to", "2026-01-01T01:00+01:00")
      assert.strictEqual(zone.stdout, "")
    }).pipe(Effect.scoped)
  )

  it.live(
    "writes the journal as CSV without spreadsheet formulas, and as JSON lines with the same fields",
    () =>
      Effect.gen(function* () {
        const { settings } = yield* written
        const asCsv = yield* audit(settings, "--format", "csv")
        const asJson = yield* audit(settings, "--format", "json")
        const [header = [], ...lines] = csv(asCsv.stdout)
        const objects = json(asJson.stdout)
        assert.deepStrictEqual(header, Object.keys(objects[0] ?? {}))
        assert.strictEqual(lines.length, objects.length)
        for (const [index, line] of lines.entries()) {
          const expected = Object.values(objects[index] ?? {}).map((value) => value ?? "")
          assert.deepStrictEqual(
            line.map((cell) => cell.replace(/^'=/, "=")),
            expected
          )
        }
        const topUp = lines.find((line) => line.some((cell) => cell.includes("HYPERLINK")))
        assert.deepStrictEqual(topUp, [
          "2026-01-02T00:00:00.000Z",
          acme,
          "external",
          `${acme}:available`,
          "10",
          "topup",
          "",
          "",
          `'=HYPERLINK("http://x"), "quoted"`,
          "6"
        ])
        for (const { stderr } of [asCsv, asJson]) {
          assert.match(stderr, /^The books are right: /)
          assert.match(stderr, /\nAnchor: /)
        }
      }).pipe(Effect.scoped)
  )

  it.live("exits with 1 and names the first invalid event, whatever is shown", () =>
    Effect.gen(function* () {
      const { settings } = yield* written
      const position = ForgedLog.rewrite(settings.DATA_DIR, (log) => {
        const completed = ForgedLog.find(log, "RequestCompleted", "partial")
        completed.data = {
          ...completed.data,
          billing: { amount: "7000000", status: "partial", units: "3000000" }
        }
        return completed
      })
      const ends = yield* Effect.forEach(
        [[], ["--account", beta, "--to", "2026-01-02"], ["--format", "csv"]],
        (args) => Inferlog.run(["audit", ...args], settings),
        { concurrency: 2 }
      )
      for (const { code, stderr } of ends) {
        assert.strictEqual(code, 1)
        assert.strictEqual(
          stderr,
          `inferlog: The audit failed at position ${position}: charge as quoted: RequestCompleted of ` +
            `${AuditedLog.streamOf("partial")}: $0.007 is charged, the quote says $0.006\n`
        )
      }
      assert.strictEqual(ends[0]?.stdout, "")
    }).pipe(Effect.scoped)
  )

  it.live("rejects invalid times and unknown accounts", () =>
    Effect.gen(function* () {
      const { settings } = yield* written
      const wrong: ReadonlyArray<ReadonlyArray<string>> = [
        ["--from", "yesterday"],
        ["--to", "2026-02-30"],
        ["--from", "2026-01-02", "--to", "2026-01-02"],
        ["--format", "xml"],
        ["--account", "acc_nobody"]
      ]
      const ends = yield* Effect.forEach(wrong, (args) => Inferlog.run(["audit", ...args], settings), {
        concurrency: 2
      })
      for (const { code, stderr, stdout } of ends) {
        assert.deepStrictEqual([code, stdout], [2, ""], stderr)
        assert.match(stderr, /^inferlog: .*--(from|to|format|account)/)
      }
    }).pipe(Effect.scoped)
  )
})
