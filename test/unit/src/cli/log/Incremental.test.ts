/** `log verify` and `audit` from a checkpoint on. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"
import * as ForgedLog from "#test/support/src/features/billing/audit/ForgedLog.ts"
import { copy, shareLog } from "#test/support/src/features/billing/audit/TamperedCopies.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TamperedLog from "#test/support/streams/sqlite/TamperedLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const Verified = Schema.Struct({
  ok: Schema.Literal(true),
  events: Schema.Int,
  position: Schema.String,
  digest: Schema.String,
  since: Schema.NullOr(
    Schema.Struct({
      checkpoint: Schema.String,
      position: Schema.String,
      events: Schema.Int,
      madeAt: Schema.String,
      whole: Schema.Struct({ position: Schema.String, at: Schema.String })
    })
  ),
  checkpoint: Schema.NullOr(Schema.Struct({ name: Schema.String, publicKey: Schema.String }))
})

shareLog()

const later = AuditedLog.t0 + 30 * AuditedLog.day

const grow = (directory: string, name: string) =>
  DataDirectory.own(directory, AuditedLog.request(name, later))

/** A log with a checkpoint of an audit at its end. */
const audited = Effect.gen(function* () {
  const directory = yield* copy
  const settings = { DATA_DIR: directory, MASTER_KEY: "0b".repeat(32) }
  const whole = yield* Inferlog.run(["audit"], settings)
  assert.strictEqual(whole.code, 0, whole.stderr)
  const [, name = ""] =
    /\nCheckpoint: (audit-\d+\.checkpoint), public key [\w-]{43}\n$/.exec(whole.stdout) ?? []
  const file = path.join(directory, "checkpoints", name)
  assert.isTrue(fs.existsSync(file), whole.stdout)
  return { directory, settings, file, name, position: name.replace(/\D/g, "") }
})

const verify = (settings: Inferlog.Settings, ...args: ReadonlyArray<string>) =>
  Inferlog.json(Verified, ["log", "verify", ...args], settings)

const incremental = (settings: Inferlog.Settings, ...args: ReadonlyArray<string>) =>
  Inferlog.run(["audit", "--incremental", ...args], settings)

/** The table of a statement. */
const tableOf = (stdout: string) => stdout.slice(0, stdout.indexOf("The books are right"))

describe("An incremental verify", () => {
  it.live("reads what is new since the newest checkpoint, also one of an audit", () =>
    Effect.gen(function* () {
      const { directory, name, position, settings } = yield* audited
      yield* grow(directory, "more")
      const first = yield* verify(settings, "--incremental")
      assert.deepInclude(first, { events: 1, position: String(Number(position) + 1) })
      assert.deepInclude(first.since, { checkpoint: name, position, events: Number(position) })
      assert.strictEqual(first.checkpoint?.name, `verify-${first.position}.checkpoint`)
      const second = yield* verify(settings, "--incremental")
      assert.deepInclude(second, { events: 0, position: first.position, digest: first.digest })
      assert.strictEqual(second.since?.position, first.position)
      assert.deepStrictEqual(second.since?.whole, first.since?.whole)
      const whole = yield* verify(settings)
      assert.deepInclude(whole, { events: Number(first.position), digest: first.digest, since: null })
    }).pipe(Effect.scoped)
  )

  it.live("begins before the anchor of --expect, or at the first event", () =>
    Effect.gen(function* () {
      const { directory, position, settings } = yield* audited
      const { digest } = yield* verify(settings)
      yield* grow(directory, "more")
      const at = yield* verify(settings, "--incremental", "--expect", `${position}:${digest}`)
      assert.strictEqual(at.since?.position, position)
      const early = ["log", "verify", "--incremental", "--expect", `3:${digest}`]
      const { code, stderr } = yield* Inferlog.run(early, settings)
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /there is no usable checkpoint before the position of --expect, so the whole log is/
      )
      assert.match(stderr, /broken at position 3: the digest does not match --expect/)
    }).pipe(Effect.scoped)
  )

  it.live("is a whole one if the checkpoint was changed, and names it", () =>
    Effect.gen(function* () {
      const { file, name, position, settings } = yield* audited
      fs.writeFileSync(file, fs.readFileSync(file, "latin1").replace('"events":', '"events":1'), "latin1")
      const { code, stderr, stdout } = yield* Inferlog.run(["log", "verify", "--incremental"], settings)
      assert.strictEqual(code, 0)
      assert.match(stderr, new RegExp(`The checkpoint ${name} is not used: its signature is not by the key`))
      assert.match(stderr, /--incremental: there is no usable checkpoint, so the whole log is verified/)
      assert.match(stdout, new RegExp(`^The log is intact: ${position} events`))
    }).pipe(Effect.scoped)
  )

  it.live("needs only the public key, and then leaves no checkpoint", () =>
    Effect.gen(function* () {
      const { directory, file, settings } = yield* audited
      const key = (yield* verify(settings)).checkpoint?.publicKey ?? ""
      const folder = yield* TempDirectory.make
      fs.renameSync(file, path.join(folder, path.basename(file)))
      const args = ["--incremental", "--checkpoints", folder, "--checkpoint-key", key]
      const found = yield* verify({ DATA_DIR: directory }, ...args)
      assert.deepInclude(found, { events: 0, checkpoint: null })
      const nowhere = path.join(folder, "not", "there")
      const unwritten = yield* Inferlog.run(["log", "verify", "--checkpoints", nowhere], settings)
      assert.strictEqual(unwritten.code, 0)
      assert.include(unwritten.stderr, `A checkpoint cannot be written to ${nowhere}`)
      assert.include(unwritten.stdout, "\nNo checkpoint was written.\n")
      const wrong = yield* Inferlog.run(["log", "verify", "--checkpoint-key", "short"], settings)
      assert.strictEqual(wrong.code, 2)
    }).pipe(Effect.scoped)
  )
})

describe("A signed checkpoint", () => {
  it.live("shows that the log was rewritten, with all its hashes and log.head, to every verify", () =>
    Effect.gen(function* () {
      const { directory, name, position, settings } = yield* audited
      ForgedLog.rewrite(directory, (log) => {
        const event = ForgedLog.find(log, "BalanceToppedUp", `Account-${AuditedLog.beta}`)
        event.data = { ...event.data, reference: "another" }
        return event
      })
      yield* grow(directory, "more")
      for (const args of [["log", "verify"], ["log", "verify", "--incremental"], ["audit"]]) {
        const { code, stderr } = yield* Inferlog.run(args, settings)
        assert.strictEqual(code, 1)
        const isWhole = !args.includes("--incremental")
        const source = isWhole ? `${position}: .*the checkpoint ${name}` : "\\d+: .* does not match log.head"
        assert.match(stderr, new RegExp(` at position ${source}`), args.join(" "))
      }
      yield* verify({ DATA_DIR: directory })
    }).pipe(Effect.scoped)
  )

  it.live("shows that the end of the log is missing, although log.head does not", () =>
    Effect.gen(function* () {
      const { directory, name, position, settings } = yield* audited
      TamperedLog.withDatabase(directory, (db) => db.exec(`DELETE FROM events WHERE position = ${position}`))
      // Opened as after a lost log.head, the log gets a new one.
      fs.rmSync(LogFiles.files(directory).head)
      yield* DataDirectory.own(directory, Effect.void)
      for (const args of [
        ["log", "verify"],
        ["log", "verify", "--incremental"],
        ["audit", "--incremental"]
      ]) {
        const { code, stderr } = yield* Inferlog.run(args, settings)
        assert.strictEqual(code, 1)
        assert.include(stderr, `the log ends here, but the checkpoint ${name} names an event at`)
      }
    }).pipe(Effect.scoped)
  )
})

describe("An incremental audit", () => {
  it.live("prints the statement of a whole one, and compares the read model", () =>
    Effect.gen(function* () {
      const { directory, name, position, settings } = yield* audited
      yield* AuditedLog.project(directory)
      const nothingNew = yield* incremental(settings)
      assert.include(nothingNew.stdout, `\nRead model: it agrees as of position ${position}.\n`)
      yield* DataDirectory.own(
        directory,
        AuditedLog.dearRequest("beyond", later, AuditedLog.beta, {
          unitPrice: 1_500_000_000n,
          hold: 6_000_000_000n
        })
      )
      yield* AuditedLog.project(directory)
      const rest = yield* incremental(settings)
      const whole = yield* Inferlog.run(["audit"], { DATA_DIR: directory })
      assert.strictEqual(tableOf(rest.stdout), tableOf(whole.stdout))
      assert.match(rest.stdout, /\nThe books are right: 1 event, .* 2 accounts, 3 open requests\.\n/)
      assert.include(rest.stdout, `\nIt began after the checkpoint ${name}: `)
      const lineOf = (stdout: string, start: string) =>
        stdout.split("\n").find((line) => line.startsWith(start))
      for (const start of ["Read model: it agrees", "Anchor", "Revenue"]) {
        assert.strictEqual(lineOf(rest.stdout, start), lineOf(whole.stdout, start))
      }
      assert.strictEqual((yield* incremental(settings, "--account", AuditedLog.beta)).code, 0)
      const unknown = yield* incremental(settings, "--account", "acc_0000000000000000")
      assert.include(unknown.stderr, "--account: there is no such account on the log")
    }).pipe(Effect.scoped)
  )

  it.live("shows a period after the checkpoint, and replays the whole log for an earlier one", () =>
    Effect.gen(function* () {
      const { directory, settings } = yield* audited
      yield* grow(directory, "more")
      for (const [isWhole, ...args] of [
        [false, "--from", "2026-01-25"],
        [false, "--from", "2026-01-25", "--format", "csv"],
        [true, "--from", "2026-01-03"],
        [true, "--to", "2026-01-03"],
        [true, "--format", "json"]
      ] as const) {
        const rest = yield* incremental(settings, ...args)
        assert.strictEqual(rest.code, 0, rest.stderr)
        assert.strictEqual(rest.stderr.includes("have only sums of what the period shows"), isWhole)
        const whole = yield* Inferlog.run(["audit", ...args], { DATA_DIR: directory })
        assert.strictEqual(tableOf(rest.stdout), tableOf(whole.stdout), args.join(" "))
      }
    }).pipe(Effect.scoped)
  )

  it.live("finds an error after the checkpoint as a whole one does", () =>
    Effect.gen(function* () {
      const { directory, settings } = yield* audited
      yield* grow(directory, "more")
      const position = ForgedLog.rewrite(directory, (log) => {
        const event = ForgedLog.find(log, "RequestSubmitted", "more")
        event.data = { ...event.data, quote: { ...(event.data["quote"] as object), hold: "1" } }
        return event
      })
      const rest = yield* incremental(settings)
      const whole = yield* Inferlog.run(["audit"], settings)
      assert.deepStrictEqual([rest.code, rest.stderr], [1, whole.stderr])
      assert.include(rest.stderr, `failed at position ${position}: hold as quoted`)
    }).pipe(Effect.scoped)
  )
})

describe("A backup", () => {
  it.live("has the checkpoints of its log, so that a restored log is proven from them on", () =>
    Effect.gen(function* () {
      const { directory, name, position, settings } = yield* audited
      const parent = yield* TempDirectory.make
      const target = path.join(parent, "target")
      const run = (DATA_DIR: string, ...args: ReadonlyArray<string>) =>
        Effect.map(Inferlog.run([...args, "--without-keys"], { ...settings, DATA_DIR }), ({ code, stderr }) =>
          assert.strictEqual(code, 0, stderr)
        )
      yield* run(directory, "backup", target)
      yield* grow(directory, "more")
      yield* verify(settings, "--incremental")
      const stored = () => fs.readdirSync(path.join(target, "checkpoints"))
      const [kept] = stored()
      yield* run(directory, "backup", target)
      assert.lengthOf(stored(), 2)
      assert.include(stored(), kept, "what is there is not copied again")
      yield* run(directory, "backup", target)
      assert.lengthOf(stored(), 2)

      const restored = path.join(parent, "restored")
      yield* run(restored, "restore", target)
      const at = String(Number(position) + 1)
      const verified = yield* verify({ ...settings, DATA_DIR: restored }, "--incremental")
      assert.deepInclude(verified, { events: 0, position: at })
      const audit = yield* incremental({ ...settings, DATA_DIR: restored })
      assert.include(audit.stdout, `It began after the checkpoint ${name}`)

      const earlier = path.join(parent, "earlier")
      yield* run(earlier, "restore", target, "--until", position)
      assert.deepStrictEqual(fs.readdirSync(path.join(earlier, "checkpoints")), [name])
      assert.strictEqual((yield* verify({ ...settings, DATA_DIR: earlier })).position, position)
    }).pipe(Effect.scoped)
  )
})
