/** Fibers for what a run has to wait for. Their log lines tell the request, and their spans belong to the run's. */
import { Context, Effect, type Fiber, References, Tracer } from "effect"
import type { RequestId } from "#domain/Ids.ts"

export interface About {
  readonly id: RequestId
  /** Absent where runs are not traced. */
  readonly span?: Tracer.Span
}

export type Fork = <A, E>(about: About, effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** They outlive the scope, so the caller that forks them must end them. */
export const make: Effect.Effect<Fork> = Effect.map(Effect.context<never>(), (context): Fork => {
  const annotations = Context.get(context, References.CurrentLogAnnotations)
  const annotated = (id: RequestId) =>
    Context.add(context, References.CurrentLogAnnotations, { ...annotations, request_id: id })
  const traced = (id: RequestId, span: Tracer.Span) =>
    annotated(id).pipe(Context.add(Tracer.ParentSpan, span), Context.add(References.TracerEnabled, true))
  return ({ id, span }, effect) =>
    Effect.runForkWith(span === undefined ? annotated(id) : traced(id, span))(effect)
})
