/**
 * Submitted requests that the dispatcher learns of from the log itself, so that their way to a run does not lead through a
 * read model's database and back. The DueWork projection is the truth: what is here is also there soon, and a model whose
 * requests are not all here is left to it (docs/decisions/0051).
 *
 * A model's requests are all here when a look into the projection left none behind, and each later one has been noted. A look
 * begins with the projection's position and ends with the models that still have rows; nothing is taken meanwhile.
 */
import {
  CancelRequested,
  RequestRequeued,
  RequestSubmitted,
  RunTakenOver,
  SweepRetried
} from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { steadyOf } from "#domain/inference-request/WallTime.ts"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as EventFields from "#projections/EventFields.ts"
import type { QueuedRequest } from "#projections/due-work/DueWork.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

type Position = GlobalPosition.GlobalPosition

/** The most requests kept for one model, and for all. A model with more is left to the projection. */
export interface Capacity {
  readonly perModel: number
  readonly total: number
}

export interface FreshWork {
  /** Takes the events of a commit, in the order of the log. True if there is something new to take. */
  readonly note: (events: ReadonlyArray<RecordedEvent>) => boolean
  /** The model's requests here, oldest first. Empty if they are not all of its requests. */
  readonly of: (model: ModelEndpoint) => ReadonlyArray<QueuedRequest>
  /** The models with requests to take. */
  readonly models: () => ReadonlyArray<ModelEndpoint>
  readonly remove: (request: Pick<QueuedRequest, "model" | "requestId">) => void
  /** Leaves the model's requests to the projection until a look leaves none behind. */
  readonly leave: (model: ModelEndpoint) => void
  /** Leaves all requests to the projection until it shows all events noted so far. */
  readonly leaveAll: () => void
  /** The models that are left to the projection. */
  readonly left: () => ReadonlySet<ModelEndpoint>
  /** Whether the projection has, or will have, work that is not here, apart from that of models left to it. */
  readonly isBehind: () => boolean
  /** A look into the projection begins, which has reached the position. */
  readonly beginLook: (position: Position) => void
  /** The look ends: these models still have rows. */
  readonly endLook: (withRows: Iterable<ModelEndpoint>) => void
}

/** Events after which only the projection shows what there is to do. */
const others: ReadonlySet<string> = new Set(
  [CancelRequested, RequestRequeued, RunTakenOver, SweepRetried].map(
    ({ fields }) => fields._tag.schema.literal
  )
)

const submitted = RequestSubmitted.fields._tag.schema.literal

interface Noted {
  readonly row: QueuedRequest
  readonly position: Position
}

/** Throws for an event that cannot be read. */
const rowOf = (event: RecordedEvent): QueuedRequest => ({
  requestId: RequestId.make(StreamName.idOf(event.stream)),
  accountId: AccountId.make(EventFields.text(event.data, "accountId")),
  model: ModelEndpoint.make(EventFields.text(event.data, "model")),
  dueAt: steadyOf(event),
  attempt: 0,
  failedAt: null,
  crashes: 0
})

/** `head` is where `note` begins. */
export const make = (head: Position, capacity: Capacity): FreshWork => {
  const noted = new Map<ModelEndpoint, Map<RequestId, Noted>>()
  let total = 0
  let end = head
  /** Up to here, only the projection knows all requests, or those of a model. */
  let unknownUpTo: Position | null = head
  const unknownOf = new Map<ModelEndpoint, Position>()
  /** Up to here, there is work that only the projection shows. */
  let othersUpTo: Position | null = null
  /** The models with rows that the last look left behind; `null` until a look has ended. */
  let withRows: Set<ModelEndpoint> | null = null

  const drop = (model: ModelEndpoint) => {
    total -= noted.get(model)?.size ?? 0
    noted.delete(model)
  }

  const add = (event: RecordedEvent): boolean => {
    const row = rowOf(event)
    const { model } = row
    const known = noted.get(model) ?? new Map<RequestId, Noted>()
    if (known.size >= capacity.perModel || total >= capacity.total) {
      drop(model)
      unknownOf.set(model, event.position)
      return false
    }
    noted.set(model, known.set(row.requestId, { row, position: event.position }))
    total++
    return isHere(model)
  }

  /** Whether all requests of the model that wait for their first run are here. */
  const isHere = (model: ModelEndpoint) =>
    unknownUpTo === null && withRows !== null && !withRows.has(model) && !unknownOf.has(model)

  const leaveAll = () => {
    noted.clear()
    unknownOf.clear()
    total = 0
    unknownUpTo = end
  }

  return {
    note: (events) => {
      let isNew = false
      for (const event of events) {
        end = event.position
        if (StreamName.categoryOf(event.stream) !== InferenceRequest.aggregate.category) continue
        if (others.has(event.type)) othersUpTo = end
        else if (event.type === submitted) {
          try {
            if (add(event)) isNew = true
          } catch {
            // The projection tells of what it cannot read.
            leaveAll()
          }
        }
      }
      return isNew
    },
    of: (model) => (isHere(model) ? Array.from(noted.get(model)?.values() ?? [], ({ row }) => row) : []),
    models: () => Array.from(noted.keys()).filter(isHere),
    remove: ({ model, requestId }) => {
      const known = noted.get(model)
      if (known?.delete(requestId) !== true) return
      total--
      if (known.size === 0) noted.delete(model)
    },
    leave: (model) => void withRows?.add(model),
    leaveAll,
    left: () => new Set([...(withRows ?? []), ...unknownOf.keys()]),
    isBehind: () => unknownUpTo !== null || withRows === null || othersUpTo !== null,
    beginLook: (position) => {
      withRows = null
      const isShown = (upTo: Position) => GlobalPosition.isReached(upTo, position)
      if (unknownUpTo !== null && isShown(unknownUpTo)) unknownUpTo = null
      if (othersUpTo !== null && isShown(othersUpTo)) othersUpTo = null
      for (const [model, upTo] of unknownOf) if (isShown(upTo)) unknownOf.delete(model)
      for (const [model, known] of noted) {
        for (const [id, { position }] of known) {
          if (!isShown(position)) break
          known.delete(id)
          total--
        }
        if (known.size === 0) noted.delete(model)
      }
    },
    endLook: (models) => {
      withRows = new Set(models)
    }
  }
}
