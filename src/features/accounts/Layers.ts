import { Layer } from "effect"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import { Authentication } from "./Authentication.ts"
import { KeyRing } from "./KeyRing.ts"
import * as KnownAccounts from "./KnownAccounts.ts"
import { Passwords } from "./Passwords.ts"
import { RateLimits } from "./RateLimits.ts"
import { Tokens } from "./tokens/Tokens.ts"

/** On several nodes, loads all accounts, so that keys are accepted while the log cannot be read. */
export const layerLoading = SharedLog.choose({ single: Layer.empty, shared: KnownAccounts.layer })

export const layer = Layer.mergeAll(
  KeyRing.layer,
  Passwords.layer,
  Authentication.layer,
  RateLimits.layer,
  Tokens.layer
)
