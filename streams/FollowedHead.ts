/** The end of a shared log as this process has seen it, for whoever begins with what others have read. */
import { Context, type Effect } from "effect"
import type { GlobalPosition } from "./GlobalPosition.ts"

export interface HeadDigest {
  /** Of the last event. */
  readonly position: GlobalPosition
  /** Of the log up to there. */
  readonly digest: string
}

export class FollowedHead extends Context.Service<
  FollowedHead,
  {
    /** `null` for an empty log. */
    readonly now: Effect.Effect<HeadDigest | null>
  }
>()("inferlog/streams/FollowedHead") {}
