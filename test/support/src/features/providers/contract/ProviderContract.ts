/**
 * The contract of every adapter that calls a provider over HTTP, run against a server with the provider's protocol.
 * In an adapter's test file: `providerContract("http", { upstream: HttpUpstream.make, provider: HttpProvider.make
 * })`. Uses the live clock, and the waits of `Surroundings.pace`.
 */
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, References, Schedule } from "effect"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { JobState } from "#src/features/providers/Provider.ts"
import { type AdapterUnderTest, begin, limit, setUp } from "./AdapterUnderTest.ts"
import type { Behaviour, Upstream } from "./Upstream.ts"
import * as InputSizes from "#test/support/InputSizes.ts"
import * as Until from "#test/support/Until.ts"

const message = (outcome: ProviderOutcome): string => ("message" in outcome ? outcome.message : "")

const assertProviderError = (outcome: ProviderOutcome, retryable: boolean) => {
  assert.strictEqual(outcome._tag, "ProviderError", JSON.stringify(outcome._tag))
  if (outcome._tag === "ProviderError") assert.strictEqual(outcome.retryable, retryable, outcome.message)
  assert.isAbove(message(outcome).length, 0)
}

const assertSucceeded = (outcome: ProviderOutcome, { example }: Upstream) => {
  assert.strictEqual(outcome._tag, "Succeeded", message(outcome))
  if (outcome._tag === "Succeeded") assert.deepStrictEqual(outcome.output, example.output)
}

/** Polled until it holds, because shortly after a change the old state may still be reported. */
const lookUntil = (look: Effect.Effect<JobState>, tag: JobState["_tag"]) =>
  look.pipe(Effect.repeat({ until: (state) => state._tag === tag }), Effect.timeout(limit))

export const providerContract = (name: string, adapter: AdapterUnderTest): void => {
  /** Runs one job with `behaviour` to its end. */
  const runOnce = Effect.fnUntraced(function* (...behaviours: ReadonlyArray<Behaviour>) {
    const set = yield* setUp(adapter)
    yield* set.upstream.plan(...behaviours)
    const run = yield* begin(set)
    return { ...set, ...run, ended: yield* run.outcome }
  })

  /** One accepted run that does not end by itself. */
  const holdOne = Effect.fnUntraced(function* () {
    const set = yield* setUp(adapter)
    yield* set.upstream.plan({ _tag: "Succeeds", held: true })
    const run = yield* begin(set)
    yield* Effect.timeout(set.upstream.taken(1), limit)
    const jobId = set.upstream.has.jobIds ? yield* Effect.timeout(run.accepted, limit) : null
    return { ...set, ...run, jobId }
  })

  describe(`${name} as a provider`, () => {
    it.live("sends the input and the credential, and returns the output", () =>
      Effect.gen(function* () {
        const { ended, reports, upstream } = yield* runOnce()
        assertSucceeded(ended, upstream)
        const jobs = yield* upstream.jobs
        assert.deepStrictEqual(
          jobs.map(({ credential, input }) => ({ credential, input })),
          [
            {
              credential: upstream.binding.secretEnv === undefined ? null : upstream.secret,
              input: upstream.example.input
            }
          ]
        )
        assert.include(reports, "started")
        assert.strictEqual(reports.filter((report) => report === "started").length, 1)
        if (upstream.has.logs) {
          const lines = reports.flatMap((report) => (report === "started" ? [] : report.logs))
          assert.isNotEmpty(lines)
          assert.strictEqual(new Set(lines).size, lines.length, "a line was told twice")
        }
      })
    )

    it.live.each(InputSizes.all)("sends an input of %i bytes whole", (size) =>
      Effect.gen(function* () {
        const set = yield* setUp(adapter)
        const input = InputSizes.grown(set.upstream.example.input, size)
        const { outcome } = yield* begin({ ...set, job: { ...set.job, input } })
        const ended = yield* outcome
        assert.strictEqual(ended._tag, "Succeeded", message(ended))
        const [job] = yield* set.upstream.jobs
        // A comparison that fails would print megabytes.
        assert.isTrue(isDeepStrictEqual(job?.input, input), "the input arrived otherwise")
      })
    )

    it.live("waits for a long run", () =>
      Effect.gen(function* () {
        const { fiber, jobId, jobIds, outcome, upstream } = yield* holdOne()
        assert.isUndefined(fiber.pollUnsafe())
        const [job] = yield* upstream.jobs
        assert.strictEqual(jobId, job?.id ?? null)
        yield* upstream.release
        assertSucceeded(yield* outcome, upstream)
        assert.lengthOf(jobIds, upstream.has.jobIds ? 1 : 0)
      })
    )

    it.live("reports the run time of the model, and no less than the provider reports", () =>
      Effect.gen(function* () {
        const { jobId, outcome, started, upstream } = yield* holdOne()
        if (jobId !== null) yield* Effect.timeout(started, limit)
        const seenAt = yield* MonotonicTime.millis
        const held = yield* Effect.map(MonotonicTime.millis, (now) => now - seenAt).pipe(
          Effect.repeat({ until: (ms) => ms >= 20, schedule: Schedule.spaced(5) })
        )
        yield* upstream.release
        const ended = yield* outcome
        assertSucceeded(ended, upstream)
        if (ended._tag === "Succeeded") assert.isAtLeast(1_000 * (ended.seconds ?? 0), held - 2)
      })
    )

    it.live("reports why the model failed", () =>
      Effect.gen(function* () {
        const said = "CUDA out of memory"
        const { ended } = yield* runOnce({ _tag: "Fails", message: said })
        assert.strictEqual(ended._tag, "ModelFailed", message(ended))
        assert.include(message(ended), said)
      })
    )

    for (const [status, retryable] of [
      [400, false],
      [401, false],
      [404, false],
      [500, true],
      [503, true]
    ] as const) {
      it.live(`treats ${status} as ${retryable ? "a retryable error" : "a final rejection"}`, () =>
        Effect.gen(function* () {
          const { ended } = yield* runOnce({ _tag: "Refuses", status })
          assertProviderError(ended, retryable)
        })
      )
    }

    it.live("treats a broken connection as a retryable error", () =>
      Effect.gen(function* () {
        const { ended } = yield* runOnce({ _tag: "Resets" })
        assertProviderError(ended, true)
      })
    )

    it.live("distinguishes an unreachable address from a failed run, and probes it again", () =>
      Effect.gen(function* () {
        const set = yield* setUp(adapter)
        const binding = { ...set.job.binding, url: "http://127.0.0.1:1" }
        const { outcome } = yield* begin({ ...set, job: { ...set.job, binding } })
        assert.deepInclude(yield* outcome, { _tag: "Unreachable", reason: "connection_refused" })
        const { reach } = yield* set.instance
        if (reach === undefined) return yield* Effect.die(new Error("expected a provider that can be probed"))
        assert.strictEqual(yield* reach(binding), "connection_refused")
        assert.isNull(yield* reach(set.job.binding))
      })
    )

    it.live("distinguishes a rate limit from failures, and reports its duration", () =>
      Effect.gen(function* () {
        const set = yield* setUp(adapter)
        yield* set.upstream.plan({ _tag: "RateLimits" }, { _tag: "RateLimits", retryAfterSeconds: 7 })
        const first = yield* (yield* begin(set)).outcome
        const second = yield* (yield* begin(set)).outcome
        assert.strictEqual(first._tag, "RateLimited")
        if (first._tag === "RateLimited") assert.isAbove(first.retryAfterMs, 0)
        if (!set.upstream.has.retryAfter) assert.strictEqual(second._tag, "RateLimited")
        else assert.deepStrictEqual(second, { _tag: "RateLimited", retryAfterMs: 7_000 })
      })
    )

    it.live("does not wait for a job that the provider has forgotten", () =>
      Effect.gen(function* () {
        const { ended } = yield* runOnce({ _tag: "Forgets" })
        if (ended._tag !== "Lost") assertProviderError(ended, true)
      })
    )

    it.live("ends with what an invalid answer is, without quoting it", () =>
      Effect.gen(function* () {
        const { ended } = yield* runOnce({ _tag: "Babbles" })
        assert.strictEqual(ended._tag, "ModelFailed")
        assert.include(message(ended), "HTML, not JSON")
        assert.notMatch(message(ended), /<|It works/)
      })
    )

    it.live("does not call without the credential in its binding", () =>
      Effect.gen(function* () {
        const set = yield* setUp(adapter, false)
        if (set.upstream.binding.secretEnv === undefined) return
        const run = yield* begin(set)
        assertProviderError(yield* run.outcome, true)
        assert.isEmpty(yield* set.upstream.jobs)
        // It is logged; the expected log line is hidden.
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )

    it.live("never discloses the credential", () =>
      Effect.gen(function* () {
        const set = yield* setUp(adapter)
        for (const status of [400, 401, 500]) {
          yield* set.upstream.plan({ _tag: "Refuses", status })
          const run = yield* begin(set)
          assert.notInclude(JSON.stringify([yield* run.outcome, run.reports]), set.upstream.secret)
        }
      })
    )

    it.live("cancels at the provider what the client cancels", () =>
      Effect.gen(function* () {
        const { outcome, stop, upstream } = yield* holdOne()
        if (!upstream.has.cancel) return
        yield* stop
        assert.deepStrictEqual(yield* outcome, { _tag: "Stopped" })
        // If closing the connection stops it, the server notices a moment later.
        const states = yield* Until.until(
          "a cancelled job",
          Effect.map(upstream.jobs, (jobs) => jobs.map(({ state }) => state)),
          ([state]) => state === "cancelled"
        )
        assert.deepStrictEqual(states, ["cancelled"])
      })
    )

    it.live("reports the result of a run that ends while it is being stopped", () =>
      Effect.gen(function* () {
        const { outcome, stop, upstream } = yield* holdOne()
        yield* Effect.all([upstream.release, stop], { concurrency: 2 })
        const ended = yield* outcome
        const [job] = yield* upstream.jobs
        if (job?.state === "succeeded" && upstream.has.jobIds) assertSucceeded(ended, upstream)
        else if (ended._tag !== "Stopped") assertSucceeded(ended, upstream)
      })
    )

    it.live("is interrupted at once, and leaves the job to the provider", () =>
      Effect.gen(function* () {
        const { fiber, upstream } = yield* holdOne()
        yield* Effect.timeout(Fiber.interrupt(fiber), "1 second")
        const [job] = yield* upstream.jobs
        if (upstream.has.jobIds) assert.notStrictEqual(job?.state, "cancelled")
      })
    )

    it.live("resumes a run of a former process, and the model runs once", () =>
      Effect.gen(function* () {
        const { fiber, jobId, upstream, ...set } = yield* holdOne()
        if (jobId === null) return
        yield* Fiber.interrupt(fiber)
        const second = yield* begin(set, jobId)
        yield* upstream.release
        assertSucceeded(yield* second.outcome, upstream)
        assert.lengthOf(yield* upstream.jobs, 1)
      })
    )

    it.live("cancels a run of a former process", () =>
      Effect.gen(function* () {
        const { fiber, jobId, upstream, ...set } = yield* holdOne()
        if (jobId === null || !upstream.has.cancel) return
        yield* Fiber.interrupt(fiber)
        const second = yield* begin(set, jobId)
        yield* second.stop
        assert.deepStrictEqual(yield* second.outcome, { _tag: "Stopped" })
      })
    )

    it.live("reports a job that the provider does not know as lost", () =>
      Effect.gen(function* () {
        const set = yield* setUp(adapter)
        const { outcome, provider } = yield* begin(set, "job0000000000000000000000000")
        assert.strictEqual((yield* outcome)._tag, "Lost")
        assert.isEmpty(yield* set.upstream.jobs)
        const { input: _, ...looked } = set.job
        const state = yield* provider.look(looked, "job0000000000000000000000000")
        assert.deepStrictEqual(state, { _tag: "Unknown" })
      })
    )

    it.live("looks up the state of a job without changing it", () =>
      Effect.gen(function* () {
        const { fiber, job, jobId, provider, upstream } = yield* holdOne()
        if (jobId === null) return
        const { input: _, ...looked } = job
        assert.deepStrictEqual(yield* provider.look(looked, jobId), { _tag: "Alive" })
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
        yield* upstream.release
        if (upstream.has.answersLater === false) return
        const state = yield* lookUntil(provider.look(looked, jobId), "Finished")
        if (state._tag === "Finished") assertSucceeded(state.outcome, upstream)
        assert.lengthOf(yield* upstream.jobs, 1)
      })
    )
  })
}
