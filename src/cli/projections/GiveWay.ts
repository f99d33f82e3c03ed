import * as os from "node:os"
import { Effect } from "effect"

/** Lowers the priority of this process, so that a server on the same machine is not slowed down. */
export const lowerPriority = Effect.sync(() => os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL))
