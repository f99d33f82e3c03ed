import type { BuiltinModel } from "../BuiltinModel.ts"
import { echo } from "./Echo.ts"
import { fail, invalidOutput, providerFail } from "./Failing.ts"
import { flaky } from "./Flaky.ts"
import { partial } from "./Partial.ts"
import { slow } from "./Slow.ts"
import { chat } from "./Chat.ts"
import { stream } from "./Stream.ts"

/** The sandbox models that run on timers alone. */
export const sandboxModels: ReadonlyArray<BuiltinModel> = [
  echo,
  slow,
  fail,
  providerFail,
  invalidOutput,
  partial,
  flaky,
  stream,
  chat
]
