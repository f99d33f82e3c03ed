import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { discreet } from "#src/features/providers/Redaction.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"

const secret = "s3cretvalue123"
const binding = { name: "gpu", adapter: "http", url: "http://10.1.2.3:9000/run", secretEnv: "GPU" } as const

/** A provider that logs a line and returns `outcome`. */
const saying = (outcome: ProviderOutcome, line: string): Provider => ({
  adapter: "http",
  run: (_job, control) => Effect.as(control.progress({ fraction: null, logs: [line] }), outcome),
  reattach: (_job, _jobId, control) =>
    Effect.sync(() => {
      control.note({ fraction: null, logs: [line] })
      return outcome
    }),
  look: () => Effect.succeed({ _tag: "Finished", outcome })
})

const told = Effect.fnUntraced(function* (outcome: ProviderOutcome, line = "") {
  const provider = discreet(saying(outcome, line), { secret: () => Effect.succeed(Redacted.make(secret)) })
  const { control, reports } = yield* RecordedControl.make
  const job = jobOf(binding, {})
  const outcomes = [
    yield* provider.run(job, control),
    yield* provider.reattach(job, "1", control),
    yield* Effect.map(provider.look(job, "1"), (state) => (state._tag === "Finished" ? state.outcome : state))
  ]
  return { outcomes, reports }
})

describe("The text of a provider", () => {
  it.effect.each([
    [`bad auth Bearer ${secret}`, "bad auth Bearer …"],
    ["see http://10.1.2.3:9000/internal, or 10.1.2.3", "see …/internal, or …"],
    ["\u001b[31mred\u0000 \u202e \ud800", "[31mred    \ufffd"]
  ] as const)("of a failure is reported without confidential parts: %j", ([message, expected]) =>
    Effect.gen(function* () {
      for (const _tag of ["ModelFailed", "Lost"] as const) {
        const { outcomes } = yield* told({ _tag, message })
        assert.deepStrictEqual(
          outcomes,
          Array.from({ length: 3 }, () => ({ _tag, message: expected }))
        )
      }
    })
  )

  it.effect("in its log is redacted too, with its indentation", () =>
    Effect.gen(function* () {
      const { reports } = yield* told({ _tag: "Stopped" }, `  token ${secret}\u0007\nmore`)
      const logs = reports.flatMap((report) => (report === "started" ? [] : report.logs))
      assert.deepStrictEqual(logs, ["  token …  more", "  token …  more"])
    })
  )
})
