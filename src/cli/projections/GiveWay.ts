import * as os from "node:os"
import { Effect } from "effect"

/** A server on the same machine comes first. */
export const giveWay = Effect.sync(() => os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL))
