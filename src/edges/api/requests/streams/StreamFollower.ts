/** Writes status changes to an open stream, and decides when the stream is complete. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Follower } from "#src/features/requests/live/Following.ts"
import type { Taking } from "#src/features/requests/live/LiveHub.ts"
import type { StreamFilter } from "#src/features/requests/live/StreamFilter.ts"
import type { Requests } from "#src/features/requests/Requests.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import * as StreamView from "./StreamView.ts"

export interface Options {
  readonly caller: Caller
  readonly wanted: StreamFilter
  /** Whether the event that ends a request has its log lines. */
  readonly withLogs: boolean
}

export const make = (queueUrl: string, requests: Requests["Service"]) => {
  const events = new WeakMap<StatusChange, string>()
  const shared = new WeakMap<ReadonlyArray<StatusChange>, Buffer>()

  const eventOf = (change: StatusChange): string => {
    const made = events.get(change) ?? StreamView.statusEvent(queueUrl, change)
    events.set(change, made)
    return made
  }

  /** The same array gives the same bytes, for every stream. */
  const bytesOf = (changes: ReadonlyArray<StatusChange>): Buffer => {
    const made = shared.get(changes) ?? Buffer.from(changes.map(eventOf).join(""))
    shared.set(changes, made)
    return made
  }

  /** Without log lines if the request cannot be read any more, because the client must still learn that it ended. */
  const eventWithLogs = (caller: Caller, change: StatusChange): Effect.Effect<string, EventStoreError> =>
    StreamView.endsRequest(change)
      ? requests.get({ caller, id: change.requestId }).pipe(
          Effect.map(({ request }) => StreamView.statusEvent(queueUrl, change, request.logs)),
          Effect.catchTag(["RequestNotFound", "RequestForbidden"], () => Effect.succeed(eventOf(change)))
        )
      : Effect.succeed(eventOf(change))

  /** @param ended named requests whose last event the client has seen. */
  return (
    stream: EventStream,
    { caller, wanted, withLogs }: Options,
    ended: ReadonlySet<RequestId>
  ): Follower<EventStoreError> => {
    const named = wanted.requestIds
    const left = named === null ? null : new Set([...named].filter((id) => !ended.has(id)))
    const isDone = () => left?.size === 0

    const write = (bytes: string | Buffer, changes: ReadonlyArray<StatusChange>): boolean => {
      const hasRoom = stream.write(bytes)
      if (left !== null) {
        for (const change of changes) if (StreamView.endsRequest(change)) left.delete(change.requestId)
      }
      return hasRoom
    }

    /** One by one, because the log lines of many requests may be large. */
    const giveWithLogs = (changes: ReadonlyArray<StatusChange>) =>
      Effect.forEach(
        changes,
        (change) =>
          Effect.flatMap(eventWithLogs(caller, change), (text) => {
            write(text, [change])
            return stream.ready
          }),
        { discard: true }
      )

    const take = (changes: ReadonlyArray<StatusChange>): Taking => {
      // Log lines have to be read first.
      if (withLogs && changes.some(StreamView.endsRequest)) return "declined"
      return write(bytesOf(changes), changes) && !isDone() ? "taken" : "full"
    }

    return {
      wanted,
      isDone,
      take,
      ready: stream.ready,
      give: (changes) =>
        withLogs
          ? giveWithLogs(changes)
          : Effect.suspend(() => {
              write(bytesOf(changes), changes)
              return stream.ready
            })
    }
  }
}
