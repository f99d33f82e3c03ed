/** One trace for a request: what was submitted in it is run in it, as far as this process remembers. */
import { Clock, Context, Effect, Exit, Layer, References, type Tracer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { Requests } from "#src/features/requests/Requests.ts"

/** Requests whose span is known; the oldest are forgotten first, and begin a trace with their run. */
const capacity = 10_000

export class SubmitSpans extends Context.Service<
  SubmitSpans,
  {
    keep(id: RequestId, span: Tracer.Span): void
    of(id: RequestId): Tracer.Span | undefined
  }
>()("inferlog/src/features/dispatch/SubmitSpans") {
  static readonly layer = Layer.sync(SubmitSpans, () => {
    const spans = new Map<RequestId, Tracer.Span>()
    return SubmitSpans.of({
      keep: (id, span) => {
        spans.set(id, span)
        const [oldest] = spans.keys()
        if (spans.size > capacity && oldest !== undefined) spans.delete(oldest)
      },
      of: (id) => spans.get(id)
    })
  })
}

/** The service as it is when nothing is traced. */
const whereTraced = <A, R>(service: A, traced: Effect.Effect<A, never, R>) =>
  Effect.flatMap(References.TracerEnabled, (isTraced) => (isTraced ? traced : Effect.succeed(service)))

/** `Requests` of the layer below, whose submits are remembered. */
export const requests = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const requests = yield* Requests
    const traced = Effect.map(SubmitSpans, (spans) =>
      Requests.of({
        ...requests,
        submit: (submission, checks) =>
          Effect.useSpan("Requests.accept", { attributes: { model: submission.endpoint } }, (span) =>
            requests.submit(submission, checks).pipe(
              Effect.tap(({ id }) =>
                Effect.sync(() => {
                  span.attribute("request_id", id)
                  spans.keep(id, span)
                })
              ),
              Effect.withParentSpan(span)
            )
          )
      })
    )
    return yield* whereTraced(requests, traced)
  })
)

/** `Runs` of the layer below, each within the trace of its submit. */
export const runs = Layer.effect(
  Runs,
  Effect.gen(function* () {
    const runs = yield* Runs
    const traced = Effect.map(SubmitSpans, (spans) =>
      Runs.of({
        ...runs,
        start: (options) =>
          Effect.gen(function* () {
            const { claim, endpoint, id, onEnd } = options
            const attributes = { request_id: id, model: endpoint }
            const parent = spans.of(id)
            const span = yield* Effect.makeSpan("Run", {
              attributes,
              ...(parent === undefined ? { root: true } : { parent })
            })
            const claiming = Effect.tap(claim, (claimed) =>
              Effect.sync(() => span.attribute("attempt", claimed?.request.attempt ?? 0))
            )
            const ended = Effect.map(Clock.currentTimeNanos, (now) => span.end(now, Exit.void))
            yield* runs
              .start({ ...options, claim: claiming, onEnd: Effect.andThen(ended, onEnd) })
              .pipe(Effect.withParentSpan(span))
          }).pipe(Effect.withTracerEnabled(true))
      })
    )
    return yield* whereTraced(runs, traced)
  })
)
