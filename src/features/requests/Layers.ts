import { Layer } from "effect"
import { Funds } from "#src/features/funds/Funds.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import * as ActorRequests from "./ActorRequests.ts"
import { SecondLooks } from "./Reading.ts"
import { RequestChanges } from "./RequestChanges.ts"

/** On several nodes a young request may not have arrived yet, so it is read again. */
const secondLooks = SharedLog.choose({ single: Layer.empty, shared: Layer.succeed(SecondLooks, 4) })

export const layer = ActorRequests.layer.pipe(
  Layer.provide(secondLooks),
  Layer.provideMerge(Layer.merge(RequestChanges.layer, Funds.layer))
)
