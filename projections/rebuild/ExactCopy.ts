/** A copy of the read models that is built to exactly where others stand, to be compared with them. */
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

/** By the projection's name. */
export type Positions = ReadonlyMap<string, GlobalPosition.GlobalPosition>

export interface ExactCopy {
  /**
   * Applies the log to each projection up to its position and not past it, or to the log's end. One that stands further on
   * stays there. `onProgress` is called after each page with the number of events read since the copy was opened.
   */
  reach(
    targets: Positions,
    onProgress?: (events: number) => Effect.Effect<void>
  ): Effect.Effect<void, CopyError>
  /** Up to where each projection was brought. */
  readonly positions: () => Positions
}

/** One projection, and the position up to which it has applied the log: that of its last event, or later. */
interface Built {
  readonly member: Member.Member
  checkpoint: Checkpoints.Checkpoint
  position: GlobalPosition.GlobalPosition
}

/** Holds off rebuilds, as they do it. The copy is removed with the scope, and no list shows it. */
export const open = Effect.fn("ExactCopy.open")(function* (options: {
  /** Of the first generation (`Generations`). */
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

  /** Those that stand at the same place go on together, until one of them, or another on their way, has arrived. */
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

/** Those furthest behind come first, so that nobody's way is gone twice. */
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
