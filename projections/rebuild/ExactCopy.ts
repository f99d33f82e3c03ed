/** A copy of the read models that is built up to exact positions, to be compared with others. */
import { Array, Effect, Order, type Scope, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Projection } from "../Projection.ts"
import * as Checkpoints from "../runner/Checkpoints.ts"
import { type Group, makeApply } from "../runner/Group.ts"
import * as Member from "../runner/Member.ts"
import type { CopyError } from "./Copy.ts"
import * as CopyFile from "./CopyFile.ts"
import type { RebuildUnderWay } from "./RebuildError.ts"

/** By projection name. */
export type Positions = ReadonlyMap<string, GlobalPosition.GlobalPosition>

export interface ExactCopy {
  /**
   * Applies the log to each projection exactly up to its target, or to the end of the log. A projection that is further
   * ahead stays there. Calls `onProgress` after each page with the number of events read since the copy was opened.
   */
  reach(
    targets: Positions,
    onProgress?: (events: number) => Effect.Effect<void>
  ): Effect.Effect<void, CopyError>
  /** The position that each projection has reached. */
  readonly positions: () => Positions
}

/** A projection, and the position up to which it has applied the log: its last event's or a later one. */
interface Built {
  readonly member: Member.Member
  checkpoint: Checkpoints.Checkpoint
  position: GlobalPosition.GlobalPosition
}

/** Opens a copy. It holds the rebuild lock, is removed with the scope, and no list shows it. */
export const open = Effect.fn("ExactCopy.open")(function* (options: {
  /** The file of the first generation (`Generations`). */
  readonly base: string
  readonly projections: ReadonlyArray<Projection>
}): Effect.fn.Return<ExactCopy, CopyError | RebuildUnderWay, EventReader | Scope.Scope> {
  const reader = yield* EventReader
  const db = yield* CopyFile.open(options.base, [])
  const checkpoints = yield* CopyFile.attempt(() => Checkpoints.make(db))
  const apply = makeApply(db, checkpoints)
  const all: ReadonlyArray<Built> = yield* Effect.forEach(options.projections, (projection) =>
    CopyFile.attempt(() => {
      const checkpoint = checkpoints.rebuild(projection)
      return { member: Member.open(projection, db), checkpoint, position: checkpoint.position }
    })
  )
  let read = 0

  const advance = Effect.fnUntraced(function* (group: Group, events: ReadonlyArray<RecordedEvent>) {
    const [failure] = yield* CopyFile.attempt(() => apply(group, events))
    if (failure !== undefined) return yield* CopyFile.notApplicable(failure)
    read += events.length
    yield* Effect.yieldNow
  })

  /** Projections at the same position advance together until one of them reaches its target or another projection. */
  const step = Effect.fnUntraced(function* (
    { members, until }: Step,
    onProgress: (events: number) => Effect.Effect<void>
  ) {
    const group: Group = { members: members.map(({ member }) => member), checkpoint: members[0].checkpoint }
    yield* reader.readAll(members[0].position).pipe(
      Stream.takeWhile(({ position }) => GlobalPosition.isReached(position, until)),
      Stream.runForEachArray((events) => Effect.andThen(advance(group, events), () => onProgress(read)))
    )
    for (const built of members) {
      built.checkpoint = group.checkpoint
      built.position = until
    }
  })

  return {
    reach: Effect.fn("ExactCopy.reach")(function* (targets, onProgress = () => Effect.void) {
      for (let next = nextStep(all, targets); next !== undefined; next = nextStep(all, targets)) {
        yield* step(next, onProgress)
      }
    }),
    positions: () => new Map(all.map(({ member, position }) => [member.name, position]))
  }
})

interface Step {
  readonly members: Array.NonEmptyReadonlyArray<Built>
  readonly until: GlobalPosition.GlobalPosition
}

/** Starts with the projections furthest behind, so that no part of the log is read twice. */
const nextStep = (all: ReadonlyArray<Built>, targets: Positions): Step | undefined => {
  const targetOf = ({ member, position }: Built) => targets.get(member.name) ?? position
  const behind = all.filter((built) => isBefore(built.position, targetOf(built)))
  if (!Array.isReadonlyArrayNonEmpty(behind)) return undefined
  const from = least(Array.map(behind, ({ position }) => position))
  const members = behind.filter(({ position }) => position === from)
  if (!Array.isReadonlyArrayNonEmpty(members)) return undefined
  const ahead = behind.map(({ position }) => position).filter((position) => position !== from)
  return { members, until: least(Array.appendAll(Array.map(members, targetOf), ahead)) }
}

const least = Array.min(GlobalPosition.order)
const isBefore = Order.isLessThan(GlobalPosition.order)
