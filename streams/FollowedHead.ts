/** The end of a shared log as far as this process has followed it. A new node can start from it. */
import { Context, type Effect } from "effect"
import type { GlobalPosition } from "./GlobalPosition.ts"

export interface HeadDigest {
  /** Position of the last event. */
  readonly position: GlobalPosition
  /** Digest of the log up to that event. */
  readonly digest: string
}

export class FollowedHead extends Context.Service<
  FollowedHead,
  {
    /** `null` for an empty log. */
    readonly now: Effect.Effect<HeadDigest | null>
  }
>()("inferlog/streams/FollowedHead") {}
