/** Why a large answer is not begun: too much waits for clients to read it. */
import type { Scope } from "./edge/AnswerRoom.ts"
import * as LimitRefusals from "./LimitRefusals.ts"
import { Refusal } from "./Refusal.ts"

/** By then those that read nothing have given way. */
const retryAfterSeconds = 3

const full = (error: string): Refusal =>
  new Refusal({ status: 503, error, headers: { "retry-after": String(retryAfterSeconds) } })

const byScope: Readonly<Record<Scope, Refusal>> = {
  node: full("Too many large answers are being read at the moment."),
  client: full("Too many large answers are being read from this address at the moment."),
  file: full("The file is being read by too many at the moment.")
}

const ofAccount = LimitRefusals.tooManyUnread(retryAfterSeconds)

/** @param hasAccount whether the client is an account. */
export const of = (scope: Scope, hasAccount: boolean): Refusal =>
  scope === "client" && hasAccount ? ofAccount : byScope[scope]
