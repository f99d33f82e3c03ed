/** Runs `doctor`, or one of its checks, with settings. */
import { ConfigProvider, Effect, Schema } from "effect"
import * as Check from "#src/cli/doctor/Check.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const Finding = Schema.Struct({
  name: Schema.String,
  outcome: Schema.Literals(["ok", "warning", "failed", "skipped"]),
  detail: Schema.String,
  remedy: Schema.NullOr(Schema.String)
})

const Output = Schema.fromJsonString(Schema.Struct({ ok: Schema.Boolean, checks: Schema.Array(Finding) }))

/** What it printed, decoded and as text. */
export const decode = ({ code, stderr, stdout }: Inferlog.Ended) => {
  const { checks, ok } = Schema.decodeUnknownSync(Output)(stdout)
  return { code, ok, checks, printed: stdout + stderr }
}

/** The whole command in this process, which finds misspelled variables only in its own environment. */
export const run = (settings: Inferlog.Settings) =>
  Effect.map(Inferlog.run(["doctor", "--json"], settings), decode)

/** Without the time that the whole command takes to try the disk. */
export const check = (check: Check.Check, settings: Inferlog.Settings) =>
  Check.run(check).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...settings } })))
  )
