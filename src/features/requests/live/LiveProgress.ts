/** The progress of runs, for open streams; not stored. One follower of the log serves all streams of a node. */
import { Context, Effect, Layer, Queue, type Scope } from "effect"
import { type AccountId, RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { ProgressReported } from "#domain/inference-request/Event.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { RequestActors } from "../RequestActors.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { matches, type StreamFilter } from "./StreamFilter.ts"

export interface Progress {
  readonly accountId: AccountId
  readonly requestId: RequestId
  readonly model: ModelEndpoint
  /** 0 to 1. */
  readonly fraction: number
}

/** Reports buffered for a slow stream. The oldest are dropped first. */
const mostWaiting = 64

const type = ProgressReported.fields._tag.schema.literal

export class LiveProgress extends Context.Service<
  LiveProgress,
  {
    /** New reports on the wanted requests, until the scope ends. */
    listen(wanted: StreamFilter): Effect.Effect<Queue.Dequeue<Progress>, never, Scope.Scope>
  }
>()("inferlog/src/features/requests/live/LiveProgress") {
  static readonly layer = Layer.effect(
    LiveProgress,
    Effect.gen(function* () {
      const reader = yield* EventReader
      const actors = yield* RequestActors
      const listeners = new Map<Queue.Queue<Progress>, StreamFilter>()
      let position = yield* reader.head

      const reportOf = Effect.fnUntraced(function* ({ data, stream }: RecordedEvent) {
        const { fraction } = data
        if (typeof fraction !== "number") return null
        const id = RequestId.make(StreamName.idOf(stream))
        const { state } = yield* actors.current(id)
        // An ended run reports nothing, because its end may already be sent.
        if (state._tag === "NotSubmitted" || state.phase._tag !== "Running") return null
        const { accountId, model } = state.submitted
        return { accountId, requestId: id, model, fraction } satisfies Progress
      })

      const hand = (report: Progress | null) => {
        if (report === null) return
        for (const [queue, wanted] of listeners) {
          if (matches(wanted, report)) Queue.offerUnsafe(queue, report)
        }
      }

      const isReport = (event: RecordedEvent) =>
        event.type === type && StreamName.categoryOf(event.stream) === InferenceRequest.aggregate.category

      const follow = Effect.suspend(() =>
        reader.follow(position, (events) => {
          position = events.at(-1)?.position ?? position
          const reports = listeners.size === 0 ? [] : events.filter(isReport)
          return reports.length === 0
            ? undefined
            : Effect.forEach(reports, (event) => Effect.map(reportOf(event), hand), { discard: true })
        })
      )
      yield* Effect.forkScoped(supervise("Following the log for progress of runs", follow))

      return LiveProgress.of({
        listen: (wanted) =>
          Effect.acquireRelease(
            Effect.map(Queue.sliding<Progress>(mostWaiting), (queue) => {
              listeners.set(queue, wanted)
              return queue
            }),
            (queue) => Effect.sync(() => void listeners.delete(queue))
          )
      })
    })
  )
}
