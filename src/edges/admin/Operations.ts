import type { Effect } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"

/** The operations of `Group` as functions from payload to result. */
export type Operations<Group> = {
  readonly [Operation in RpcGroup.Rpcs<Group> as Operation["_tag"]]: (
    payload: Rpc.Payload<Operation>
  ) => Effect.Effect<Rpc.Success<Operation>, Rpc.Error<Operation>>
}
