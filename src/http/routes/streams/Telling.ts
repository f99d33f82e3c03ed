/** How an open stream tells of changes, and when it has told all that it will. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import type { Follower } from "#src/live/Following.ts"
import type { Taking } from "#src/live/LiveHub.ts"
import type { Wanted } from "#src/live/Wanted.ts"
import type { RequestForbidden, RequestNotFound, Requests } from "#src/requests/Requests.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { EventStream } from "../../edge/EventStream.ts"
import * as StreamView from "../../views/StreamView.ts"

export interface Telling {
  readonly caller: Caller
  readonly wanted: Wanted
  /** Whether the event that ends a request has its log lines. */
  readonly withLogs: boolean
  /** Named requests whose end the client has been told of. */
  readonly ended: ReadonlySet<RequestId>
}

export type LogsError = RequestNotFound | RequestForbidden | EventStoreError

export const make = (queueUrl: string, requests: Requests["Service"]) => {
  const events = new WeakMap<StatusChange, string>()
  const shared = new WeakMap<ReadonlyArray<StatusChange>, Buffer>()

  const eventOf = (change: StatusChange): string => {
    const made = events.get(change) ?? StreamView.statusEvent(queueUrl, change)
    events.set(change, made)
    return made
  }

  /** Of the same array the same bytes, whoever is told of it. */
  const bytesOf = (changes: ReadonlyArray<StatusChange>): Buffer => {
    const made = shared.get(changes) ?? Buffer.from(changes.map(eventOf).join(""))
    shared.set(changes, made)
    return made
  }

  const eventWithLogs = (caller: Caller, change: StatusChange): Effect.Effect<string, LogsError> =>
    StreamView.endsRequest(change)
      ? Effect.map(requests.get({ caller, id: change.requestId }), ({ request }) =>
          StreamView.statusEvent(queueUrl, change, request.logs)
        )
      : Effect.succeed(eventOf(change))

  return (stream: EventStream, { caller, ended, wanted, withLogs }: Telling): Follower<LogsError> => {
    const named = wanted.requestIds
    const left = named === null ? null : new Set([...named].filter((id) => !ended.has(id)))
    const isDone = () => left?.size === 0

    const write = (bytes: Buffer, changes: ReadonlyArray<StatusChange>): boolean => {
      const hasRoom = stream.write(bytes)
      if (left !== null) {
        for (const change of changes) if (StreamView.endsRequest(change)) left.delete(change.requestId)
      }
      return hasRoom
    }

    const made = (changes: ReadonlyArray<StatusChange>): Effect.Effect<Buffer, LogsError> =>
      withLogs
        ? Effect.map(
            Effect.forEach(changes, (change) => eventWithLogs(caller, change)),
            (texts) => Buffer.from(texts.join(""))
          )
        : Effect.sync(() => bytesOf(changes))

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
        Effect.flatMap(made(changes), (bytes) => {
          write(bytes, changes)
          return stream.ready
        })
    }
  }
}
