/** One trace for a request: a run belongs to the trace of its submit, if this process accepted the request. */
import { Clock, Context, Effect, Exit, Layer, References, type Tracer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { Runs, type RunSlot } from "./Runs.ts"
import { Requests } from "#src/features/requests/Requests.ts"

/** The most requests whose span is stored. The runs of older ones begin a trace of their own. */
const capacity = 10_000

export class SubmitSpans extends Context.Service<
  SubmitSpans,
  {
    store(id: RequestId, span: Tracer.Span): void
    of(id: RequestId): Tracer.Span | undefined
  }
>()("inferlog/src/features/dispatch/SubmitSpans") {
  static readonly layer = Layer.sync(SubmitSpans, () => {
    const spans = new Map<RequestId, Tracer.Span>()
    return SubmitSpans.of({
      store: (id, span) => {
        spans.set(id, span)
        const [oldest] = spans.keys()
        if (spans.size > capacity && oldest !== undefined) spans.delete(oldest)
      },
      of: (id) => spans.get(id)
    })
  })
}

/** The untraced service if tracing is off. */
const whereTraced = <A, R>(service: A, traced: Effect.Effect<A, never, R>) =>
  Effect.flatMap(References.TracerEnabled, (isTraced) => (isTraced ? traced : Effect.succeed(service)))

/** Traces the submits of `Requests`. */
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
                  spans.store(id, span)
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

/** Traces `Runs`, each run within the trace of its submit. */
export const runs = Layer.effect(
  Runs,
  Effect.gen(function* () {
    const runs = yield* Runs
    const clock = yield* Clock.Clock
    const context = yield* Effect.context<never>()
    const traced = Effect.map(SubmitSpans, (spans) => {
      const begin = ({ about: { id }, endpoint }: RunSlot) => {
        const parent = spans.of(id)
        return Effect.runSyncWith(context)(
          Effect.makeSpan("Run", {
            attributes: { request_id: id, model: endpoint },
            ...(parent === undefined ? { root: true } : { parent })
          })
        )
      }
      return Runs.of({
        ...runs,
        take: (slot) => {
          const span = begin(slot)
          const taken = runs.take({
            ...slot,
            about: { ...slot.about, span },
            onEnd: () => {
              span.end(clock.currentTimeNanosUnsafe(), Exit.void)
              slot.onEnd()
            }
          })
          return {
            ...taken,
            begin: (claimed) => {
              span.attribute("attempt", claimed.request.attempt)
              taken.begin(claimed)
            }
          }
        }
      })
    })
    return yield* whereTraced(runs, traced)
  })
)
