/** Error answers instead of large ones because too many bytes wait for clients to read them. */
import type { Scope } from "./edge/Reader.ts"
import type { Full } from "./edge/SlowReaders.ts"
import * as LimitErrorAnswers from "./LimitErrorAnswers.ts"
import { ErrorAnswer } from "./ErrorAnswer.ts"

/** By then clients that read nothing have been disconnected. */
const retryAfterSeconds = 3

const full = (error: string): ErrorAnswer =>
  new ErrorAnswer({ status: 503, error, headers: { "retry-after": String(retryAfterSeconds) } })

const byScope: Readonly<Record<Scope, ErrorAnswer>> = {
  node: full("Too many large answers are being read at the moment."),
  client: full("Too many large answers are being read from this address at the moment."),
  file: full("Too many clients are reading the file at the moment.")
}

export const of = ({ hasAccount, limit, scope }: Full): ErrorAnswer =>
  scope === "client" && hasAccount
    ? LimitErrorAnswers.tooManyUnread({ limit, retryAfterSeconds })
    : byScope[scope]
